// Package clientgen holds the clients that gen prints against those of k8s.io/code-generator, and
// lets them work against a server.
//
// The clients of sample-apiserver, gateway-api and client-go are made again. What they export has
// to be the same, and the tests of those modules have to pass with them. Shapes that few APIs have
// are in testdata/shapes. Both generators run over them, and what they print is compared.
//
// It is a module of its own, so that client-go and code-generator do not get into the requirements
// of users. Modules are copied from the module cache; where one is not there and can't be had, its
// test is skipped.
package clientgen
