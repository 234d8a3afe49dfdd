package generators_test

import (
	"fmt"
	"os"
	"path/filepath"
	"reflect"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/typeplane/typeplane/generators"
	"github.com/typeplane/typeplane/generators/deepcopy"
	"github.com/typeplane/typeplane/generators/register"

	"golang.org/x/tools/txtar"
)

// house is a folder with a module, one that stands in for another, and room for a workspace.
const house = `
-- main/go.mod --
module example.com

go 1.26

require example.org/part v0.0.0

replace example.org/part => ../part
-- main/v1/doc.go --
// +k8s:deepcopy-gen=package
package v1
-- main/v1/types.go --
package v1

import (
	"example.com/deep/hidden"
	"example.org/part"
)

type Book struct {
	Parts []part.Part
	Words []hidden.Word
}
-- main/v1/windows.go --
//go:build windows

package v1

type Window struct{ Panes []string }
-- main/v1/types_test.go --
package v1
-- main/plain/plain.go --
package plain

type Plain struct{ Words []string }
-- main/deep/hidden/hidden.go --
package hidden

type Word struct{ Letters []string }

func (in *Word) DeepCopyInto(out *Word) { *out = *in }
-- main/target.txt --
package plain
-- part/go.mod --
module example.org/part

go 1.26
-- part/part.go --
package part

type Part struct{ Words string }
-- empty/file --
`

