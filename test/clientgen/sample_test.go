package clientgen

import (
	"path/filepath"
	"testing"
)

const sampleAPIServer = "k8s.io/sample-apiserver@v0.37.2"

// The clients that sample-apiserver is published with are made again. Its own tests, and its
// server, are built with them.
func TestSampleAPIServer(t *testing.T) {
	notShort(t) // its dependencies have other versions, and take two minutes to compile
	dir := copied(t, sampleAPIServer)
	want := published(t, sampleAPIServer)
	removeGenerated(t, filepath.Join(dir, "pkg/generated"))
	replaceIn(t, filepath.Join(dir, "pkg/apis/wardle/doc.go"), "// +groupName=", "// +typeplane:client:dir=pkg/generated\n// +groupName=")
	generate(t, dir)
	generate(t, dir, "--verify")
	folders := []string{"./pkg/generated/clientset/...", "./pkg/generated/listers/...", "./pkg/generated/informers/...", "./pkg/generated/applyconfiguration/..."}
	sameAPI(t, want, dir, folders, same)
	sameSchemas(t, filepath.Join(want, "pkg/generated/applyconfiguration"), filepath.Join(dir, "pkg/generated/applyconfiguration"))
	goCommand(t, dir, "build", "./pkg/generated/...")
	goCommand(t, dir, "test", "./...")
}
