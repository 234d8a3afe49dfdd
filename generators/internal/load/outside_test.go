package load_test

import (
	gotypes "go/types"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"

	"github.com/typeplane/typeplane/generators/internal/diag"
	"github.com/typeplane/typeplane/generators/internal/load"
)

// around is a module with the type Book, which uses the package of another module. A test adds the
// files of that package.
const around = `
-- go.mod --
module example.com

go 1.26.0

require example.org/dep v0.0.0

replace example.org/dep => ./dep
-- base/base.go --
package base

type Base struct{ Word string }
-- v1/types.go --
// +k8s:deepcopy-gen=package
package v1

import (
	"example.com/base"
	"example.org/dep"
)

type Book struct {
	Part dep.Part
	Base base.Base
}
-- dep/go.mod --
module example.org/dep

go 1.26.0
`

// loadAround loads the module around a package of another module, and returns the problems.
func loadAround(t *testing.T, files string, env ...string) (*load.Set, []string) {
	t.Helper()
	report := &diag.Report{}
	set, err := load.Load(load.Config{Dir: write(t, around+files), Env: append(offline(), env...), Patterns: []string{"./v1"}, Report: report})
	if err != nil {
		t.Fatal(err)
	}
	var problems []string
	for _, p := range report.Problems() {
		problems = append(problems, p.String())
	}
	return set, problems
}

