// Package shop is the API of a small shop, for the examples of the other packages. It is no
// program: gen prints API for it, which any server and any test can ask for.
//
// +typeplane:apiserver
package shop
