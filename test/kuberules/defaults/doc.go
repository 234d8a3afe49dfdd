// Package defaults compares the defaults of our kinds of Kubernetes with those of a kube-apiserver,
// which it links. Random objects of each kind go the way of a create through both: they are read,
// defaulted, converted, stored and answered. Both answers have to be the same, field by field. What
// plug-ins of admission do to an object is not compared. What strategies do is in package
// kuberules.
//
// Start reading at TestDefaults. random_test.go has the objects, ours_test.go and theirs_test.go
// the two ways, and differences_test.go where they differ, each with its reason.
package defaults
