package clientgen

import (
	"context"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/typeplane/typeplane/internal/testserver"
)

// The printed clients of examples/library work against its server.
func TestLibrary(t *testing.T) {
	kubeconfig := startLibrary(t)
	dir := librarian(t)
	cmd := exec.Command("go", "test", "-count=1", ".")
	cmd.Dir, cmd.Env = dir, append(env(), "KUBECONFIG="+kubeconfig)
	if out, err := cmd.CombinedOutput(); err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
}

// startLibrary starts the server, and returns the kubeconfig of its administrator.
func startLibrary(t *testing.T) string {
	t.Helper()
	ctx, cancel := context.WithTimeout(t.Context(), 90*time.Second)
	defer cancel()
	data := filepath.Join(t.TempDir(), "data")
	process, err := testserver.Start(ctx, exec.Command(filepath.Join(programs, "library"), "--data-dir", data, "--secure-port", "0"))
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(process.Kill)
	return filepath.Join(data, "admin.kubeconfig")
}

// librarian is a module with the types of the library, their clients, and tests that use these.
func librarian(t *testing.T) string {
	t.Helper()
	dir := t.TempDir()
	copyTree(t, "../../examples/library/api", filepath.Join(dir, "api"))
	copyTree(t, "testdata/librarian", dir)
	root, err := filepath.Abs("../..")
	if err != nil {
		t.Fatal(err)
	}
	mod := strings.NewReplacer("module github.com/typeplane/typeplane/test/clientgen\n", "module example.com/librarian\n", "=> ../..", "=> "+root)
	write(t, filepath.Join(dir, "go.mod"), []byte(mod.Replace(string(read(t, "go.mod")))))
	write(t, filepath.Join(dir, "go.sum"), read(t, "go.sum"))
	for _, version := range []string{"api/v1", "api/v1alpha1"} {
		moveModule(t, filepath.Join(dir, version))
	}
	replaceIn(t, filepath.Join(dir, "api/doc.go"), "package api", "// +typeplane:client\npackage api")
	types := filepath.Join(dir, "api/v1/types.go")
	replaceIn(t, types, "type Book struct", "// +genclient\n// +genclient:method=Lend,verb=create,subresource=lend,input=Loan,result=Loan\ntype Book struct")
	replaceIn(t, types, "type Shelf struct", "// +genclient\ntype Shelf struct")
	replaceIn(t, filepath.Join(dir, "api/v1alpha1/types.go"), "type Book struct", "// +genclient\ntype Book struct")
	generate(t, dir)
	return dir
}

// moveModule makes files of the library's module those of librarian.
func moveModule(t *testing.T, dir string) {
	t.Helper()
	names, err := filepath.Glob(filepath.Join(dir, "*.go"))
	if err != nil {
		t.Fatal(err)
	}
	for _, name := range names {
		if strings.HasSuffix(name, "_test.go") {
			if err := os.Remove(name); err != nil {
				t.Fatal(err)
			}
			continue
		}
		text := strings.ReplaceAll(string(read(t, name)), "github.com/typeplane/typeplane/examples/library/", "example.com/librarian/")
		write(t, name, []byte(text))
	}
}
