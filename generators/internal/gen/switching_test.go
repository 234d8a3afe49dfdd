package gen

import (
	"os"
	"path/filepath"
	"regexp"
	"testing"

	"github.com/typeplane/typeplane/generators/internal/gentest"
)

// caseName is a golden case in the last column of a table: the generator, and the case.
var caseName = regexp.MustCompile("`([a-z]+)/([a-z_-]+)`")

// TestSwitchingPage holds docs/switching.md to its word: each difference that it names has a case.
func TestSwitchingPage(t *testing.T) {
	root := gentest.Root(t)
	page, err := os.ReadFile(filepath.Join(root, "docs/switching.md"))
	if err != nil {
		t.Fatal(err)
	}
	named := caseName.FindAllStringSubmatch(string(page), -1)
	if len(named) < 15 {
		t.Errorf("only %d cases are named", len(named))
	}
	for _, m := range named {
		if _, err := os.Stat(filepath.Join(root, "generators/internal", m[1], "testdata", m[2]+".txtar")); err != nil {
			t.Errorf("%s: %v", m[0], err)
		}
	}
}
