// Package declared compares two generators of declarative validation, by the tags in k8s.io/api.
// One is gen, the other is that of Kubernetes. What they have printed judges the same random
// objects, and has to say the same of each field, in the same words.
//
// Start reading at TestDeclared. TestOthers says that no kind with such tags is left out, TestTwice
// that rules in Go don't repeat them. kinds_test.go has what is compared, random_test.go the
// objects. All of it takes some 20 seconds and 130 MiB of memory on two cores, and grows with
// -objects.
package declared
