// Package admission decides, after a kind's own rules, what a write may do: plug-ins change an
// object on its way in, refuse it, and write something with it.
//
// A Plugin is a struct of functions, each of which may be left out. A Chain holds the plug-ins of a
// server in their order. Package registry asks the Chain in the course of every write (see
// registry/create.go and registry/update.go). The plug-ins that come with this module are in the
// folders below, one each; package serve chooses among them by flags and gives them what they read.
// Start reading at Request.
//
// This package knows no kind, no HTTP and no store. Who is asking is in the context
// (auth.UserFrom).
package admission
