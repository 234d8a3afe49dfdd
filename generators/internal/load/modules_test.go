package load_test

import (
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"golang.org/x/tools/txtar"

	"github.com/typeplane/typeplane/generators/internal/diag"
	"github.com/typeplane/typeplane/generators/internal/load"
)

// write unpacks an archive into a new folder.
func write(t *testing.T, text string) string {
	t.Helper()
	dir, err := filepath.EvalSymlinks(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	for _, f := range txtar.Parse([]byte(text)).Files {
		name := filepath.Join(dir, f.Name)
		if err := os.MkdirAll(filepath.Dir(name), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(name, f.Data, 0o644); err != nil {
			t.Fatal(err)
		}
	}
	return dir
}

// loaded loads without problems.
func loaded(t *testing.T, dir string, patterns ...string) *load.Set {
	t.Helper()
	report := &diag.Report{}
	env := append(os.Environ(), "GOWORK=", "GOFLAGS=", "GOPROXY=off")
	set, err := load.Load(load.Config{Dir: dir, Env: env, Patterns: patterns, Report: report})
	if err != nil || len(report.Problems()) > 0 {
		t.Fatal(err, report.Problems())
	}
	return set
}

func paths(set *load.Set) string {
	var out []string
	for _, p := range set.Packages {
		out = append(out, p.Path)
	}
	return strings.Join(out, " ")
}

// TestWorkspace shows that all modules of a workspace are main modules: they are read from source,
// so what is generated there may be missing.
func TestWorkspace(t *testing.T) {
	dir := write(t, `
-- go.work --
go 1.26

use (
	./a
	./b
)
-- a/go.mod --
module example.com/a

go 1.26
-- a/v1/a.go --
// +k8s:deepcopy-gen=package
package v1

import "example.org/b"

type A struct{ B b.B }
-- b/go.mod --
module example.org/b

go 1.26
-- b/b.go --
// +k8s:deepcopy-gen=package
package b

type B struct{ Words []string }

func Copy(b *B) *B { return b.DeepCopy() }
`)
	set := loaded(t, filepath.Join(dir, "a"), "./...")
	equal(t, "named", paths(set), "example.com/a/v1")
	b := set.Package("example.org/b")
	equal(t, "main", b.Main, true)
	equal(t, "from source", b.Types.Types["B"].Members[0].Name, "Words")
	set = loaded(t, dir, "./a/...", "./b")
	equal(t, "named in both", paths(set), "example.com/a/v1 example.org/b")
}

// TestLinks shows that a linked file is one of the folder it is linked in, and that a run in a
// linked folder keeps the names that the user knows.
func TestLinks(t *testing.T) {
	dir := write(t, `
-- real/go.mod --
module example.com

go 1.26
-- real/v1/doc.go --
// +k8s:deepcopy-gen=package
package v1
-- elsewhere/types.go --
package v1

// Book is in a linked file.
type Book struct{ Words []string }
`)
	for link, to := range map[string]string{"real/v1/types.go": "../../elsewhere/types.go", "known": "real"} {
		if err := os.Symlink(to, filepath.Join(dir, link)); err != nil {
			t.Fatal(err)
		}
	}
	set := loaded(t, filepath.Join(dir, "known"), "./...")
	v1 := set.Packages[0]
	equal(t, "folder", v1.Dir, filepath.Join(dir, "known", "v1"))
	equal(t, "position", set.TypePos(v1.Types.Types["Book"]).String(), filepath.FromSlash("v1/types.go:4:6"))
	equal(t, "comment", lines(set.Comments(v1.Types.Types["Book"]).Near), "Book is in a linked file.")
}

// TestPackagesThatPatternsDoNotName are those of the main module that others import, and that those
// import.
func TestPackagesThatPatternsDoNotName(t *testing.T) {
	dir := write(t, `
-- go.mod --
module example.com

go 1.26
-- v1/types.go --
// +k8s:deepcopy-gen=package
package v1

import "example.com/internal/one"

type Book struct{ One one.One }
-- internal/one/one.go --
package one

import "example.com/internal/one/two"

type One struct{ Two two.Two }
-- internal/one/two/two.go --
package two

import "time"

type Two struct{ Time time.Time }
`)
	set := loaded(t, dir, "./v1")
	one := member(set.Packages[0].Types.Types["Book"], "One").Type
	equal(t, "type", member(member(one, "Two").Type, "Time").Type.String(), "time.Time")
	if got := set.Folders(); !slices.Contains(got, filepath.Join(dir, "internal/one/two")) {
		t.Errorf("folders: %v", got)
	}
	equal(t, "found later", set.Package("example.com/nowhere") == nil, true)
	if got := set.Folders(); !slices.Contains(got, filepath.Join(dir, "nowhere")) {
		t.Errorf("a folder that was looked for is not among %v", got)
	}
}

// TestImportCycle has a problem at the import that closes the circle.
func TestImportCycle(t *testing.T) {
	dir := write(t, `
-- go.mod --
module example.com

go 1.26
-- a/a.go --
// +k8s:deepcopy-gen=package
package a

import "example.com/b"

type A struct{ B *b.B }
-- b/b.go --
// +k8s:deepcopy-gen=package
package b

import "example.com/a"

type B struct{ A *a.A }
`)
	report := &diag.Report{}
	if _, err := load.Load(load.Config{Dir: dir, Env: append(os.Environ(), "GOWORK=off", "GOFLAGS="), Patterns: []string{"./..."}, Report: report}); err != nil {
		t.Fatal(err)
	}
	const want = "b/b.go:4:8: cannot import example.com/a, which imports this package; move what both need into a third package"
	if got := report.Problems(); len(got) != 1 || got[0].String() != want {
		t.Errorf("got %v, want %s", got, want)
	}
}

// TestLostImportOnTheWay: an import that leads nowhere stops nothing in a package without tags of
// which no type with it is needed.
func TestLostImportOnTheWay(t *testing.T) {
	dir := write(t, `
-- go.mod --
module example.com

go 1.24
-- v1/types.go --
// +k8s:deepcopy-gen=package
package v1

import "example.com/words"

type Book struct{ Words words.List }

func (b *Book) Print() { words.Print(b.Words) }
-- words/words.go --
package words

import "nowhere.example.com/print"

type List []string

type Printer struct{ print.Printer }

func Print(l List) { print.All(l) }
`)
	report := &diag.Report{}
	if _, err := load.Load(load.Config{Dir: dir, Env: append(os.Environ(), "GOWORK=off", "GOFLAGS="), Patterns: []string{"./..."}, Report: report}); err != nil {
		t.Fatal(err)
	}
	if got := report.Problems(); len(got) > 0 {
		t.Errorf("got %v", got)
	}
}

// TestLostImportBehindOthers: what keeps several packages of another module from being imported is
// said once, with its reason, which lies behind them.
func TestLostImportBehindOthers(t *testing.T) {
	dir := write(t, `
-- go.mod --
module example.com

go 1.24

require example.org/words v0.0.0

replace example.org/words => ./words
-- v1/book.go --
// +k8s:deepcopy-gen=package
package v1

import "example.org/words/list"

type Book struct{ Words list.List }
-- v1/page.go --
package v1

import (
	"example.org/words/list"
	"example.org/words/title"
)

type Page struct{ Words list.List; Title title.Title }
-- words/go.mod --
module example.org/words

go 1.24
-- words/list/list.go --
package list

import "example.org/words/print"

type List []print.Word
-- words/title/title.go --
package title

import "example.org/words/print"

type Title print.Word
-- words/print/print.go --
package print

type Word strin
`)
	report := &diag.Report{}
	if _, err := load.Load(load.Config{Dir: dir, Env: append(os.Environ(), "GOWORK=off", "GOFLAGS="), Patterns: []string{"./..."}, Report: report}); err != nil {
		t.Fatal(err)
	}
	const want = "v1/book.go:4:8: cannot import example.org/words/list: words/print/print.go:3:11: undefined: strin; correct the file, or require another version of example.org/words"
	if got := report.Problems(); len(got) != 1 || got[0].String() != want {
		t.Errorf("got %v, want %s", got, want)
	}
}
