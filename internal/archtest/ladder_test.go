package archtest

import (
	"bytes"
	"cmp"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"maps"
	"os"
	"os/exec"
	"path"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	gocmp "github.com/google/go-cmp/cmp"
)

// ladderPage is the page that TestLadder prints.
const ladderPage = "docs/ladder.md"

// longestRow is how many words the first sentence of a package comment may have.
const longestRow = 30

// room is a rung of the ladder: packages that belong together. A pattern that ends in "/..." stands
// for a folder and everything below it; of two patterns that fit, the longer one holds.
type room struct {
	name     string
	packages []string
}

// ladder lists the rooms from the bottom up. A package imports packages of its own room and of the
// rooms before it.
var ladder = []room{
	{"Leaves", []string{"trace", "internal/bookkeeping", "internal/suggest", "internal/buildinfo", "internal/diskspace", "internal/keyprefix", "internal/wait", "internal/recovery"}},
	{"Runtime, a module of its own", []string{"runtime/..."}},
	{"Storage", []string{"storage/...", "internal/etcd3test", "internal/kmstest"}},
	{"The seams", []string{"registry/rest", "auth/...", "internal/delegated", "admission/...", "proxy"}},
	{"Registry", []string{"registry/...", "internal/jsontree", "internal/ownership/...", "internal/registrytest"}},
	{"Server", []string{"internal/dissect", "internal/writesteps", "internal/fairness", "internal/server/..."}},
	{"Assembly", []string{"internal/faultinject", "internal/kubeconfig", "internal/program/...", "internal/replicas", "internal/database", "internal/users", "internal/console/...", "internal/tool", "internal/serve/..."}},
	{"Typeplane", []string{".", "apitest"}},
	{"Features", []string{"internal/quantity", "internal/follow", "internal/features/...", "features/..."}},
	{"Generator", []string{"generators/...", "cmd/gen"}},
	{"Images", []string{"internal/image", "cmd/image"}},
	{"Tests, tools and examples", []string{
		"internal/amplify", "internal/ask", "internal/certtest", "internal/debugsocket", "internal/drill", "internal/etcdproc", "internal/faultclock", "internal/faultdisk", "internal/gadget/...", "internal/interpose", "internal/testserver", "internal/tsc", "hack/...", "examples/...",
	}},
}

// aPackage is what go list says of a package.
type aPackage struct {
	ImportPath, Doc  string
	GoFiles, Imports []string

	path string // relative to the module; "." is its root
	room int    // in ladder, -1 for none
}

// TestLadder prints the packages from the bottom up, and compares the page with what is on disk.
func TestLadder(t *testing.T) {
	root := moduleRoot(t)
	goFiles(t, root) // go test runs this again when a file has changed that it has read
	all := listed(t, root)
	for _, p := range all {
		checkRow(t, p)
		checkImports(t, p, all)
	}
	compareLadder(t, filepath.Join(root, ladderPage), printLadder(all))
}

// listed are the packages of the modules on the ladder, by import path.
func listed(t *testing.T, root string) map[string]*aPackage {
	t.Helper()
	all := map[string]*aPackage{}
	for _, folder := range []string{".", "runtime"} {
		list := exec.Command("go", "list", "-json=ImportPath,Doc,GoFiles,Imports", "./...")
		list.Dir, list.Stderr = filepath.Join(root, folder), os.Stderr
		out, err := list.Output()
		if err != nil {
			t.Fatalf("go list in %s: %v", folder, err)
		}
		for decoder := json.NewDecoder(bytes.NewReader(out)); ; {
			p := &aPackage{}
			if err := decoder.Decode(p); errors.Is(err, io.EOF) {
				break
			} else if err != nil {
				t.Fatal(err)
			}
			if len(p.GoFiles) == 0 {
				continue // nobody can import a package of tests
			}
			p.path = cmp.Or(strings.TrimPrefix(strings.TrimPrefix(p.ImportPath, module), "/"), ".")
			p.room = place(p.path)
			all[p.ImportPath] = p
		}
	}
	return all
}

// place finds the room of a package, -1 for none.
func place(pkg string) int {
	at, longest := -1, 0
	for i, r := range ladder {
		for _, pattern := range r.packages {
			if match(pattern, pkg) && len(pattern) > longest {
				at, longest = i, len(pattern)
			}
		}
	}
	return at
}

