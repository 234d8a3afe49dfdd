// Package dropin replaces what Kubernetes' own generators made by what gen makes, in whole modules of Kubernetes, and
// runs their tests: stored and sent bytes must stay the same.
//
// It is a module of its own so that k8s.io/api does not get into the requirements of users. The modules are copied
// from the module cache; gen runs without network and does not touch their go.mod.
package dropin

import (
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
)

const header = `/*
Copyright The Kubernetes Authors.

Licensed under the Apache License, Version 2.0 (the "License");
you may not use this file except in compliance with the License.
You may obtain a copy of the License at

    http://www.apache.org/licenses/LICENSE-2.0

Unless required by applicable law or agreed to in writing, software
distributed under the License is distributed on an "AS IS" BASIS,
WITHOUT WARRANTIES OR CONDITIONS OF ANY KIND, either express or implied.
See the License for the specific language governing permissions and
limitations under the License.
*/
`

// All 60 packages of k8s.io/api get new protobuf and deep copy methods. Its own tests compare the bytes of 193 kinds
// with those of this and of older releases, and send all kinds round with random content.
func TestAPI(t *testing.T) {
	dir := moduleCopy(t, "k8s.io/api")
	removeAll(t, dir, "generated.pb.go", "zz_generated.deepcopy.go")
	protos := read(t, dir, "generated.proto")
	generate(t, dir)
	goCommand(t, dir, "build", "./...")
	goCommand(t, dir, "test", "-count=1", ".")
	sameProtos(t, protos, read(t, dir, "generated.proto"))
	t.Run("differential", func(t *testing.T) { differential(t, dir) })
}

// In k8s.io/apimachinery the types are that have hand-written parts: Time, Quantity, IntOrString, RawExtension, Verbs.
func TestAPIMachinery(t *testing.T) {
	dir := moduleCopy(t, "k8s.io/apimachinery")
	for _, pkg := range []string{"meta/v1", "meta/v1beta1", "testapigroup/v1"} {
		// go-to-protobuf is told by its flags; gen is told by the tag that k8s.io/api has.
		doc := filepath.Join(dir, "pkg/apis", pkg, "doc.go")
		text, err := os.ReadFile(doc)
		if err != nil {
			t.Fatal(err)
		}
		tagged := strings.Replace(string(text), "\n// +k8s:deepcopy-gen=package\n", "\n// +k8s:deepcopy-gen=package\n// +k8s:protobuf-gen=package\n", 1)
		if tagged == string(text) {
			t.Fatalf("%s: no deepcopy tag to put the protobuf tag beside", doc)
		}
		write(t, doc, []byte(tagged))
	}
	removeAll(t, dir, "generated.pb.go", "zz_generated.deepcopy.go")
	protos := read(t, dir, "generated.proto")
	generate(t, dir)
	goCommand(t, dir, "build", "./...")
	goCommand(t, dir, "test", "-count=1", "./pkg/apis/meta/v1/...", "./pkg/runtime", "./pkg/runtime/serializer/protobuf",
		"./pkg/api/resource", "./pkg/util/intstr", "./pkg/apis/testapigroup/...")
	sameProtos(t, protos, read(t, dir, "generated.proto"))
}

// sameProtos compares the .proto files. Ours import only what they use, and know no comments of other modules, which
// is where the fields of one message of core/v1 (List) come from.
func sameProtos(t *testing.T, want, got map[string]string) {
	t.Helper()
	for name, text := range want {
		if a, b := significant(text), significant(got[name]); a != b {
			t.Errorf("%s changed:\n%s\n---\n%s", name, a, b)
		}
	}
}

func significant(proto string) string {
	var out []string
	for _, line := range strings.Split(proto, "\n") {
		line = strings.TrimSpace(line)
		if line == "" || strings.HasPrefix(line, "import ") || strings.HasPrefix(line, "//") {
			continue
		}
		out = append(out, line)
	}
	return strings.Join(out, "\n")
}

// differential runs the programs of testdata/differ against the generated module and the published one side by side.
func differential(t *testing.T, generated string) {
	ours := t.TempDir()
	copyTree(t, generated, ours, func(name string) bool {
		return strings.HasSuffix(name, "_test.go") || strings.HasPrefix(name, "testdata")
	})
	walk(t, ours, func(name string) {
		if strings.HasSuffix(name, ".go") {
			data, err := os.ReadFile(name)
			if err != nil {
				t.Fatal(err)
			}
			write(t, name, []byte(strings.ReplaceAll(string(data), `"k8s.io/api/`, `"generated.example/api/`)))
		}
	})
	replaceIn(t, filepath.Join(ours, "go.mod"), "module k8s.io/api\n", "module generated.example/api\n")

	differ := t.TempDir()
	copyTree(t, "testdata/differ", differ, func(string) bool { return false })
	data, err := os.ReadFile("go.mod")
	if err != nil {
		t.Fatal(err)
	}
	mod := strings.Replace(string(data), "module github.com/typeplane/typeplane/test/dropin\n", "module differ\n", 1)
	mod += "\nrequire generated.example/api v0.0.0\n\nreplace generated.example/api => " + ours + "\n"
	write(t, filepath.Join(differ, "go.mod"), []byte(mod))
	sums, err := os.ReadFile("go.sum")
	if err != nil {
		t.Fatal(err)
	}
	write(t, filepath.Join(differ, "go.sum"), sums)
	cmd := exec.Command("go", "test", "-mod=mod", "-count=1", "-v", ".")
	cmd.Dir = differ
	cmd.Env = append(os.Environ(), "GOWORK=off", "FIXTURES="+filepath.Join(generated, "testdata/HEAD"))
	out, err := cmd.CombinedOutput()
	if err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
	t.Logf("%s", out)
}

