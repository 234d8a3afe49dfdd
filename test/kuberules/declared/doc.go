// Package declared compares what gen prints for the tags of declarative validation in k8s.io/api's
// types with what Kubernetes' own generator has printed for them: both judge the same random
// objects, and have to say the same of each field, in the same words.
//
// Start reading at TestDeclared. kinds_test.go has what is compared, random_test.go the objects.
package declared