// TestOutside has packages of other modules in many forms. The type Part is known in each of them,
// as it is written here.
func TestOutside(t *testing.T) {
	for name, tc := range map[string]struct {
		files, want string
		env         []string
	}{
		"cgo": {
			files: "-- dep/part.go --\npackage dep\n\n// #include <none.h>\nimport \"C\"\n\ntype Part struct{ Size int }\n\nfunc size() C.int { return C.size() }\n\nvar limit C.int = 3\n",
			want:  "struct{Size int}",
			env:   []string{"CGO_ENABLED=1"},
		},
		"without cgo": {
			files: "-- dep/c.go --\npackage dep\n\nimport \"C\"\n\ntype Part struct{ Size int }\n-- dep/other.go --\n//go:build !cgo\n\npackage dep\n\ntype Part struct{ Size int32 }\n",
			want:  "struct{Size int32}",
			env:   []string{"CGO_ENABLED=0"},
		},
		"a vendored package of the standard library": {
			files: "-- dep/part.go --\npackage dep\n\nimport \"net/http\"\n\ntype Part struct{ State http.ConnState }\n",
			want:  "struct{State net/http.ConnState}",
		},
		"a build tag": {
			files: "-- dep/part.go --\n//go:build !special\n\npackage dep\n\ntype Part string\n-- dep/special.go --\n//go:build special\n\npackage dep\n\ntype Part int\n",
			want:  "int",
			env:   []string{"GOFLAGS=-tags=special"},
		},
		"another processor": {
			files: "-- dep/part_386.go --\npackage dep\n\nimport \"unsafe\"\n\ntype Part [unsafe.Sizeof(uintptr(0))]byte\n-- dep/part_amd64.go --\npackage dep\n\ntype Part string\n",
			want:  "[4]byte",
			env:   []string{"GOARCH=386"},
		},
		"an error in a function body": {
			files: "-- dep/part.go --\npackage dep\n\ntype Part string\n\nfunc f() int { return undefined + \"\" }\n\nfunc g() { := }\n",
			want:  "string",
		},
		"an import that leads nowhere, for a function body": {
			files: "-- dep/part.go --\npackage dep\n\nimport \"nowhere.example.com/words\"\n\ntype Part string\n\nfunc f() { words.Print() }\n",
			want:  "string",
		},
		"a package with an error, for a function body": {
			files: "-- dep/part.go --\npackage dep\n\nimport \"example.org/dep/words\"\n\ntype Part string\n\nvar _ Part = words.Word\n\nfunc f() { words.Print() }\n-- dep/words/words.go --\npackage words\n\ntype Word strin\n",
			want:  "string",
		},
		"an error in a declaration that no exported one needs": {
			files: "-- dep/part.go --\npackage dep\n\nimport \"example.org/dep/words\"\n\ntype Part string\n\nfunc f(words.Word) {}\n\nvar v = undefined()\n\ntype t struct{ words.Word }\n\nfunc (t) Method(undefined) {}\n-- dep/words/words.go --\npackage words\n\ntype Word strin\n",
			want:  "string",
		},
		"unexported declarations that an exported one needs": {
			files: "-- dep/part.go --\npackage dep\n\ntype Part struct {\n\tinner\n\tlist[int]\n\tA [length]int\n}\n\nconst (\n\tfirst = iota + 2\n\tlength\n)\n-- dep/inner.go --\npackage dep\n\ntype inner struct{ words words }\n\ntype words []string\n\ntype list[T any] []T\n\nfunc (*list[T]) Add(T) {}\n\nfunc made() words { return nil }\n\nvar Made = made()\n",
			want:  "struct{example.org/dep.inner; example.org/dep.list[int]; A [3]int}",
		},
		"functions in assembly": {
			files: "-- dep/part.go --\npackage dep\n\ntype Part string\n\nfunc add(a, b int) int\n-- dep/add_amd64.s --\n// nothing\n",
			want:  "string",
		},
		"generic code": {
			files: "-- dep/part.go --\npackage dep\n\nimport (\n\t\"cmp\"\n\n\t\"example.org/dep/pair\"\n)\n\ntype Part pair.Pair[string, []int]\n\nfunc Max[T cmp.Ordered](a, b T) T { return max(a, b) }\n\nfunc (p Part) First() string { return p.Key }\n-- dep/pair/pair.go --\npackage pair\n\ntype Pair[K comparable, V any] struct {\n\tKey K\n\tValue V\n}\n\nfunc (p *Pair[K, V]) Set(k K, v V) { p.Key, p.Value = k, v }\n",
			want:  "struct{Key string; Value []int}",
		},
		"interfaces of several packages": {
			files: "-- dep/part.go --\npackage dep\n\nimport (\n\t\"fmt\"\n\t\"io\"\n)\n\ntype Part interface {\n\tio.ReadCloser\n\tfmt.Stringer\n\tOwn()\n}\n",
			want:  "interface{Own(); io.ReadCloser; fmt.Stringer}",
		},
		"a dot import": {
			files: "-- dep/part.go --\npackage dep\n\nimport . \"time\"\n\ntype Part struct{ At Time }\n",
			want:  "struct{At time.Time}",
		},
		"a blank import": {
			files: "-- dep/part.go --\npackage dep\n\nimport (\n\t_ \"embed\"\n\t_ \"nowhere.example.com/words\"\n)\n\n//go:embed none.txt\nvar text string\n\ntype Part string\n",
			want:  "string",
		},
		"a package under another name than its folder": {
			files: "-- dep/part.go --\npackage dep\n\nimport \"example.org/dep/v2\"\n\ntype Part struct{ Word words.Word }\n-- dep/v2/words.go --\npackage words\n\ntype Word string\n",
			want:  "struct{Word example.org/dep/v2.Word}",
		},
		"a cycle through test files": {
			files: "-- dep/part.go --\npackage dep\n\ntype Part string\n-- dep/part_test.go --\npackage dep\n\nimport _ \"example.org/dep/words\"\n-- dep/words/words.go --\npackage words\n\nimport \"example.org/dep\"\n\ntype Word dep.Part\n",
			want:  "string",
		},
	} {
		t.Run(name, func(t *testing.T) {
			set, problems := loadAround(t, tc.files, tc.env...)
			if len(problems) > 0 {
				t.Fatal(problems)
			}
			part := set.Package("example.org/dep").Go.Scope().Lookup("Part")
			if got := gotypes.TypeString(part.Type().Underlying(), nil); got != tc.want {
				t.Errorf("%s, want %s", got, tc.want)
			}
			if set.Package("example.org/dep").Types.Types["Part"] == nil {
				t.Error("Part is not in the model")
			}
		})
	}
}

