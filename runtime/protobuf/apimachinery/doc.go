// Package apimachinery reads and writes those types of k8s.io/apimachinery that are in every API:
// metadata, times, conditions, selectors. Code that gen prints into other packages calls it.
//
// For a type T there is a function T, which says how it is read. PutT writes it before the n bytes
// that a Writer has, and returns how many it has then. Values that are nil are nothing.
//
// The fields are those of the apimachinery that this module requires; a test compares with the
// methods of the types. A field that a newer one has is found by the round trips of the main
// module, which requires the newest.
package apimachinery
