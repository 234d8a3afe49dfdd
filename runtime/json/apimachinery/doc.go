// Package apimachinery has the JSON functions of those types of k8s.io/apimachinery that are in
// every API: metadata, times, quantities. Code that gen prints into other packages calls them.
//
// Types that write themselves there (MarshalJSON) have hand-written functions here, which know the
// common cases and leave the others to the methods. The rest is generated for the aliases in
// types.go.
package apimachinery
