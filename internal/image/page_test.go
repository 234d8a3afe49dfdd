package image

import (
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"runtime"
	"runtime/debug"
	"slices"
	"strings"
	"testing"
)

// TestOnPage: the SBOM of a server with a console has the packages of its page, in the versions of
// the lock file. A program without one has none.
func TestOnPage(t *testing.T) {
	data, err := os.ReadFile("../console/web/package-lock.json")
	if err != nil {
		t.Fatal(err)
	}
	var lock struct {
		Packages map[string]struct{ Version string }
	}
	if err := json.Unmarshal(data, &lock); err != nil {
		t.Fatal(err)
	}
	page, err := onPage(t.Context(), Options{Package: "./examples/library", Dir: "../.."}, nil)
	if err != nil {
		t.Fatal(err)
	}
	b := built{name: "library", info: &debug.BuildInfo{GoVersion: runtime.Version()}, page: page}
	text, err := b.describe()
	if err != nil {
		t.Fatal(err)
	}
	var d spdxDocument
	if err := json.Unmarshal(text, &d); err != nil {
		t.Fatal(err)
	}
	var got, want []string
	for _, p := range d.Packages {
		if l := p.References[0].Locator; strings.HasPrefix(l, "pkg:npm/") {
			got = append(got, l)
		}
	}
	for _, name := range []string{"@codemirror/view", "diff", "preact", "yaml"} {
		want = append(want, fmt.Sprintf("pkg:npm/%s@%s", strings.ReplaceAll(name, "@", "%40"), lock.Packages["node_modules/"+name].Version))
	}
	for _, l := range want {
		if !slices.Contains(got, l) {
			t.Errorf("the SBOM lacks %s; it has %q", l, got)
		}
	}
	if len(d.Relationships) != len(d.Packages) {
		t.Errorf("%d packages, and %d relationships", len(d.Packages), len(d.Relationships))
	}
	if page, err := onPage(t.Context(), Options{Package: "./cmd/image", Dir: "../.."}, nil); err != nil || page != nil {
		t.Errorf("a program without a console: %v, %v", page, err)
	}
}

// TestPageWithoutVersions: a page that does not say what it is made of makes no SBOM.
func TestPageWithoutVersions(t *testing.T) {
	dir := t.TempDir()
	for name, text := range map[string]string{
		"go.mod":                             "module github.com/typeplane/typeplane\n\ngo 1.26.0\n",
		"main.go":                            "package main\n\nimport _ \"" + consolePackage + "\"\n\nfunc main() {}\n",
		"internal/console/console.go":        "package console\n",
		"internal/console/page/licenses.txt": "diff\n\nBSD 3-Clause License\n",
	} {
		file := filepath.Join(dir, name)
		if err := os.MkdirAll(filepath.Dir(file), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(file, []byte(text), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	if _, err := onPage(t.Context(), Options{Package: ".", Dir: dir}, nil); err == nil || !strings.Contains(err.Error(), "names no package of npm") {
		t.Error(err)
	}
}
