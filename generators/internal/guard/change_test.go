package guard_test

import (
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"testing"

	"github.com/typeplane/typeplane/generators/internal/deepcopy"
	"github.com/typeplane/typeplane/generators/internal/generators"
	"github.com/typeplane/typeplane/generators/internal/gentest"
	"github.com/typeplane/typeplane/generators/internal/guard"

	"golang.org/x/tools/txtar"
)

const types = `-- a/types.go --
// +k8s:deepcopy-gen=package
package a

import "time"

type Book struct {
	Base
	Title string ` + "`json:\"title\"`" + `
	Pages int32
	Every time.Duration
	Genre Genre
	Size  struct{ W, H int }
}

type Base struct{ ID string }

type Genre string

type Box[T any] struct{ In T }

type Boxes struct{ B Box[int] }
`

// run generates in a folder, with what else a run may have.
func run(t *testing.T, dir string, known ...generators.Plugin) generators.Result {
	t.Helper()
	result, err := generators.Run(generators.Config{
		Dir: dir, Env: gentest.Env(), Patterns: []string{"./..."},
		Plugins: []generators.Plugin{guard.Plugin(), deepcopy.Plugin()}, Known: known,
	})
	if err != nil {
		t.Fatal(err)
	}
	return result
}

func build(dir string) (output string, ok bool) {
	cmd := exec.Command("go", "build", "./...")
	cmd.Dir, cmd.Env = dir, gentest.Env()
	out, err := cmd.CombinedOutput()
	return string(out), err == nil
}

// TestChange changes a type after a run. The build breaks at the guard, the message names the type
// and what to do, and the next run mends it. A change that the guard cannot see leaves the build as
// it is.
func TestChange(t *testing.T) {
	for _, tc := range []struct{ name, old, new, says string }{
		{"add a field", "Pages int32\n", "Pages int32\n\tAdded bool\n", "cannot convert runGenAgain{} (value of struct type runGenAgain) to type Book"},
		{"remove a field", "\tPages int32\n", "", "to type Book"},
		{"rename a field", "Pages int32", "Sheets int32", "to type Book"},
		{"retype a field", "Pages int32", "Pages int64", "to type Book"},
		{"make a field a pointer", "Pages int32", "Pages *int32", "to type Book"},
		{"change the order of fields", "\tPages int32\n\tEvery time.Duration\n", "\tEvery time.Duration\n\tPages int32\n", "to type Book"},
		{"embed what had a name", "Genre Genre", "Genre", "to type Book"},
		{"name what was embedded", "\tBase\n", "\tBase Base\n", "to type Book"},
		{"change a field inside a field", "W, H int", "W, H, D int", "to type Book"},
		{"change an embedded type", "ID string", "ID, Name string", "to type Base"},
		{"change a declared string", "type Genre string", "type Genre int32", "cannot convert new(runGenAgain) (value of type *runGenAgain) to type *Genre"},
		{"change a generic type", "struct{ In T }", "struct{ In []T }", "to type Box[T]"},
		{"remove a type", "type Boxes struct{ B Box[int] }", "", "undefined: Boxes"},
		{"make a struct a map", "Base struct{ ID string }", "Base map[string]string", "to type Base"},
		{"change a json tag", `json:"title"`, `json:"name"`, ""},
		{"add a comment", "type Genre", "// Genre is a kind.\ntype Genre", ""},
	} {
		t.Run(tc.name, func(t *testing.T) {
			t.Parallel()
			dir := gentest.Module(t, txtar.Parse([]byte(types)))
			run(t, dir)
			if out, ok := build(dir); !ok {
				t.Fatalf("before the change:\n%s", out)
			}
			changed := strings.Replace(string(txtar.Parse([]byte(types)).Files[0].Data), tc.old, tc.new, 1)
			if err := os.WriteFile(filepath.Join(dir, "a/types.go"), []byte(changed), 0o644); err != nil {
				t.Fatal(err)
			}
			out, ok := build(dir)
			if ok != (tc.says == "") {
				t.Errorf("builds: %v\n%s", ok, out)
			}
			if !ok {
				checkMessage(t, dir, out, tc.says)
			}
			if result := run(t, dir); len(result.Problems) > 0 {
				t.Errorf("gen itself: %v", result.Problems)
			}
			if out, ok := build(dir); !ok {
				t.Errorf("after the next run:\n%s", out)
			}
		})
	}
}

// checkMessage looks for the message at the guard, and for the remedy right above the line that it
// names.
func checkMessage(t *testing.T, dir, out, says string) {
	t.Helper()
	const guardFile = "a/zz_generated.guard.go"
	for line := range strings.Lines(out) {
		rest, ok := strings.CutPrefix(line, guardFile+":")
		if !ok || !strings.Contains(line, says) {
			continue
		}
		number, _, _ := strings.Cut(rest, ":")
		text, err := os.ReadFile(filepath.Join(dir, guardFile))
		if err != nil {
			t.Fatal(err)
		}
		lines := strings.Split(string(text), "\n")
		for i := range lines {
			if number == strconv.Itoa(i+1) && !strings.Contains(lines[i-1], "has changed since gen ran: run go generate, or gen.") {
				t.Errorf("%sabove that line is no remedy but %q", line, lines[i-1])
			}
		}
		return
	}
	t.Errorf("no message %q at %s in:\n%s", says, guardFile, out)
}

// TestVet runs go vet over the guard, since it looks at copied locks, too.
func TestVet(t *testing.T) {
	dir := gentest.Module(t, txtar.Parse([]byte(`-- a/types.go --
package a

import "sync"

// +k8s:deepcopy-gen=true
type Cache struct {
	Names []string
	Lock  *sync.Mutex
	inner inner
}

type inner struct{ mu sync.Mutex }

func (in *inner) DeepCopyInto(out *inner) {}

func (in *Cache) hold() { in.inner.mu.Lock() }
`)))
	run(t, dir)
	cmd := exec.Command("go", "vet", "./...")
	cmd.Dir, cmd.Env = dir, gentest.Env()
	out, err := cmd.CombinedOutput()
	for line := range strings.Lines(string(out)) {
		if strings.Contains(line, "guard.go") {
			t.Errorf("%v: %s", err, line)
		}
	}
}

// TestPartialRun refuses to vouch for files that the run does not look at.
func TestPartialRun(t *testing.T) {
	dir := gentest.Module(t, txtar.Parse([]byte(types)))
	result := run(t, dir, generators.Plugin{Name: "protobuf"})
	if len(result.Problems) != 1 || !strings.Contains(result.Problems[0].String(), "needs a run of all generators; leave --generators out") {
		t.Errorf("got %v", result.Problems)
	}
}
