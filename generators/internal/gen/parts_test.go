package gen

import (
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"golang.org/x/tools/txtar"

	"github.com/typeplane/typeplane/generators/internal/generators"
	"github.com/typeplane/typeplane/generators/internal/gentest"
	"github.com/typeplane/typeplane/generators/internal/load"
)

// apart is a module in which what belongs to a package follows from others that it does not import.
// They are the server above it, and one with functions that are found by their names.
const apart = `A module whose packages need each other without an import.
-- main.go --
// +typeplane:apiserver
package main

func main() {}
-- api/v1/types.go --
// +groupName=shop.example.com
package v1

import (
	"example.com/part"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
)

type Order struct {
	metav1.TypeMeta   ` + "`json:\",inline\"`" + `
	metav1.ObjectMeta ` + "`json:\"metadata,omitempty\"`" + `
	// +k8s:maxLength=5
	Word string ` + "`json:\"word\"`" + `
	Part part.Part ` + "`json:\"part\"`" + `
}

type OrderList struct {
	metav1.TypeMeta ` + "`json:\",inline\"`" + `
	metav1.ListMeta ` + "`json:\"metadata,omitempty\"`" + `
	Items []Order ` + "`json:\"items\"`" + `
}
-- part/part.go --
package part

type Part struct {
	Size int32 ` + "`json:\"size\"`" + `
}
-- fill/fill.go --
// +k8s:defaulter-gen=TypeMeta
package fill

import "example.com/part"

func SetDefaults_Part(in *part.Part) {
	if in.Size == 0 {
		in.Size = 7
	}
}
-- copies/copies.go --
package copies

// +k8s:deepcopy-gen=true
type Copied struct{ Words []string }
`

// TestParts generates modules as a whole, package by package, and each package from its own folder.
// The same must come of each, or a problem.
func TestParts(t *testing.T) {
	modules := map[string]*txtar.Archive{"apart": txtar.Parse([]byte(apart))}
	for i, c := range soundCases(t) {
		if *every || i%80 == 0 {
			modules[c.name] = c.source
		}
	}
	shared := new(load.Shared)
	for name, source := range modules {
		t.Run(name, func(t *testing.T) { partsOf(t, shared, source) })
	}
}

func partsOf(t *testing.T, shared *load.Shared, source *txtar.Archive) {
	dir := gentest.Module(t, source)
	whole, packages := part(t, shared, dir, dir, "./...")
	if whole == nil {
		return
	}
	if len(whole) == 0 {
		t.Error("nothing comes of the whole")
	}
	tried := map[string]string{}
	for _, folder := range packages {
		rel, err := filepath.Rel(dir, folder)
		if err != nil {
			t.Fatal(err)
		}
		for _, from := range []struct{ dir, pattern string }{{dir, "./" + filepath.ToSlash(rel)}, {folder, "."}} {
			got, _ := part(t, shared, dir, from.dir, from.pattern)
			for file, content := range got {
				if want, ok := whole[file]; !ok || want != content {
					t.Errorf("gen %s in %s: %s differs from what comes of ./... (-whole +part):\n%s", from.pattern, from.dir, file, cmp.Diff(want, content))
				}
				tried[file] = content
			}
		}
	}
	for file := range whole {
		if _, ok := tried[file]; !ok {
			t.Errorf("%s comes of ./... alone", file)
		}
	}
}

// part are the files that come of a run, by their names in the module, and the folders with Go
// files in it; nil is a run with problems.
func part(t *testing.T, shared *load.Shared, module, dir, pattern string) (files map[string]string, folders []string) {
	t.Helper()
	result, err := generators.Run(generators.Config{
		Dir: dir, Env: gentest.Env(), Patterns: []string{pattern}, Plugins: plugins(), Shared: shared, Verify: true,
	})
	if err != nil {
		t.Fatal(err)
	}
	if len(result.Problems) > 0 {
		return nil, nil
	}
	files = map[string]string{}
	for _, c := range result.Changes {
		name := c.Path
		if !filepath.IsAbs(name) {
			name = filepath.Join(dir, name)
		}
		rel, err := filepath.Rel(module, name)
		if err != nil {
			t.Fatal(err)
		}
		files[filepath.ToSlash(rel)] = string(c.Content())
	}
	return files, goFolders(t, module)
}

// goFolders are the folders of a module that ./... finds.
func goFolders(t *testing.T, module string) []string {
	t.Helper()
	found := map[string]bool{}
	err := filepath.WalkDir(module, func(name string, entry os.DirEntry, err error) error {
		if err == nil && entry.IsDir() && (entry.Name() == "testdata" || strings.HasPrefix(entry.Name(), "_")) {
			return filepath.SkipDir
		}
		if strings.HasSuffix(name, ".go") && !strings.HasSuffix(name, "_test.go") {
			found[filepath.Dir(name)] = true
		}
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	return slices.Sorted(maps.Keys(found))
}
