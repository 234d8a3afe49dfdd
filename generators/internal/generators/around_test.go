package generators_test

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/typeplane/typeplane/generators/internal/deepcopy"
	"github.com/typeplane/typeplane/generators/internal/generators"
	"github.com/typeplane/typeplane/generators/internal/gentest"
)

// around is a module in which one package, a, is named. b has nothing to do with it, c imports it.
const around = `
-- a/a.go --
package a

// +k8s:deepcopy-gen=true
type A struct{ Words []string }
-- b/b.go --
package b

// +k8s:deepcopy-gen=true
type B struct{ Words []string }
-- c/c.go --
package c

import "example.com/a"

// +k8s:deepcopy-gen=true
type C struct{ A a.A }
`

// TestProblemsAround puts a mistake into a package that was not named. One in a package that has to
// do with what was named stops the run; of others it says that they are there.
func TestProblemsAround(t *testing.T) {
	for pkg, stops := range map[string]bool{"b": false, "c": true} {
		dir := module(t, around)
		name := filepath.Join(dir, pkg, pkg+".go")
		text, err := os.ReadFile(name)
		if err != nil {
			t.Fatal(err)
		}
		write(t, dir, filepath.Join(pkg, pkg+".go"), strings.Replace(string(text), "gen=true", "gen=never", 1))
		result, err := generators.Run(generators.Config{Dir: dir, Env: gentest.Env(), Patterns: []string{"./a"}, Plugins: []generators.Plugin{deepcopy.Plugin()}})
		if err != nil {
			t.Fatal(err)
		}
		switch got := states(result); {
		case stops:
			if len(result.Problems) != 1 || !strings.HasPrefix(got[0], "c/c.go:") {
				t.Errorf("package c: want its problem, got %q", got)
			}
		default:
			expect(t, got, "a/zz_generated.deepcopy.go: missing")
			if len(result.Warnings) != 1 || !strings.Contains(result.Warnings[0].String(), "packages that were not named have problems (1)") {
				t.Errorf("package b: want a warning, got %v", result.Warnings)
			}
		}
		if _, err := os.Stat(filepath.Join(dir, "b", "zz_generated.deepcopy.go")); err == nil {
			t.Errorf("a mistake in %s: files of b, which was not named, are written", pkg)
		}
	}
}
