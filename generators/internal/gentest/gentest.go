// Package gentest runs the golden cases of plug-ins: each is a tiny module in a txtar file.
//
// The comment of the archive says in its first line what the case shows. Its files are a module
// called example.com, or what a go.mod among them says. Without a go.mod, the module has the
// requirements of this repository, which stands in it as a replacement. So printed code may import
// the runtime. Then come either sections "want/<file>", which are all files that the plug-ins
// write, or one section "error" with the problems that they report, a line each. A section
// "warning" holds what is warned of, with the names of other modules' files as they are in the
// module cache. What is written must compile; if the case has tests
// ("x_test.go"), they must pass. All cases of a folder are compiled and tested by one go command.
// They are folders of one module whose import paths are "cases.example/<case>/…". So a test must
// not depend on the import path of its own package. A case with a go.mod is compiled by itself.
//
//	go test ./generators/deepcopy -update
//
// rewrites the expectations. Start reading at Run. The package is for tests only and never touches
// the network.
package gentest

import (
	"bytes"
	"flag"
	"fmt"
	"os"
	"os/exec"
	"path"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"sync"
	"testing"

	"github.com/typeplane/typeplane/generators/internal/diag"
	"github.com/typeplane/typeplane/generators/internal/emit"
	"github.com/typeplane/typeplane/generators/internal/generators"
	"github.com/typeplane/typeplane/generators/internal/load"

	"github.com/google/go-cmp/cmp"
	"golang.org/x/tools/txtar"
)

var update = flag.Bool("update", false, "rewrite the expectations of golden cases")

// Update tells whether expectations are to be rewritten, for tests that have some besides golden
// cases.
func Update() bool { return *update }

// Quiet makes a plug-in run whose files are needed to compile those of others, but are not among
// the expectations.
func Quiet(p generators.Plugin) generators.Plugin {
	p.Name = quiet + p.Name
	return p
}

const quiet = "quiet "

// Run runs every case of a folder with these plug-ins, as subtests.
func Run(t *testing.T, dir string, plugins ...generators.Plugin) {
	t.Helper()
	RunWith(t, dir, func(*testing.T, string) {}, plugins...)
}

// RunWith is Run that calls more for the module of each case without problems, before it is
// compiled and tested. more may look at what was printed, and write tests beside it.
func RunWith(t *testing.T, dir string, more func(t *testing.T, module string), plugins ...generators.Plugin) {
	t.Helper()
	files, err := filepath.Glob(filepath.Join(dir, "*.txtar"))
	if err != nil || len(files) == 0 {
		t.Fatalf("no cases in %s: %v", dir, err)
	}
	all := newBatch(t, absolute(t, dir))
	t.Cleanup(func() { all.test(t) }) // after the last parallel case
	for _, file := range files {
		t.Run(caseName(file), func(t *testing.T) {
			t.Parallel()
			runCase(t, file, plugins, more, all)
		})
	}
}

// shared is for all cases that have the requirements of this repository.
var shared load.Shared

func absolute(t testing.TB, dir string) string {
	t.Helper()
	abs, err := filepath.Abs(dir)
	if err != nil {
		t.Fatal(err)
	}
	return abs
}

func caseName(file string) string { return strings.TrimSuffix(filepath.Base(file), ".txtar") }

func runCase(t *testing.T, file string, plugins []generators.Plugin, more func(*testing.T, string), all *batch) {
	archive, err := txtar.ParseFile(file)
	if err != nil {
		t.Fatal(err)
	}
	dir := Module(t, archive)
	cfg := generators.Config{Dir: dir, Env: Env(), Patterns: []string{"./..."}, Plugins: plugins}
	if !hasModule(archive) && !asksForClients(archive) {
		cfg.Shared = &shared
	}
	result, err := generators.Run(cfg)
	if err != nil {
		t.Fatalf("gen: %v", err)
	}
	got := outcome(t, dir, result, unwanted(plugins))
	if *update {
		archive.Files = append(inputs(archive), got...)
		if err := os.WriteFile(file, txtar.Format(archive), 0o644); err != nil {
			t.Fatal(err)
		}
	} else if diff := cmp.Diff(format(wants(archive)), format(got)); diff != "" {
		t.Errorf("%s: run with -update if this is right (-want +got):\n%s", file, diff)
	}
	if len(result.Problems) > 0 {
		return
	}
	more(t, dir)
	if asksForClients(archive) {
		return
	}
	if hasModule(archive) {
		Compile(t, dir, hasTests(archive))
		return
	}
	all.add(t, caseName(file), dir)
}

// unwanted are the names of the files of quiet plug-ins.
func unwanted(plugins []generators.Plugin) map[string]bool {
	out := map[string]bool{}
	for _, p := range plugins {
		for _, o := range p.Outputs {
			out[o.Name] = out[o.Name] || strings.HasPrefix(p.Name, quiet)
		}
	}
	return out
}

