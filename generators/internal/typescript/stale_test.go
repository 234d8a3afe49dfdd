package typescript_test

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"golang.org/x/tools/txtar"

	"github.com/typeplane/typeplane/generators/internal/generators"
	"github.com/typeplane/typeplane/generators/internal/gentest"
	"github.com/typeplane/typeplane/generators/internal/typescript"
)

const stale = `
-- v1/doc.go --
// +typeplane:typescript=true
package v1

type Thing struct {
	A string ` + "`json:\"a\"`" + `
}
`

// TestStale: a file goes when its package no longer asks for it, or asks for another one beside it.
// One that somebody else wrote stays.
func TestStale(t *testing.T) {
	dir := gentest.Module(t, txtar.Parse([]byte(stale)))
	run := func(value string) {
		t.Helper()
		source := strings.Replace(strings.SplitN(stale, "--\n", 2)[1], "=true", "="+value, 1)
		if err := os.WriteFile(filepath.Join(dir, "v1/doc.go"), []byte(source), 0o600); err != nil {
			t.Fatal(err)
		}
		result, err := generators.Run(generators.Config{Dir: dir, Env: gentest.Env(), Patterns: []string{"./..."}, Plugins: []generators.Plugin{typescript.Plugin()}})
		if err != nil || len(result.Problems) > 0 {
			t.Fatalf("gen: %v %v", err, result.Problems)
		}
	}
	there := func(want ...string) {
		t.Helper()
		found, err := filepath.Glob(filepath.Join(dir, "docs/api/*"))
		if err != nil {
			t.Fatal(err)
		}
		for i := range found {
			found[i] = filepath.Base(found[i])
		}
		if got := strings.Join(found, " "); got != strings.Join(want, " ") {
			t.Fatalf("there are %s, want %s", got, want)
		}
	}
	run("true")
	there("types.ts")
	run("docs/api/things.ts")
	there("things.ts")
	if err := os.WriteFile(filepath.Join(dir, "docs/api/own.ts"), []byte("// By hand.\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	run("docs/api/types.ts")
	there("own.ts", "types.ts")
	run("false")
	there("own.ts")
}
