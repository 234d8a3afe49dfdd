package console

import (
	"encoding/json"
	"io/fs"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
)

// imported is a module that a source imports by a name and not by a path.
var imported = regexp.MustCompile(`(?m)(?:from|import)\s*\(?\s*'((?:@[^/']+/)?[^./'][^/']*)`)

// TestLicenses: each package that is bundled into the page has its licence beside it, below its
// name and version. Bundled is what the sources import, and what that depends on.
func TestLicenses(t *testing.T) {
	data, err := os.ReadFile("web/package-lock.json")
	if err != nil {
		t.Fatal(err)
	}
	var lock struct {
		Packages map[string]struct {
			Version      string
			Dependencies map[string]string
		}
	}
	if err := json.Unmarshal(data, &lock); err != nil {
		t.Fatal(err)
	}
	bundled := map[string]bool{}
	var bundle func(name string)
	bundle = func(name string) {
		if bundled[name] {
			return
		}
		bundled[name] = true
		p, ok := lock.Packages["node_modules/"+name]
		if !ok {
			t.Errorf("package-lock.json lacks %s", name)
		}
		for other := range p.Dependencies {
			bundle(other)
		}
	}
	bundle("preact") // esbuild imports it for what looks like HTML
	err = filepath.WalkDir("web/src", func(name string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() || !strings.Contains(filepath.Ext(name), "ts") {
			return err
		}
		source, err := os.ReadFile(name)
		for _, m := range imported.FindAllStringSubmatch(string(source), -1) {
			bundle(m[1])
		}
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	if !bundled["yaml"] || !bundled["diff"] {
		t.Errorf("the sources import %v: are they read as they are written?", bundled)
	}
	text, err := os.ReadFile("page/licenses.txt")
	if err != nil {
		t.Fatal(err)
	}
	for name := range bundled {
		if !regexp.MustCompile(`(?m)^` + regexp.QuoteMeta(name+" "+lock.Packages["node_modules/"+name].Version) + `\n\n`).Match(text) {
			t.Errorf("licenses.txt lacks %s of package-lock.json, which is bundled: name it in build.mjs, and run make console", name)
		}
	}
}
