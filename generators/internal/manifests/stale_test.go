package manifests_test

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"golang.org/x/tools/txtar"

	"github.com/typeplane/typeplane/generators/internal/generators"
	"github.com/typeplane/typeplane/generators/internal/gentest"
)

// TestStale moves the manifests to another folder, and takes the tag away: what a user wrote beside
// them stays.
func TestStale(t *testing.T) {
	archive, err := txtar.ParseFile("testdata/server.txtar")
	if err != nil {
		t.Fatal(err)
	}
	dir := gentest.Module(t, archive)
	run := func() {
		t.Helper()
		result, err := generators.Run(generators.Config{Dir: dir, Env: gentest.Env(), Patterns: []string{"./..."}, Plugins: plugins()})
		if err != nil || len(result.Problems) > 0 {
			t.Fatal(err, result.Problems)
		}
	}
	manifests := func() (found []string) {
		t.Helper()
		if err := filepath.WalkDir(dir, func(path string, _ os.DirEntry, err error) error {
			if filepath.Base(path) == "apiservice.yaml" || filepath.Base(path) == "mine.yaml" {
				rel, _ := filepath.Rel(dir, path)
				found = append(found, filepath.ToSlash(rel))
			}
			return err
		}); err != nil {
			t.Fatal(err)
		}
		return found
	}
	run()
	first := manifests()
	if len(first) != 1 {
		t.Fatalf("at first: %v", first)
	}
	if err := os.WriteFile(filepath.Join(dir, filepath.Dir(first[0]), "mine.yaml"), []byte("a: b\n"), 0o644); err != nil {
		t.Fatal(err)
	}
	for _, f := range archive.Files {
		if !strings.HasSuffix(f.Name, ".go") || !strings.Contains(string(f.Data), "+typeplane:manifests") {
			continue
		}
		lines := strings.Split(string(f.Data), "\n")
		for i, line := range lines {
			if strings.Contains(line, "+typeplane:manifests") {
				lines[i] = "//"
			}
		}
		if err := os.WriteFile(filepath.Join(dir, f.Name), []byte(strings.Join(lines, "\n")), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	run()
	if left := manifests(); len(left) != 1 || filepath.Base(left[0]) != "mine.yaml" {
		t.Errorf("left: %v", left)
	}
}