// checkRow wants a first sentence that can stand in the table.
func checkRow(t *testing.T, p *aPackage) {
	switch words := len(strings.Fields(p.Doc)); {
	case p.room < 0:
		t.Errorf("package %s stands in no room; add it to the ladder in ladder_test.go", p.path)
	case p.Doc == "":
		t.Errorf("package %s has no comment; say in a sentence what it is for", p.path)
	case p.row() == p.Doc:
		t.Errorf("the comment of package %s begins with %q; begin with \"Package\" and its name", p.path, p.Doc)
	case !strings.HasSuffix(p.Doc, "."):
		t.Errorf("the first sentence about package %s is %q; end it with a dot", p.path, p.Doc)
	case words > longestRow:
		t.Errorf("the first sentence about package %s has %d words; at most %d fit into a table", p.path, words, longestRow)
	}
}

// row is what the first sentence says, without the name of the package.
func (p *aPackage) row() string {
	for _, kind := range []string{"Package ", "Command "} {
		if rest, ok := strings.CutPrefix(p.Doc, kind); ok {
			_, row, _ := strings.Cut(rest, " ")
			return row
		}
	}
	return p.Doc
}

// checkImports wants nothing imported from a room further up.
func checkImports(t *testing.T, p *aPackage, all map[string]*aPackage) {
	for _, name := range p.Imports {
		if used := all[name]; used != nil && used.room > p.room && p.room >= 0 {
			t.Errorf("%s (%s) imports %s (%s), which stands above it on the ladder; move what it needs down, or turn the import round",
				p.path, ladder[p.room].name, used.path, ladder[used.room].name)
		}
	}
}

// printLadder makes the page. In a room a package stands below those that import it.
func printLadder(all map[string]*aPackage) string {
	page := &strings.Builder{}
	page.WriteString(ladderHead)
	heights := map[string]int{}
	for i, r := range ladder {
		fmt.Fprintf(page, "\n## %s\n\n| package | |\n|---|---|\n", r.name)
		for _, p := range ascending(all, heights) {
			if p.room == i {
				fmt.Fprintf(page, "| %s | %s |\n", p.link(), inCell.Replace(p.row()))
			}
		}
	}
	return page.String()
}

// inCell keeps a text from ending a cell, and from being taken for HTML.
var inCell = strings.NewReplacer("|", `\|`, "<", "&lt;")

const ladderHead = `# The ladder of packages

The packages of this repository from the bottom up. A package imports only what stands above it on
this page, or in its own section. The sentences are the first ones of the package comments.

This page is printed by ` + "`go test ./internal/archtest -run Ladder -update`" + ` from the imports. The same test
fails when the page is stale, and when an import goes up the ladder.
`

// ascending sorts packages by how many imports of ours lie below them at most, then by name.
func ascending(all map[string]*aPackage, heights map[string]int) []*aPackage {
	return slices.SortedFunc(maps.Values(all), func(a, b *aPackage) int {
		return cmp.Or(cmp.Compare(height(a, heights, all), height(b, heights, all)), cmp.Compare(a.path, b.path))
	})
}

func height(p *aPackage, heights map[string]int, all map[string]*aPackage) int {
	if h, ok := heights[p.path]; ok {
		return h
	}
	h := 0
	for _, name := range p.Imports {
		if used := all[name]; used != nil {
			h = max(h, 1+height(used, heights, all))
		}
	}
	heights[p.path] = h
	return h
}

func (p *aPackage) link() string {
	name := p.path
	if name == "." {
		name = path.Base(module)
	}
	return fmt.Sprintf("[%s](%s)", name, path.Join("..", p.path))
}

func compareLadder(t *testing.T, file, now string) {
	t.Helper()
	if *update {
		if err := os.WriteFile(file, []byte(now), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	before, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	if string(before) != now {
		t.Errorf("%s is not what the imports and comments say (- on disk, + now):\n%s\nRun\n\tgo test ./internal/archtest -run Ladder -update",
			ladderPage, gocmp.Diff(strings.Split(string(before), "\n"), strings.Split(now, "\n")))
	}
}