// TestOutsideFaults has packages that cannot be imported. The problem is at the import, with the
// place of the fault and a cure.
func TestOutsideFaults(t *testing.T) {
	const at = "v1/types.go:6:2: cannot import example.org/dep: "
	for name, tc := range map[string]struct{ files, want string }{
		"an error in a declaration": {
			"-- dep/part.go --\npackage dep\n\ntype Part struct{ Word Wrod }\n",
			at + "dep/part.go:3:24: undefined: Wrod; correct the file, or require another version of example.org/dep",
		},
		"an error in a package behind it": {
			"-- dep/part.go --\npackage dep\n\nimport \"example.org/dep/words\"\n\ntype Part words.Word\n-- dep/words/words.go --\npackage words\n\ntype Word strin\n",
			at + "dep/words/words.go:3:11: undefined: strin; correct the file, or require another version of example.org/dep",
		},
		"a syntax error": {
			"-- dep/part.go --\npackage dep\n\ntype Part struct{ Word\n",
			at + "dep/part.go:3:24: expected '}', found 'EOF'; correct the file, or require another version of example.org/dep",
		},
		"an import that leads nowhere": {
			"-- dep/part.go --\npackage dep\n\nimport \"nowhere.example.com/words\"\n\ntype Part words.Word\n",
			at + "no required module provides package nowhere.example.com/words; run go get nowhere.example.com/words",
		},
		"no files": {
			"-- dep/part.go --\n//go:build special\n\npackage dep\n\ntype Part string\n",
			at + "build constraints exclude all Go files in ",
		},
		"a cycle": {
			"-- dep/part.go --\npackage dep\n\nimport \"example.org/dep/words\"\n\ntype Part struct{ *words.Word }\n-- dep/words/words.go --\npackage words\n\nimport \"example.org/dep\"\n\ntype Word struct{ *dep.Part }\n",
			at + "import cycle: example.org/dep/words and example.org/dep import each other",
		},
	} {
		t.Run(name, func(t *testing.T) {
			set, problems := loadAround(t, tc.files)
			if len(problems) != 1 || !strings.HasPrefix(problems[0], tc.want) {
				t.Errorf("%q, want %q", problems, tc.want)
			}
			if set.Package("example.org/dep") != nil {
				t.Error("the package can be had")
			}
		})
	}
}

// TestOutsideMethods shows which methods of another module count: all in go/types, but in the model
// not those of generated files.
func TestOutsideMethods(t *testing.T) {
	set, problems := loadAround(t, `
-- dep/part.go --
package dep

type Part struct{}

func (Part) Own() {}
-- dep/zz_generated.deepcopy.go --
//go:build !ignore_autogenerated

// Code generated by deepcopy-gen. DO NOT EDIT.

package dep

func (p *Part) DeepCopyInto(out *Part) { *out = *p }
-- dep/enum_gen.go --
// Code generated by another tool. DO NOT EDIT.

package dep

func (Part) Enum() {}
`)
	if len(problems) > 0 {
		t.Fatal(problems)
	}
	dep := set.Package("example.org/dep")
	all := gotypes.NewMethodSet(gotypes.NewPointer(dep.Go.Scope().Lookup("Part").Type()))
	equal(t, "methods in go/types", all.Len(), 3)
	methods := dep.Types.Types["Part"].Methods
	equal(t, "methods in the model", len(methods), 2)
	equal(t, "own method", methods["Own"] != nil, true)
	equal(t, "method of another tool", methods["Enum"] != nil, true)
}

// TestOutsideImportsMain: a package of another module that imports one of the main module has the
// same types as that, whether generated code is there or not.
func TestOutsideImportsMain(t *testing.T) {
	set, problems := loadAround(t, `
-- dep/part.go --
package dep

import "example.com/base"

type Part struct{ Base base.Base }
-- base/zz_generated.deepcopy.go --
package base

func (b *Base) DeepCopyInto(out *Base) { *out = *b }
`)
	if len(problems) > 0 {
		t.Fatal(problems)
	}
	book := set.Packages[0].Types.Types["Book"]
	part, base := member(book, "Part").Type, member(book, "Base").Type
	equal(t, "type in the model", member(part, "Base").Type, base)
	equal(t, "type in go/types", gotypes.Identical(member(part, "Base").Type.GoType, base.GoType), true)
	equal(t, "package", set.Package("example.com/base").Go == base.GoType.(*gotypes.Named).Obj().Pkg(), true)
	method, _, _ := gotypes.LookupFieldOrMethod(gotypes.NewPointer(base.GoType), true, nil, "DeepCopyInto")
	equal(t, "generated method", method == nil, true)
}

