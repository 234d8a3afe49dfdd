// Package kuberules compares the rules of our kinds of Kubernetes with those of a kube-apiserver,
// which it links. Each field of each kind is made wrong in turn. Both have to accept or refuse the
// object, for the same fields.
//
// Start reading at TestRules. kinds.go has what is compared, mutate.go how a field is made wrong,
// kubernetes.go and ours_test.go ask the two, and differences.go lists where they differ, each with
// its reason. Package declared compares the rules in tags, package defaults what is filled in.
package kuberules
