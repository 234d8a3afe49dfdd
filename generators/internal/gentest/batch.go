package gentest

import (
	"bytes"
	"crypto/sha256"
	"encoding/json"
	"fmt"
	"go/parser"
	"go/token"
	"io"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"sync"
	"testing"
	"time"
)

// batch is one module that holds finished cases as folders.
type batch struct {
	dir string

	mu    sync.Mutex // guards cases
	cases []string
}

const batchModule = "cases.example"

// newBatch makes the batch for a folder of cases.
func newBatch(t testing.TB, cases string) *batch {
	b := &batch{dir: batchDir(t, cases)}
	write(t, filepath.Join(b.dir, "go.mod"), goMod(t, batchModule))
	write(t, filepath.Join(b.dir, "go.sum"), read(t, filepath.Join(Root(t), "go.sum")))
	return b
}

// batchDir returns an empty folder that is removed at the end. It is the same one in each run,
// since the go command knows what it compiled and tested before by its folder. A run beside another
// one gets a folder of its own.
func batchDir(t testing.TB, cases string) string {
	t.Helper()
	id := sha256.Sum256([]byte(Root(t) + "\x00" + cases))
	dir := filepath.Join(os.TempDir(), fmt.Sprintf("gentest-%d-%x", os.Getuid(), id[:6]))
	if info, err := os.Stat(dir); err == nil && time.Since(info.ModTime()) > time.Hour {
		os.RemoveAll(dir) // of a run that was killed
	}
	if err := os.Mkdir(dir, 0o700); err != nil {
		return t.TempDir()
	}
	t.Cleanup(func() { os.RemoveAll(dir) })
	return dir
}

// add copies a case, with what was generated, under its name into the batch.
func (b *batch) add(t testing.TB, name, dir string) {
	t.Helper()
	err := filepath.WalkDir(dir, func(file string, entry fs.DirEntry, err error) error {
		if err != nil || entry.IsDir() {
			return err
		}
		rel, err := filepath.Rel(dir, file)
		if err != nil || rel == "go.mod" || rel == "go.sum" {
			return err
		}
		data := read(t, file)
		if strings.HasSuffix(file, ".go") {
			data = moveImports(data, name)
		}
		write(t, filepath.Join(b.dir, name, rel), data)
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	b.mu.Lock()
	defer b.mu.Unlock()
	b.cases = append(b.cases, name)
}

// moveImports makes a file of the module example.com one of a folder of the batch. A file that has
// no imports to read stays as it is; the compiler has the word for that.
func moveImports(data []byte, name string) []byte {
	file, err := parser.ParseFile(token.NewFileSet(), "", data, parser.ImportsOnly)
	if err != nil {
		return data
	}
	for _, spec := range slices.Backward(file.Imports) {
		path, err := strconv.Unquote(spec.Path.Value)
		if err != nil || path != "example.com" && !strings.HasPrefix(path, "example.com/") {
			continue
		}
		moved := strconv.Quote(batchModule + "/" + name + strings.TrimPrefix(path, "example.com"))
		from, to := int(spec.Path.Pos())-1, int(spec.Path.End())-1
		data = slices.Concat(data[:from], []byte(moved), data[to:])
	}
	// What reflection calls an instance of a generic type has the paths of its arguments in it.
	return argumentPath.ReplaceAll(data, []byte("${1}"+batchModule+"/"+name+"/"))
}

// argumentPath is the path of a type argument, behind what comes before it.
var argumentPath = regexp.MustCompile(`([\[,*])example\.com/`)

// test compiles all cases and runs their tests with one go command. It does so without vet, which
// looks at the same code in the examples. It reports what failed, a message for each case.
func (b *batch) test(t testing.TB) {
	if len(b.cases) == 0 {
		return
	}
	cmd := exec.Command("go", "test", "-vet=off", "-json", "./...")
	cmd.Dir, cmd.Env = b.dir, Env()
	var events, rest bytes.Buffer
	cmd.Stdout, cmd.Stderr = &events, &rest
	if err := cmd.Run(); err == nil {
		return
	}
	slices.Sort(b.cases)
	failed := failures(&events)
	for _, name := range b.cases {
		if text := failed[name]; text != "" {
			t.Errorf("%s: what was generated does not compile, or a test fails:\n%s", name, text)
			delete(failed, name)
		}
	}
	for _, text := range failed {
		fmt.Fprintln(&rest, text)
	}
	if rest.Len() > 0 || !t.Failed() {
		t.Errorf("go test: %s\n%s", cmd.ProcessState, rest.Bytes())
	}
}

// failures sorts the output of packages that failed by case; what belongs to no case is under "".
func failures(events io.Reader) map[string]string {
	said, bad := map[string]*strings.Builder{}, map[string]bool{}
	for d := json.NewDecoder(events); ; {
		var e struct{ Action, Package, ImportPath, Output string }
		if err := d.Decode(&e); err != nil {
			break
		}
		pkg := e.Package + e.ImportPath
		switch e.Action {
		case "output", "build-output":
			if said[pkg] == nil {
				said[pkg] = &strings.Builder{}
			}
			said[pkg].WriteString(e.Output)
		case "fail", "build-fail":
			bad[pkg] = true
		}
	}
	out := map[string]string{}
	for _, pkg := range sortedKeys(bad) {
		if said[pkg] != nil {
			out[caseOf(pkg)] += said[pkg].String()
		}
	}
	return out
}

// caseOf returns the case that a package of the batch is of: "shapes" for
// "cases.example/shapes/v1 [….test]".
func caseOf(pkg string) string {
	rest, ok := strings.CutPrefix(pkg, batchModule+"/")
	if !ok {
		return ""
	}
	return rest[:strings.IndexAny(rest+"/", "/ ")]
}

func sortedKeys(m map[string]bool) []string {
	keys := make([]string, 0, len(m))
	for key := range m {
		keys = append(keys, key)
	}
	slices.Sort(keys)
	return keys
}
