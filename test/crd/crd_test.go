package crd

import (
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"golang.org/x/tools/txtar"
	"sigs.k8s.io/yaml"

	_ "k8s.io/api/core/v1" // what the types of the cases are made of
	_ "k8s.io/apimachinery/pkg/apis/meta/v1"
)

// annotation names the controller-gen that wrote a definition.
const annotation = "controller-gen.kubebuilder.io/version"

// TestControllerGen runs controller-gen on each case, and wants the definitions that the case
// wants: the same documents, of which lists that say nothing by their order are put in order.
// Where the two are meant to differ, differences says why.
func TestControllerGen(t *testing.T) {
	tool := filepath.Join(t.TempDir(), "controller-gen")
	run(t, ".", "go", "build", "-o", tool, "sigs.k8s.io/controller-tools/cmd/controller-gen")
	cases, err := filepath.Glob("../../generators/internal/crd/testdata/*.txtar")
	if err != nil || len(cases) == 0 {
		t.Fatalf("no cases: %v", err)
	}
	for _, file := range cases {
		archive, err := txtar.ParseFile(file)
		if err != nil {
			t.Fatal(err)
		}
		want := wanted(archive)
		if len(want) == 0 {
			continue
		}
		t.Run(strings.TrimSuffix(filepath.Base(file), ".txtar"), func(t *testing.T) {
			dir := module(t, archive)
			options := "crd:allowDangerousTypes=true"
			if strings.Contains(string(archive.Files[0].Data), "embeddedObjectMeta=true") {
				options += ",generateEmbeddedObjectMeta=true"
			}
			run(t, dir, tool, options, "paths=./api/...", "output:dir=made")
			for name, ours := range want {
				data, err := os.ReadFile(filepath.Join(dir, "made", name))
				if err != nil {
					t.Errorf("controller-gen does not write %s: %v", name, err)
					continue
				}
				if diff := cmp.Diff(document(t, data), document(t, ours)); diff != "" {
					t.Errorf("%s (-controller-gen +gen):\n%s", name, diff)
				}
			}
			made, err := filepath.Glob(filepath.Join(dir, "made", "*.yaml"))
			if err != nil || len(made) != len(want) {
				t.Errorf("controller-gen writes %v, and gen %d definitions (%v)", made, len(want), err)
			}
		})
	}
}

// wanted are the definitions of a case, by their names.
func wanted(archive *txtar.Archive) map[string][]byte {
	out := map[string][]byte{}
	for _, f := range archive.Files {
		if strings.HasPrefix(f.Name, "want/") && strings.HasSuffix(f.Name, ".yaml") {
			out[filepath.Base(f.Name)] = f.Data
		}
	}
	return out
}

// module is a module of the case's Go files with the requirements of this one.
func module(t *testing.T, archive *txtar.Archive) string {
	t.Helper()
	dir := t.TempDir()
	mod, err := os.ReadFile("go.mod")
	if err != nil {
		t.Fatal(err)
	}
	sum, err := os.ReadFile("go.sum")
	if err != nil {
		t.Fatal(err)
	}
	files := []txtar.File{
		{Name: "go.mod", Data: []byte(strings.Replace(string(mod), "github.com/typeplane/typeplane/test/crd", "example.com", 1))},
		{Name: "go.sum", Data: sum},
	}
	for _, f := range slices.Concat(archive.Files, files) {
		if strings.HasPrefix(f.Name, "want/") || f.Name == "warning" {
			continue
		}
		name := filepath.Join(dir, f.Name)
		if err := os.MkdirAll(filepath.Dir(name), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(name, f.Data, 0o644); err != nil {
			t.Fatal(err)
		}
	}
	return dir
}

func run(t *testing.T, dir, name string, args ...string) {
	t.Helper()
	cmd := exec.Command(name, args...)
	cmd.Dir = dir
	cmd.Env = append(os.Environ(), "GOWORK=off", "GOFLAGS=-mod=mod")
	if out, err := cmd.CombinedOutput(); err != nil {
		t.Fatalf("%s %s: %v\n%s", name, strings.Join(args, " "), err, out)
	}
}

// document is a definition without what is about controller-gen itself.
func document(t *testing.T, data []byte) map[string]any {
	t.Helper()
	var out map[string]any
	if err := yaml.Unmarshal(data, &out); err != nil {
		t.Fatal(err)
	}
	metadata := out["metadata"].(map[string]any)
	if annotations, ok := metadata["annotations"].(map[string]any); ok {
		if delete(annotations, annotation); len(annotations) == 0 {
			delete(metadata, "annotations")
		}
	}
	return out
}
