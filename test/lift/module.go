package lift

import (
	"bytes"
	"fmt"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"k8s.io/apimachinery/pkg/runtime/schema"
)

// program is the main package that README.md tells to write.
const program = `// Command lifted serves what is in the folders below.
//
// +typeplane:apiserver
// +typeplane:crd
package main

import "github.com/typeplane/typeplane"

func main() { typeplane.Main(newServer()) }
`

// copied is a new module with the API packages of a repository in the folders that they have there,
// and a program above them.
func copied(t *testing.T, r repository, _ map[schema.GroupVersionKind]*definition) string {
	t.Helper()
	from, dir := released(t, r.module), t.TempDir()
	for _, folder := range r.packages {
		copyPackages(t, filepath.Join(from, folder), filepath.Join(dir, folder))
	}
	newModule(t, dir, path(r.module), r.requires)
	return dir
}

// aliased is a new module whose packages serve the kinds of a repository by aliases, and which
// requires it as it was released.
func aliased(t *testing.T, r repository, kinds map[schema.GroupVersionKind]*definition) string {
	t.Helper()
	dir := t.TempDir()
	for gvk := range kinds {
		folder := filepath.Join(dir, "api", strings.Split(gvk.Group, ".")[0], gvk.Version)
		if err := os.MkdirAll(folder, 0o755); err != nil {
			t.Fatal(err)
		}
		from, ok := r.aliases[gvk.GroupVersion().String()]
		if !ok {
			t.Fatalf("%s: no package is known for %v", r.name, gvk.GroupVersion())
		}
		write(t, filepath.Join(folder, "doc.go"), fmt.Appendf(nil, "// Package %s serves the kinds of another module.\n//\n// +groupName=%s\npackage %[1]s\n", gvk.Version, gvk.Group))
		write(t, filepath.Join(folder, strings.ToLower(gvk.Kind)+".go"), fmt.Appendf(nil,
			"package %s\n\nimport of %q\n\ntype %s = of.%[3]s\n\ntype %[3]sList = of.%[3]sList\n", gvk.Version, from, gvk.Kind))
	}
	newModule(t, dir, "lifted.example", append(slices.Clone(r.requires), r.module))
	return dir
}

// copyPackages copies the Go files of a folder and of those below it, except for tests.
func copyPackages(t *testing.T, from, to string) {
	t.Helper()
	err := filepath.WalkDir(from, func(name string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() || filepath.Ext(name) != ".go" || strings.HasSuffix(name, "_test.go") {
			return err
		}
		below, err := filepath.Rel(from, name)
		if err != nil {
			return err
		}
		data, err := os.ReadFile(name)
		if err != nil {
			return err
		}
		if err := os.MkdirAll(filepath.Dir(filepath.Join(to, below)), 0o755); err != nil {
			return err
		}
		return os.WriteFile(filepath.Join(to, below), data, 0o644)
	})
	if err != nil {
		t.Fatal(err)
	}
}

// newModule writes go.mod, go.sum and main.go: the module has the requirements of this repository,
// and more.
func newModule(t *testing.T, dir, name string, more []string) {
	t.Helper()
	root, err := filepath.Abs("../..")
	if err != nil {
		t.Fatal(err)
	}
	for file, edit := range map[string]func([]byte) []byte{
		"go.mod": func(text []byte) []byte {
			return bytes.Replace(text, []byte("module "+self+"\n"), []byte("module "+name+"\n"), 1)
		},
		"go.sum": func(text []byte) []byte { return text },
	} {
		text, err := os.ReadFile(filepath.Join(root, file))
		if err != nil {
			t.Fatal(err)
		}
		write(t, filepath.Join(dir, file), edit(text))
	}
	write(t, filepath.Join(dir, "main.go"), []byte(program))
	edit := []string{"mod", "edit", "-require=" + self + "@v0.0.0", "-replace=" + self + "=" + root, "-replace=" + self + "/runtime=" + root + "/runtime"}
	for _, requirement := range more {
		edit = append(edit, "-require="+requirement)
	}
	goCommand(t, dir, edit...)
	goCommand(t, dir, "list", "-mod=mod", "-deps", "./...", self, self+"/runtime/...") // fills go.sum
}

const self = "github.com/typeplane/typeplane"

// gen builds gen and runs it on a module.
func gen(t *testing.T, dir string) (out []byte, err error) {
	t.Helper()
	program := filepath.Join(t.TempDir(), "gen")
	goCommand(t, "../..", "build", "-o", program, "./cmd/gen")
	cmd := exec.Command(program, "--cache=false", "./...")
	cmd.Dir = dir
	cmd.Env = append(os.Environ(), "GOWORK=off", "GOPROXY=off", "GOFLAGS=-mod=readonly")
	return cmd.CombinedOutput()
}

// generate runs gen, which must have nothing against a module.
func generate(t *testing.T, dir string) {
	t.Helper()
	out, err := gen(t, dir)
	if err != nil {
		t.Fatalf("gen: %v\n%s", err, out)
	}
	if len(out) > 0 {
		t.Logf("gen:\n%s", out)
	}
}

// goCommand runs the go command in a folder.
func goCommand(t *testing.T, dir string, args ...string) {
	t.Helper()
	cmd := exec.Command("go", args...)
	cmd.Dir = dir
	cmd.Env = append(os.Environ(), "GOWORK=off")
	if out, err := cmd.CombinedOutput(); err != nil {
		t.Fatalf("go %s: %v\n%s", strings.Join(args, " "), err, out)
	}
}

func write(t *testing.T, name string, data []byte) {
	t.Helper()
	if err := os.WriteFile(name, data, 0o644); err != nil {
		t.Fatal(err)
	}
}
