package crd_test

import (
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"golang.org/x/tools/txtar"

	"github.com/typeplane/typeplane/generators/internal/apiserver"
	"github.com/typeplane/typeplane/generators/internal/crd"
	"github.com/typeplane/typeplane/generators/internal/generators"
	"github.com/typeplane/typeplane/generators/internal/gentest"
	"github.com/typeplane/typeplane/generators/internal/openapi"
)

// plugins are this plug-in, and those that read the other tags of the cases.
func plugins() []generators.Plugin {
	server, schemas := apiserver.Plugin(), openapi.Plugin()
	server.Outputs, server.Generate = nil, func(pass *generators.Pass) { apiserver.Programs(pass) }
	schemas.Outputs, schemas.Generate = nil, func(pass *generators.Pass) {
		for _, pkg := range pass.Packages {
			openapi.Schemas(pass, pkg)
		}
	}
	return []generators.Plugin{server, schemas, crd.Plugin()}
}

// What the cases want is what controller-gen makes of them: see test/crd.
func TestGolden(t *testing.T) { gentest.Run(t, "testdata", plugins()...) }

// TestStale has a kind go, and then the tag: with them go their definitions, and nothing else.
func TestStale(t *testing.T) {
	archive, err := txtar.ParseFile("testdata/names.txtar")
	if err != nil {
		t.Fatal(err)
	}
	dir := gentest.Module(t, archive)
	mine := filepath.Join(dir, "config/crd/bases/mine.yaml")
	if err := os.MkdirAll(filepath.Dir(mine), 0o755); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(mine, []byte("a: b\n"), 0o644); err != nil {
		t.Fatal(err)
	}
	for _, step := range []struct {
		file, from, to string
		want           []string
	}{
		{"main.go", "", "", []string{"mine.yaml", "shop.example.com_gateways.yaml", "shop.example.com_policies.yaml"}},
		{"api/v1/types.go", "type Policy struct", "// +kubebuilder:skipversion\ntype Policy struct", []string{"mine.yaml", "shop.example.com_gateways.yaml"}},
		{"main.go", "// +typeplane:crd\n", "", []string{"mine.yaml"}},
	} {
		name := filepath.Join(dir, step.file)
		data, err := os.ReadFile(name)
		if err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(name, []byte(strings.Replace(string(data), step.from, step.to, 1)), 0o644); err != nil {
			t.Fatal(err)
		}
		result, err := generators.Run(generators.Config{Dir: dir, Env: gentest.Env(), Patterns: []string{"./..."}, Plugins: plugins()})
		if err != nil || len(result.Problems) > 0 {
			t.Fatal(err, result.Problems)
		}
		entries, err := os.ReadDir(filepath.Dir(mine))
		if err != nil {
			t.Fatal(err)
		}
		var got []string
		for _, e := range entries {
			got = append(got, e.Name())
		}
		if !slices.Equal(got, step.want) {
			t.Errorf("%s: %v, want %v", step.file, got, step.want)
		}
	}
}