// generate builds gen from this repository and runs it, twice: the second run finds nothing to do.
func generate(t *testing.T, dir string) {
	t.Helper()
	gen := filepath.Join(t.TempDir(), "gen")
	goCommand(t, "../..", "build", "-o", gen, "./cmd/gen")
	headerFile := filepath.Join(t.TempDir(), "header.txt")
	write(t, headerFile, []byte(header))
	for _, extra := range [][]string{nil, {"--verify"}} {
		cmd := exec.Command(gen, append(extra, "--generators", "deepcopy,protobuf", "--go-header-file", headerFile, "./...")...)
		cmd.Dir = dir
		cmd.Env = append(os.Environ(), "GOWORK=off", "GOPROXY=off", "GOFLAGS=-mod=readonly")
		if out, err := cmd.CombinedOutput(); err != nil {
			t.Fatalf("gen %s: %v\n%s", strings.Join(extra, " "), err, out)
		}
	}
}

// moduleCopy copies a module from the module cache to a temporary folder and returns the folder.
func moduleCopy(t *testing.T, module string) string {
	t.Helper()
	out, err := exec.Command("go", "list", "-m", "-f", "{{.Dir}}", module).Output()
	if err != nil {
		t.Fatalf("go list -m %s: %v", module, err)
	}
	dir := t.TempDir()
	copyTree(t, strings.TrimSpace(string(out)), dir, func(string) bool { return false })
	return dir
}

func copyTree(t *testing.T, from, to string, skip func(name string) bool) {
	t.Helper()
	err := filepath.WalkDir(from, func(name string, d fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		rel, err := filepath.Rel(from, name)
		if err != nil || skip(rel) {
			return err
		}
		if d.IsDir() {
			return os.MkdirAll(filepath.Join(to, rel), 0o755)
		}
		data, err := os.ReadFile(name)
		if err != nil {
			return err
		}
		return os.WriteFile(filepath.Join(to, rel), data, 0o644)
	})
	if err != nil {
		t.Fatal(err)
	}
}

func walk(t *testing.T, dir string, do func(name string)) {
	t.Helper()
	err := filepath.WalkDir(dir, func(name string, d fs.DirEntry, err error) error {
		if err == nil && !d.IsDir() {
			do(name)
		}
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
}

func removeAll(t *testing.T, dir string, names ...string) {
	t.Helper()
	removed := 0
	walk(t, dir, func(name string) {
		for _, n := range names {
			if filepath.Base(name) == n {
				if err := os.Remove(name); err != nil {
					t.Fatal(err)
				}
				removed++
			}
		}
	})
	if removed == 0 {
		t.Fatalf("no %v in %s", names, dir)
	}
}

// read returns all files of a name by path.
func read(t *testing.T, dir, base string) map[string]string {
	t.Helper()
	out := map[string]string{}
	walk(t, dir, func(name string) {
		if filepath.Base(name) == base {
			data, err := os.ReadFile(name)
			if err != nil {
				t.Fatal(err)
			}
			out[name] = string(data)
		}
	})
	return out
}

func write(t *testing.T, name string, data []byte) {
	t.Helper()
	if err := os.WriteFile(name, data, 0o644); err != nil {
		t.Fatal(err)
	}
}

func replaceIn(t *testing.T, name, old, new string) {
	t.Helper()
	data, err := os.ReadFile(name)
	if err != nil {
		t.Fatal(err)
	}
	if !strings.Contains(string(data), old) {
		t.Fatalf("%s has no %q", name, old)
	}
	write(t, name, []byte(strings.Replace(string(data), old, new, 1)))
}

func goCommand(t *testing.T, dir string, args ...string) {
	t.Helper()
	cmd := exec.Command("go", args...)
	cmd.Dir = dir
	cmd.Env = append(os.Environ(), "GOWORK=off")
	if out, err := cmd.CombinedOutput(); err != nil {
		t.Fatalf("go %s: %v\n%s", strings.Join(args, " "), err, out)
	}
}
