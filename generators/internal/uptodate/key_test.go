package uptodate

import (
	"os"
	"path/filepath"
	"testing"
)

// What cannot be changed in a test of whole runs: the program itself, and the version of Go.
func TestKey(t *testing.T) {
	env := goEnv{map[string]string{"GOVERSION": "go1.26.8"}}
	q := Query{Patterns: []string{"./..."}, Names: []string{"a.go"}, Salt: []string{"x", "y"}}
	seen := map[string]string{key("/d", "p", env, q): "the first"}
	for name, other := range map[string]string{
		"another program":       key("/d", "p2", env, q),
		"another folder":        key("/e", "p", env, q),
		"another Go":            key("/d", "p", goEnv{map[string]string{"GOVERSION": "go1.27"}}, q),
		"another pattern":       key("/d", "p", env, Query{Patterns: []string{"./v1"}, Names: q.Names, Salt: q.Salt}),
		"salt cut elsewhere":    key("/d", "p", env, Query{Patterns: q.Patterns, Names: q.Names, Salt: []string{"xy"}}),
		"another word's number": key("/d", "p", env, Query{Patterns: q.Patterns, Names: []string{"a.go", "x"}, Salt: []string{"y"}}),
	} {
		if seen[other] != "" {
			t.Errorf("%s has the key of %s", name, seen[other])
		}
		seen[other] = name
	}
}

func TestProgramHash(t *testing.T) {
	name, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	data, err := os.ReadFile(name)
	if err != nil {
		t.Fatal(err)
	}
	if got, err := programHash(); err != nil || got != hash(data) {
		t.Errorf("%q, %v", got, err)
	}
}

func TestScope(t *testing.T) {
	root := filepath.FromSlash("/m")
	s := scope{Roots: []string{root}, Folders: []string{"/part"}, Files: []string{"/go.work"}}
	for path, want := range map[string]bool{
		"/m/a.go": true, "/m/b/c/a.go": true, "/m/.git/a.go": false, "/m/b/testdata/a.go": false, "/m/_x/y/a.go": false,
		"/part/a.go": true, "/part/b/a.go": false, "/go.work": true, "/go.mod": false, "/mm/a.go": false,
	} {
		if got := s.covers(filepath.FromSlash(path)); got != want {
			t.Errorf("covers %s: %v", path, got)
		}
	}
}