// outcome puts what a run did in the form of the expectations.
func outcome(t *testing.T, dir string, result generators.Result, unwanted map[string]bool) []txtar.File {
	var out []txtar.File
	if len(result.Warnings) > 0 {
		out = append(out, txtar.File{Name: "warning", Data: lines(result.Warnings)})
	}
	if len(result.Problems) > 0 {
		return append(out, txtar.File{Name: "error", Data: lines(result.Problems)})
	}
	for _, c := range result.Changes {
		if c.State == emit.Stale || unwanted[filepath.Base(c.Path)] {
			continue
		}
		data, err := os.ReadFile(filepath.Join(dir, c.Path))
		if err != nil {
			t.Fatal(err)
		}
		out = append(out, txtar.File{Name: "want/" + filepath.ToSlash(c.Path), Data: data})
	}
	return out
}

func lines(problems []diag.Problem) []byte {
	var b bytes.Buffer
	for _, p := range problems {
		p.Pos.Filename = strings.TrimPrefix(p.Pos.Filename, moduleCache()+"/")
		fmt.Fprintln(&b, p)
	}
	return b.Bytes()
}

// moduleCache is the folder of the sources of other modules, which has another name elsewhere.
var moduleCache = sync.OnceValue(func() string {
	out, err := exec.Command("go", "env", "GOMODCACHE").Output()
	if err != nil {
		panic(err)
	}
	return strings.TrimSpace(string(out))
})

func isWant(name string) bool {
	return name == "error" || name == "warning" || strings.HasPrefix(name, "want/")
}

func inputs(a *txtar.Archive) []txtar.File { return filter(a, false) }
func wants(a *txtar.Archive) []txtar.File  { return filter(a, true) }

func filter(a *txtar.Archive, want bool) []txtar.File {
	var out []txtar.File
	for _, f := range a.Files {
		if isWant(f.Name) == want {
			out = append(out, f)
		}
	}
	return out
}

func format(files []txtar.File) string { return string(txtar.Format(&txtar.Archive{Files: files})) }

func hasTests(a *txtar.Archive) bool {
	return slices.ContainsFunc(a.Files, func(f txtar.File) bool { return strings.HasSuffix(f.Name, "_test.go") })
}

// hasModule tells whether a case says itself what its modules are.
func hasModule(a *txtar.Archive) bool {
	return slices.ContainsFunc(inputs(a), func(f txtar.File) bool {
		base := path.Base(f.Name)
		return base == "go.mod" || base == "go.work"
	})
}

// Module writes the input files of an archive to a temporary folder that is a module and returns
// the folder.
func Module(t testing.TB, a *txtar.Archive) string {
	t.Helper()
	dir := t.TempDir()
	if resolved, err := filepath.EvalSymlinks(dir); err == nil {
		dir = resolved
	}
	mod := goMod(t, "example.com")
	if asksForClients(a) {
		mod = append(mod, standInForClientGo(t, dir)...)
	}
	write(t, filepath.Join(dir, "go.mod"), mod)
	write(t, filepath.Join(dir, "go.sum"), read(t, filepath.Join(Root(t), "go.sum")))
	for _, f := range inputs(a) {
		write(t, filepath.Join(dir, filepath.FromSlash(f.Name)), f.Data)
	}
	return dir
}

var moduleLine = regexp.MustCompile(`(?m)^module (\S+)$`)

// goMod is the go.mod of this repository under another name, with the repository as a dependency.
func goMod(t testing.TB, name string) []byte {
	root := Root(t)
	text := moduleLine.ReplaceAll(read(t, filepath.Join(root, "go.mod")), []byte("module "+name))
	text = bytes.ReplaceAll(text, []byte("/runtime => ./runtime\n"), []byte("/runtime => "+root+"/runtime\n"))
	return append(text, fmt.Sprintf("\nrequire %s v0.0.0\n\nreplace %s => %s\n", self, self, root)...)
}

const self = "github.com/typeplane/typeplane"

// Root returns the folder of this repository: the nearest one above the working directory whose
// go.mod is ours.
func Root(t testing.TB) string {
	t.Helper()
	dir, err := os.Getwd()
	if err != nil {
		t.Fatal(err)
	}
	for ; ; dir = filepath.Dir(dir) {
		data, err := os.ReadFile(filepath.Join(dir, "go.mod"))
		if m := moduleLine.FindSubmatch(data); err == nil && m != nil && string(m[1]) == self {
			return dir
		}
		if dir == filepath.Dir(dir) {
			t.Fatalf("no go.mod of %s above the working directory", self)
		}
	}
}

// Env is the environment of the go command in temporary modules: no workspace, no network.
func Env() []string { return append(os.Environ(), "GOWORK=off", "GOPROXY=off", "GOFLAGS=") }

// Compile compiles a module, or runs its tests.
func Compile(t testing.TB, dir string, test bool) {
	t.Helper()
	args := []string{"list", "-export", "-f", "{{.ImportPath}}", "./..."}
	if test {
		args = []string{"test", "-vet=off", "./..."}
	}
	cmd := exec.Command("go", args...)
	cmd.Dir, cmd.Env = dir, Env()
	if out, err := cmd.CombinedOutput(); err != nil {
		t.Errorf("what was generated does not compile: go %s: %v\n%s", strings.Join(args, " "), err, out)
	}
}

func write(t testing.TB, name string, data []byte) {
	t.Helper()
	if err := os.MkdirAll(filepath.Dir(name), 0o755); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(name, data, 0o644); err != nil {
		t.Fatal(err)
	}
}

func read(t testing.TB, name string) []byte {
	t.Helper()
	data, err := os.ReadFile(name)
	if err != nil {
		t.Fatal(err)
	}
	return data
}
