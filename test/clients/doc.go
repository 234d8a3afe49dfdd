// Package clients holds tests that use a server of ours as programs do: through client-go and
// controller-runtime, which are built from their released modules. The server is a binary of
// examples/, with an etcd in its process, as users run it. The kinds of an example can't be
// imported, and some tests kill the server.
//
// Start reading at server_test.go. Nothing here is for import, and nothing sleeps: tests wait for
// conditions.
package clients
