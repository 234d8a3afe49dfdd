package gen

import (
	"encoding/json"
	"io/fs"
	"maps"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/typeplane/typeplane/generators/internal/diag"
	"github.com/typeplane/typeplane/generators/internal/generators"
	"github.com/typeplane/typeplane/generators/internal/gentest"
)

// TestLayoutsOfModules moves the markers of Kubernetes' types, and of the repositories of
// test/dropin: nothing that is printed or said may change. A module that can be had neither from
// the module cache nor from a network is left out.
func TestLayoutsOfModules(t *testing.T) {
	if !*every {
		t.Skip("only with -every")
	}
	for _, module := range dropins(t) {
		t.Run(module, func(t *testing.T) {
			dir := moduleCopy(t, module)
			t.Setenv("GOWORK", "off")
			t.Setenv("GOFLAGS", "-mod=mod")
			before := ofModule(t, dir)
			if len(before.printed) == 0 {
				t.Skipf("nothing is printed: %.2000q", told(before))
			}
			for _, name := range slices.Sorted(maps.Keys(layouts)) {
				moved := moduleCopy(t, module)
				if layModule(t, moved, layouts[name]) == 0 {
					continue
				}
				after := ofModule(t, moved)
				if diff := cmp.Diff(told(before), told(after)); diff != "" {
					t.Errorf("markers %s, what is said (-before +after):\n%.3000s", name, diff)
				} else if diff := cmp.Diff(before.printed, after.printed); diff != "" {
					t.Errorf("markers %s (-before +after):\n%.3000s", name, diff)
				}
			}
		})
	}
}

// dropins are k8s.io/api and the modules of test/dropin, with their versions.
func dropins(t *testing.T) []string {
	t.Helper()
	api, err := command(".", "go", "list", "-m", "-f", "{{.Path}}@{{.Version}}", "k8s.io/api")
	if err != nil {
		t.Fatal(err, api)
	}
	list, err := os.ReadFile(filepath.Join(gentest.Root(t), "test/dropin/repositories_test.go"))
	if err != nil {
		t.Fatal(err)
	}
	out := []string{strings.TrimSpace(api)}
	for _, found := range releasedModule.FindAllStringSubmatch(string(list), -1) {
		out = append(out, found[1])
	}
	if len(out) < 10 {
		t.Fatalf("only %d modules: %v", len(out), out)
	}
	return out
}

var releasedModule = regexp.MustCompile(`\{"([\w./-]+@v[\w.-]+)"`)

func command(dir, program string, args ...string) (string, error) {
	cmd := exec.Command(program, args...)
	cmd.Dir = dir
	out, err := cmd.CombinedOutput()
	return string(out), err
}

// moduleCopy is a copy of a module as it was released.
func moduleCopy(t *testing.T, module string) string {
	t.Helper()
	var found struct{ Dir, Error string }
	out, err := exec.Command("go", "mod", "download", "-json", module).Output()
	if jsonErr := json.Unmarshal(out, &found); jsonErr != nil {
		t.Fatalf("go mod download: %v, %v: %s", err, jsonErr, out)
	}
	if found.Error != "" {
		t.Skipf("the module can't be had: %s", found.Error)
	}
	dir := t.TempDir()
	if err := os.CopyFS(dir, os.DirFS(found.Dir)); err != nil {
		t.Fatal(err)
	}
	err = filepath.WalkDir(dir, func(name string, entry fs.DirEntry, err error) error {
		if err == nil {
			err = os.Chmod(name, 0o700)
		}
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	return dir
}

// layModule writes the comments of a module in another layout, and returns how many files changed.
func layModule(t *testing.T, dir string, layout func([]string) []string) (changed int) {
	t.Helper()
	err := filepath.WalkDir(dir, func(name string, entry fs.DirEntry, err error) error {
		if err != nil || entry.IsDir() || filepath.Ext(name) != ".go" {
			return err
		}
		data, err := os.ReadFile(name)
		if err != nil || strings.Contains(string(data), "// Code generated ") {
			return err
		}
		if moved := relaid(data, layout); string(moved) != string(data) {
			changed++
			return os.WriteFile(name, moved, 0o600)
		}
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	return changed
}

// ofModule is what gen says about a module and prints for it. An empty line between a comment and
// the markers below is one more before the values of an enum, for Kubernetes' generator as well.
func ofModule(t *testing.T, dir string) *folder {
	t.Helper()
	result, err := generators.Run(generators.Config{
		Dir: dir, Patterns: []string{"./..."}, Plugins: plugins(), Verify: true, WarnUnknownTags: true, InlineRuntime: true,
	})
	if err != nil {
		t.Fatal(err)
	}
	for _, said := range [][]diag.Problem{result.Problems, result.Warnings} {
		slices.SortFunc(said, func(a, b diag.Problem) int { return strings.Compare(a.Message, b.Message) })
	}
	f := &folder{problems: result.Problems, warnings: result.Warnings, printed: map[string]string{}}
	for _, change := range result.Changes {
		text := markerLine.ReplaceAllString(string(change.Content()), "")
		f.printed[change.Path] = strings.ReplaceAll(text, `\n\n\nPossible enum values`, `\n\nPossible enum values`)
	}
	return f
}