// TestOverlay replaces a file of the main module and one of another module.
func TestOverlay(t *testing.T) {
	dir := write(t, around+`
-- dep/part.go --
package dep

type Part string
-- other/part.go --
package dep

type Part int
-- other/base.go --
package base

type Base struct{ Words []string }
-- overlay.json --
{"Replace": {"dep/part.go": "other/part.go", "base/base.go": "other/base.go"}}
`)
	set, err := load.Load(load.Config{Dir: dir, Env: append(offline(), "GOFLAGS=-mod=mod -overlay=overlay.json"), Patterns: []string{"./v1"}})
	if err != nil {
		t.Fatal(err)
	}
	book := set.Packages[0].Types.Types["Book"]
	equal(t, "another module", member(book, "Part").Type.Underlying.Name.Name, "int")
	equal(t, "the main module", member(book, "Base").Type.Members[0].Name, "Words")
}

// TestSharedPackages: runs at the same time that share packages of other modules have the same
// types, and no other problems than a run alone.
func TestSharedPackages(t *testing.T) {
	const files = "-- dep/part.go --\npackage dep\n\nimport \"time\"\n\ntype Part struct{ At time.Time }\n"
	shared := new(load.Shared)
	dir := write(t, around+files)
	var found [8]gotypes.Type
	var all sync.WaitGroup
	for i := range found {
		all.Go(func() {
			report := &diag.Report{}
			set, err := load.Load(load.Config{Dir: dir, Env: offline(), Patterns: []string{"./v1"}, Report: report, Shared: shared})
			if err != nil || len(report.Problems()) > 0 {
				t.Error(err, report.Problems())
				return
			}
			part := member(set.Packages[0].Types.Types["Book"], "Part").Type
			found[i] = member(part, "At").Type.GoType
			if set.Package("example.com/nowhere") != nil || set.Package("nowhere.example.com/words") != nil {
				t.Error("packages that do not exist can be had")
			}
			if set.Package("net/url") == nil || set.DependencyComments("time") != nil {
				t.Error("packages cannot be had later")
			}
			if len(set.Comments(member(part, "At").Type).Near.Lines()) == 0 {
				t.Error("time.Time has no comment")
			}
		})
	}
	all.Wait()
	for _, other := range found[1:] {
		if found[0] == nil || !gotypes.Identical(found[0], other) {
			t.Errorf("%v and %v are different", found[0], other)
		}
	}
}

// TestCompilesNothing: after a run with an empty build cache there is no compiled package in it.
// There need not be a home folder either.
func TestCompilesNothing(t *testing.T) {
	dir := write(t, around+"-- dep/part.go --\npackage dep\n\nimport \"net/http\"\n\ntype Part struct{ Header http.Header }\n")
	cache := t.TempDir()
	modules, err := exec.Command("go", "env", "GOMODCACHE").Output()
	if err != nil {
		t.Fatal(err)
	}
	env := []string{"PATH=" + os.Getenv("PATH"), "GOCACHE=" + cache, "GOMODCACHE=" + strings.TrimSpace(string(modules)), "GOPATH=" + t.TempDir(), "GOPROXY=off", "GOTOOLCHAIN=local", "GOWORK=off"}
	report := &diag.Report{}
	set, err := load.Load(load.Config{Dir: dir, Env: env, Patterns: []string{"./..."}, Report: report, Whole: true})
	if err != nil || len(report.Problems()) > 0 {
		t.Fatal(err, report.Problems())
	}
	part := member(set.Packages[0].Types.Types["Book"], "Part").Type
	equal(t, "type", member(part, "Header").Type.String(), "net/http.Header")
	err = filepath.WalkDir(cache, func(name string, entry fs.DirEntry, err error) error {
		if err != nil || entry.IsDir() {
			return err
		}
		text, err := os.ReadFile(name)
		if strings.HasPrefix(string(text), "!<arch>\n") {
			t.Errorf("%s is a compiled package", name)
		}
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
}

// TestFoldersOfOutside: the folders of all packages that were read are known, so that a change in
// one of them is noticed.
func TestFoldersOfOutside(t *testing.T) {
	set, _ := loadAround(t, "-- dep/part.go --\npackage dep\n\nimport \"example.org/dep/words\"\n\ntype Part words.Word\n-- dep/words/words.go --\npackage words\n\ntype Word string\n")
	for _, want := range []string{"v1", "base", "dep", "dep/words"} {
		if !slices.ContainsFunc(set.Folders(), func(dir string) bool { return strings.HasSuffix(dir, "/"+want) }) {
			t.Errorf("%s is missing in %v", want, set.Folders())
		}
	}
}
