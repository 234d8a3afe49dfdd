// Package dropin replaces what Kubernetes' own generators made by what gen makes, in whole modules
// of Kubernetes, and runs their tests: stored and sent bytes must stay the same.
//
// It is a module of its own so that k8s.io/api does not get into the requirements of users. The
// modules are copied from the module cache; gen runs without network and does not touch their
// go.mod.
package dropin

import (
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
)

// All 60 packages of k8s.io/api go through all generators. Its own tests compare the bytes of 193
// kinds with those of this and of older releases, and send all kinds round with random content.
func TestAPI(t *testing.T) {
	dir := moduleCopy(t, "k8s.io/api")
	protos, same := read(t, dir, "generated.proto"), readAll(t, dir, identical)
	removeAll(t, dir, replaced...)
	generate(t, dir)
	goCommand(t, dir, "build", "./...")
	goCommand(t, dir, "test", "-count=1", "./...")
	sameProtos(t, protos, read(t, dir, "generated.proto"))
	sameFiles(t, same, readAll(t, dir, identical))
	t.Run("differential", func(t *testing.T) { differential(t, dir) })
}

// In k8s.io/apimachinery the types are that have hand-written parts: Time, Quantity, IntOrString,
// RawExtension, Verbs.
func TestAPIMachinery(t *testing.T) {
	notShort(t)
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
	protos := read(t, dir, "generated.proto")
	removeAll(t, dir, "generated.pb.go", "zz_generated.deepcopy.go", "zz_generated.defaults.go", "zz_generated.prerelease-lifecycle.go")
	generate(t, dir, "deepcopy", "defaulter", "protobuf", "prerelease-lifecycle", "openapi")
	goCommand(t, dir, "build", "./...")
	goCommand(t, dir, "test", "-count=1", "./pkg/apis/meta/v1/...", "./pkg/runtime", "./pkg/runtime/serializer/protobuf",
		"./pkg/api/resource", "./pkg/util/intstr", "./pkg/apis/testapigroup/...")
	sameProtos(t, protos, read(t, dir, "generated.proto"))
}

// notShort leaves a test out of the short run, which has k8s.io/api and the tests of deepcopy-gen
// and defaulter-gen.
func notShort(t *testing.T) {
	if testing.Short() {
		t.Skip("only without -short")
	}
}

// sameProtos compares the .proto files. Ours import only what they use, and know no comments of
// other modules, which is where the fields of one message of core/v1 (List) come from.
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

// differential runs the programs of testdata/differ against the generated module and the published
// one side by side.
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
	cmd := exec.Command("go", "test", "-mod=mod", "-count=1", "-v", fmt.Sprintf("-short=%v", testing.Short()), ".")
	cmd.Dir = differ
	cmd.Env = append(os.Environ(), "GOWORK=off", "FIXTURES="+filepath.Join(generated, "testdata/HEAD"))
	out, err := cmd.CombinedOutput()
	if err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
	t.Logf("%s", out)
}
