// Package kuberules compares the rules and strategies of our kinds of Kubernetes with those of a
// kube-apiserver, which it links. Each field of each kind is changed in turn. Both have to accept
// or refuse the object, for the same fields; what both accept has to come to the same answer.
//
// TestMergedLists compares rules of lists that clients merge, and TestQuotas the usage of quotas.
//
// Start reading at TestRules, and then at TestStrategies and TestAdmission. TestMutations compares
// what policies make of objects. kinds.go and kinds_kubernetes.go have what is compared, mutate.go
// how a field is changed, kubernetes.go and ours_test.go ask the two. differences_test.go and
// strategies_differences_test.go list where they differ, each with its reason. Package declared
// compares the rules in tags, package defaults what is filled in.
package kuberules
