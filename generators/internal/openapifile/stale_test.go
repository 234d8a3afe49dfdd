package openapifile_test

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"golang.org/x/tools/txtar"

	"github.com/typeplane/typeplane/generators/internal/generators"
	"github.com/typeplane/typeplane/generators/internal/gentest"
	"github.com/typeplane/typeplane/generators/internal/openapifile"
)

// TestStale: the file goes when its package no longer asks for it, and one that somebody else wrote
// stays.
func TestStale(t *testing.T) {
	archive, err := txtar.ParseFile("testdata/file.txtar")
	if err != nil {
		t.Fatal(err)
	}
	dir := gentest.Module(t, archive)
	run := func() {
		t.Helper()
		result, err := generators.Run(generators.Config{
			Dir: dir, Env: gentest.Env(), Patterns: []string{"./..."}, Plugins: []generators.Plugin{openapifile.Plugin()}, WarnUnknownTags: true,
		})
		if err != nil || len(result.Problems) > 0 {
			t.Fatalf("gen: %v %v", err, result.Problems)
		}
	}
	file, doc := filepath.Join(dir, "docs/api/openapi.json"), filepath.Join(dir, "api/doc.go")
	run()
	text, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(doc, []byte("// +typeplane:openapi=false\npackage api\n"), 0o644); err != nil {
		t.Fatal(err)
	}
	run()
	if _, err := os.Stat(file); !errors.Is(err, fs.ErrNotExist) {
		t.Errorf("the file is still there: %v", err)
	}
	byHand := strings.Replace(string(text), "Code generated", "Written", 1)
	if err := os.WriteFile(file, []byte(byHand), 0o644); err != nil {
		t.Fatal(err)
	}
	run()
	if _, err := os.Stat(file); err != nil {
		t.Error(err)
	}
}
