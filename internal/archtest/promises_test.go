package archtest

import (
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
)

// shownBy is a test in the table of promises, with the folder that it is in.
var shownBy = regexp.MustCompile("`(Test\\w+)` \\(([\\w/]+)\\)")

// TestPromisesAreShown: each promise of docs/reliability.md has a test, and what it names is there.
func TestPromisesAreShown(t *testing.T) {
	root := moduleRoot(t)
	page, err := os.ReadFile(filepath.Join(root, "docs/reliability.md"))
	if err != nil {
		t.Fatal(err)
	}
	for n := 1; n <= 10; n++ {
		name := fmt.Sprintf("P%d", n)
		_, row, ok := strings.Cut(string(page), "\n| "+name+" |")
		if !ok {
			t.Errorf("docs/reliability.md has no %s", name)
			continue
		}
		row, _, _ = strings.Cut(row, "\n")
		tests := shownBy.FindAllStringSubmatch(row, -1)
		if len(tests) == 0 || len(tests) != strings.Count(row, "`Test") {
			t.Errorf("%s has %d tests, of which %d say in which folder: want `TestName` (folder)", name, strings.Count(row, "`Test"), len(tests))
		}
		for _, found := range tests {
			if !hasTest(t, filepath.Join(root, found[2]), found[1]) {
				t.Errorf("%s is shown by %s of %s, which is not there", name, found[1], found[2])
			}
		}
	}
}

// hasTest says whether a folder has a test.
func hasTest(t *testing.T, folder, name string) bool {
	t.Helper()
	files, err := filepath.Glob(filepath.Join(folder, "*_test.go"))
	if err != nil {
		t.Fatal(err)
	}
	for _, file := range files {
		text, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		if strings.Contains(string(text), "\nfunc "+name+"(t *testing.T)") {
			return true
		}
	}
	return false
}
