package gen

import (
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/typeplane/typeplane/generators/internal/gentest"

	"golang.org/x/tools/txtar"
)

var (
	block    = regexp.MustCompile("(?m)^```\n(.*)\n```$")
	position = regexp.MustCompile(`^\S+:\d+:\d+: `)
)

// TestProblemsPage compares docs/problems.md with what gen prints in golden cases. The problems on
// it are of middle length, so that they show what a user mostly sees. -update brings positions up
// to date.
func TestProblemsPage(t *testing.T) {
	said := goldenProblems(t)
	name := filepath.Join(gentest.Root(t), "docs/problems.md")
	page, err := os.ReadFile(name)
	if err != nil {
		t.Fatal(err)
	}
	shown := block.FindAllStringSubmatch(string(page), -1)
	if len(shown) != 10 {
		t.Errorf("%d problems are shown, want 10", len(shown))
	}
	shortest, longest := len(said[len(said)/5]), len(said[len(said)*4/5])
	text := string(page)
	for _, m := range shown {
		if !slices.Contains(said, m[1]) {
			now := withAnotherPosition(said, m[1])
			if text = strings.Replace(text, m[1], now, 1); now == "" || !gentest.Update() {
				t.Errorf("gen does not say\n%s\nbut %q", m[1], now)
			}
		}
		if len(m[1]) < shortest || len(m[1]) > longest {
			t.Errorf("of %d letters, not of middle length (%d to %d):\n%s", len(m[1]), shortest, longest, m[1])
		}
	}
	if gentest.Update() {
		if err := os.WriteFile(name, []byte(text), 0o644); err != nil {
			t.Fatal(err)
		}
	}
}

// TestProblemsHaveAPlace wants a position in every problem of the golden cases.
func TestProblemsHaveAPlace(t *testing.T) {
	for _, problem := range goldenProblems(t) {
		if !position.MatchString(problem) {
			t.Errorf("where is this? %s", problem)
		}
	}
}

func withAnotherPosition(said []string, problem string) string {
	for _, s := range said {
		if position.ReplaceAllString(s, "") == position.ReplaceAllString(problem, "") {
			return s
		}
	}
	return ""
}

// goldenProblems are all problems of all golden cases, the shortest first.
func goldenProblems(t *testing.T) []string {
	t.Helper()
	files, err := filepath.Glob(filepath.Join(gentest.Root(t), "generators/internal/*/testdata/*.txtar"))
	if err != nil {
		t.Fatal(err)
	}
	var out []string
	for _, file := range files {
		archive, err := txtar.ParseFile(file)
		if err != nil {
			t.Fatal(err)
		}
		for _, f := range archive.Files {
			if f.Name == "error" {
				out = append(out, strings.Split(strings.TrimSuffix(string(f.Data), "\n"), "\n")...)
			}
		}
	}
	slices.SortFunc(out, func(a, b string) int { return len(a) - len(b) })
	return out
}
