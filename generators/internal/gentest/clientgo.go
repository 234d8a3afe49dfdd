package gentest

import (
	"bytes"
	"path"
	"path/filepath"
	"testing"

	"golang.org/x/tools/txtar"
)

// clientGo are the packages of client-go that printed clients import. The module is not among the
// requirements of this repository. Where a case asks for clients, packages without content stand in
// for it, and what is printed is compared but not compiled: test/clientgen does that.
var clientGo = []string{
	"applyconfigurations/meta/v1", "discovery", "discovery/fake", "gentype", "listers", "rest", "testing", "tools/cache", "util/apply", "util/flowcontrol",
}

// asksForClients tells whether a case has a package with the tag for clients.
func asksForClients(a *txtar.Archive) bool {
	for _, f := range a.Files {
		if !isWant(f.Name) && bytes.Contains(f.Data, []byte("+typeplane:client")) {
			return true
		}
	}
	return false
}

// standInForClientGo writes what stands in for client-go into a module, and returns the lines of
// go.mod for it.
func standInForClientGo(t testing.TB, dir string) []byte {
	t.Helper()
	const folder = "_client-go" // "..." leaves it out
	write(t, filepath.Join(dir, folder, "go.mod"), []byte("module k8s.io/client-go\n"))
	for _, name := range clientGo {
		write(t, filepath.Join(dir, folder, name, "doc.go"), []byte("package "+path.Base(name)+"\n"))
	}
	return []byte("\nrequire k8s.io/client-go v0.0.0\n\nreplace k8s.io/client-go => ./" + folder + "\n")
}
