// Package api holds the library's hub types: what the server itself works with, whatever version a
// client speaks. They are never sent or stored, so they carry no json tags. Every version converts
// to them and from them.
//
// +k8s:deepcopy-gen=package
package api