// estate writes the house with old times to a temporary folder.
func estate(t *testing.T) string {
	t.Helper()
	dir, err := filepath.EvalSymlinks(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	for _, f := range txtar.Parse([]byte(house)).Files {
		name := filepath.Join(dir, f.Name)
		if err := os.MkdirAll(filepath.Dir(name), 0o755); err != nil {
			t.Fatal(err)
		}
		write(t, dir, f.Name, string(f.Data))
	}
	if err := os.Symlink("../target.txt", filepath.Join(dir, "main/plain/linked.go")); err != nil {
		t.Fatal(err)
	}
	age(t, dir)
	return dir
}

// age makes everything look untouched for an hour.
func age(t *testing.T, dir string) {
	t.Helper()
	old := time.Now().Add(-time.Hour)
	err := filepath.WalkDir(dir, func(name string, _ os.DirEntry, err error) error {
		if err == nil {
			err = os.Chtimes(name, old, old)
		}
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
}

func houseConfig(dir string) generators.Config {
	return generators.Config{
		Dir: filepath.Join(dir, "main"), Env: append(os.Environ(), "GOFLAGS=", "GOPROXY=off", "GOWORK="), Patterns: []string{"./v1", "./plain/..."},
		Plugins: []generators.Plugin{deepcopy.Plugin(), register.Plugin()}, Cache: filepath.Join(dir, "cache"),
	}
}

func mustRun(t *testing.T, cfg generators.Config) generators.Result {
	t.Helper()
	result, err := generators.Run(cfg)
	if err != nil {
		t.Fatal(err)
	}
	return result
}

// settled runs until nothing is left to do, which must be soon.
func settled(t *testing.T, cfg generators.Config, dir string) {
	t.Helper()
	for range 4 {
		age(t, dir)
		if mustRun(t, cfg).UpToDate {
			return
		}
	}
	t.Fatal("gen never finds that all is up to date")
}

// TestEveryChangeIsSeen changes each kind of thing that a run reads, with sizes and times kept where that is possible:
// the next run must do its work.
func TestEveryChangeIsSeen(t *testing.T) {
	type world struct {
		dir string
		cfg *generators.Config
	}
	put := func(name, text string) func(*testing.T, world) {
		return func(t *testing.T, w world) {
			if err := os.MkdirAll(filepath.Dir(filepath.Join(w.dir, name)), 0o755); err != nil {
				t.Fatal(err)
			}
			write(t, w.dir, name, text)
		}
	}
	remove := func(name string) func(*testing.T, world) {
		return func(t *testing.T, w world) {
			if err := os.Remove(filepath.Join(w.dir, name)); err != nil {
				t.Fatal(err)
			}
		}
	}
	env := func(variable string) func(*testing.T, world) {
		return func(_ *testing.T, w world) { w.cfg.Env = append(w.cfg.Env, variable) }
	}
	for name, change := range map[string]func(*testing.T, world){
		"a source of the same size":      put("main/plain/plain.go", "package plain\n\ntype Plain struct{ Birds []string }\n"),
		"a tag in a package without":     put("main/plain/plain.go", "package plain\n\n// +k8s:deepcopy-gen=true\ntype Plain struct{}\n"),
		"what a link leads to":           put("main/target.txt", "package plain\n\nvar X int\n"),
		"a new file":                     put("main/v1/more.go", "package v1\n\ntype More struct{}\n"),
		"a file less":                    remove("main/v1/windows.go"),
		"a file for another system":      put("main/v1/windows.go", "package v1\n\ntype Window struct{ Panes []string }\n"),
		"a new package":                  put("main/plain/sub/sub.go", "// +k8s:deepcopy-gen=package\npackage sub\n\ntype Sub struct{}\n"),
		"a new package beside":           put("main/other/doc.go", "// +groupName=x\npackage other\n"),
		"a package no pattern names":     put("main/deep/hidden/hidden.go", "package hidden\n\ntype Word struct{ Letters string }\n"),
		"a file there":                   put("main/deep/hidden/more.go", "package hidden\n"),
		"a folder becomes a module":      put("main/plain/go.mod", "module example.net\n"),
		"go.mod":                         put("main/go.mod", "module example.com\n\ngo 1.25\n\nrequire example.org/part v0.0.0\n\nreplace example.org/part => ../part\n"),
		"go.sum":                         put("main/go.sum", "\n"),
		"go.work":                        put("go.work", "go 1.26\n\nuse (\n\t./main\n\t./part\n)\n"),
		"vendor/modules.txt":             put("main/vendor/modules.txt", ""),
		"a module that stands in":        put("part/part.go", "package part\n\ntype Part struct{ Words []int }\n"),
		"a file in it":                   put("part/more.go", "package part\n"),
		"its go.mod":                     put("part/go.mod", "module example.org/part\n\ngo 1.25\n"),
		"an output is changed":           put("main/v1/zz_generated.deepcopy.go", "// Code generated by deepcopy-gen. DO NOT EDIT.\n\npackage v1\n"),
		"an output is gone":              remove("main/v1/zz_generated.deepcopy.go"),
		"an output nobody asks for":      put("main/plain/zz_generated.deepcopy.go", "// Code generated by deepcopy-gen. DO NOT EDIT.\n\npackage plain\n"),
		"an output of another generator": put("main/v1/zz_generated.register.go", "// Code generated by register-gen. DO NOT EDIT.\n\npackage v1\n"),
		"a page":                         put("main/docs/api/x.md", "x"),
		"build tags":                     env("GOFLAGS=-tags=x"),
		"the system":                     env("GOOS=windows"),
		"cgo":                            env("CGO_ENABLED=0"),
		"the file with the environment": func(t *testing.T, w world) {
			env("GOENV="+filepath.Join(w.dir, "goenv"))(t, w)
			write(t, w.dir, "goenv", "GOFLAGS=-tags=y\n")
		},
		"the header":                  func(_ *testing.T, w world) { w.cfg.Header = "// Owned." },
		"what unknown tags are":       func(_ *testing.T, w world) { w.cfg.WarnUnknownTags = true },
		"another flag":                func(_ *testing.T, w world) { w.cfg.CacheKey = []string{"style=new"} },
		"the patterns":                func(_ *testing.T, w world) { w.cfg.Patterns = []string{"./..."} },
		"fewer generators":            func(_ *testing.T, w world) { w.cfg.Plugins = w.cfg.Plugins[:1] },
		"more tags that are known":    func(_ *testing.T, w world) { w.cfg.Known = []generators.Plugin{{Name: "another"}} },
		"the manifest is gone":        func(t *testing.T, w world) { emptyFolder(t, w.cfg.Cache, nil) },
		"the manifest is nonsense":    func(t *testing.T, w world) { emptyFolder(t, w.cfg.Cache, []byte("{")) },
		"the cache is another folder": func(t *testing.T, w world) { w.cfg.Cache = filepath.Join(w.dir, "cache2") },
		"the cache is turned off":     func(t *testing.T, w world) { w.cfg.Cache = "" },
		"a flag that replaces files":  env("GOFLAGS=-overlay=" + os.DevNull),
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			dir := estate(t)
			cfg := houseConfig(dir)
			settled(t, cfg, dir)
			change(t, world{dir, &cfg})
			age(t, dir)
			if result, err := generators.Run(cfg); err == nil && result.UpToDate {
				t.Error("a run says that all is up to date")
			}
		})
	}
}

// emptyFolder removes the files of a folder, or fills them with something else.
func emptyFolder(t *testing.T, dir string, with []byte) {
	t.Helper()
	files, err := filepath.Glob(filepath.Join(dir, "*"))
	if err != nil || len(files) == 0 {
		t.Fatalf("%s is empty: %v", dir, err)
	}
	for _, file := range files {
		if err := os.Remove(file); err != nil {
			t.Fatal(err)
		}
		if with != nil {
			write(t, dir, filepath.Base(file), string(with))
		}
	}
}

// TestWhatDoesNotMatter touches what no run reads: the next one has nothing to do.
func TestWhatDoesNotMatter(t *testing.T) {
	dir := estate(t)
	cfg := houseConfig(dir)
	settled(t, cfg, dir)
	write(t, dir, "main/v1/types_test.go", "package v1\n\nvar x int\n")
	write(t, dir, "main/notes.txt", "nothing")
	now := time.Now()
	if err := os.Chtimes(filepath.Join(dir, "main/v1/types.go"), now, now); err != nil {
		t.Fatal(err)
	}
	cfg.Verify = true
	if result := mustRun(t, cfg); !result.UpToDate || len(result.OutOfDate()) > 0 {
		t.Errorf("got %v", states(result))
	}
}

// TestFirstRunIsRemembered shows that the run which writes is enough, and what does not get remembered.
func TestFirstRunIsRemembered(t *testing.T) {
	dir := estate(t)
	cfg := houseConfig(dir)
	if mustRun(t, cfg).UpToDate || !mustRun(t, cfg).UpToDate {
		t.Error("a run that wrote all was not remembered")
	}
	if err := os.Remove(filepath.Join(dir, "main/v1/zz_generated.deepcopy.go")); err != nil {
		t.Fatal(err)
	}
	cfg.Verify = true
	for range 2 {
		expect(t, states(mustRun(t, cfg)), "v1/zz_generated.deepcopy.go: missing")
	}
	cfg.Verify = false
	write(t, dir, "main/plain/plain.go", "package plain\n\n// +k8s:deepcopy-gne=true\ntype Plain struct{}\n")
	for range 2 {
		if got := mustRun(t, cfg); len(got.Problems) != 1 {
			t.Errorf("problems are forgotten: %v", states(got))
		}
	}
	cfg.WarnUnknownTags = true
	for range 2 {
		if got := mustRun(t, cfg); len(got.Warnings) != 1 {
			t.Errorf("warnings are forgotten: %v", states(got))
		}
	}
}

// TestChangeWhileItRuns edits a source between loading and writing; what was written is then of the past.
func TestChangeWhileItRuns(t *testing.T) {
	for name, edit := range map[string]func(t *testing.T, dir string){
		"a source":  func(t *testing.T, dir string) { write(t, dir, "main/plain/plain.go", "package plain\n") },
		"a package": func(t *testing.T, dir string) { write(t, dir, "main/more.go", "package main\n") },
		"an output": func(t *testing.T, dir string) {
			write(t, dir, "main/plain/zz_generated.deepcopy.go", "package plain\n")
		},
		"a module that stands in": func(t *testing.T, dir string) {
			write(t, dir, "part/part.go", "package part\n\ntype Part struct{ Words []int }\n")
		},
	} {
		t.Run(name, func(t *testing.T) {
			dir := estate(t)
			cfg := houseConfig(dir)
			generate := cfg.Plugins[1].Generate
			once := sync.OnceFunc(func() { edit(t, dir) })
			cfg.Plugins[1].Generate = func(p *generators.Pass) { generate(p); once() }
			mustRun(t, cfg)
			if mustRun(t, cfg).UpToDate {
				t.Error("a run that is out of date was remembered")
			}
		})
	}
}

// TestCacheFolders runs with folders that cannot be used, and many at a time with one.
func TestCacheFolders(t *testing.T) {
	dir := estate(t)
	cfg := houseConfig(dir)
	cfg.Cache = filepath.Join(dir, "empty/file")
	for range 2 {
		if mustRun(t, cfg).UpToDate {
			t.Error("up to date without a manifest")
		}
	}
	cfg = houseConfig(dir)
	var all sync.WaitGroup
	for range 6 {
		all.Go(func() {
			if _, err := generators.Run(cfg); err != nil {
				t.Error(err)
			}
		})
	}
	all.Wait()
	settled(t, cfg, dir)
	if left, _ := filepath.Glob(filepath.Join(cfg.Cache, "new-*")); left != nil {
		t.Errorf("temporary files are left: %v", left)
	}
}

// TestConfigIsInTheKey makes whoever adds a field to Config decide whether the outcome depends on it.
func TestConfigIsInTheKey(t *testing.T) {
	inKey := []string{"Dir", "Env", "Patterns", "Plugins", "Known", "Header", "WarnUnknownTags", "CacheKey"}
	harmless := []string{"Verify", "Cache", "Shared", "Log"}
	for f := range reflect.TypeFor[generators.Config]().Fields() {
		if !slices.Contains(slices.Concat(inKey, harmless), f.Name) {
			t.Errorf("Config.%s: put it into the query in memory.go, or say here that the outcome does not depend on it", f.Name)
		}
	}
}

// TestNothingChangedTouchesNothing compares times of all files around a run that finds nothing to do the long way.
func TestNothingChangedTouchesNothing(t *testing.T) {
	dir := estate(t)
	cfg := houseConfig(dir)
	cfg.Cache = ""
	mustRun(t, cfg)
	age(t, dir)
	before := times(t, dir)
	mustRun(t, cfg)
	if after := times(t, dir); after != before {
		t.Errorf("before:\n%s\nafter:\n%s", before, after)
	}
}

func times(t *testing.T, dir string) string {
	t.Helper()
	var b strings.Builder
	err := filepath.WalkDir(dir, func(name string, entry os.DirEntry, err error) error {
		if err != nil {
			return err
		}
		info, err := entry.Info()
		fmt.Fprintln(&b, name, info.ModTime())
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	return b.String()
}
