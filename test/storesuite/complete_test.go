package storesuite

import (
	"bytes"
	"go/ast"
	"go/build"
	"go/parser"
	"go/token"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"
)

// adapterLimit is how many lines the files of the adapter may have.
const adapterLimit = 400

// Every function of the suites is run over each store, or README.md says why not. So one that is
// new in a later version of Kubernetes fails here until somebody has looked at it.
func TestEveryFunctionIsRunOrListed(t *testing.T) {
	listed := readList(t)
	all := suiteFunctions(t)
	for _, over := range []string{"etcd3", "cacher"} {
		for _, name := range all {
			run := slices.ContainsFunc(functions, func(f function) bool { return f.name() == name && f.notOver != over })
			switch _, excused := listed[name][over]; {
			case run && excused:
				t.Errorf("%s is run over %s, and README.md says that it is not", name, over)
			case !run && !excused:
				t.Errorf("%s is not run over %s, and README.md does not say why", name, over)
			}
		}
	}
	for name := range listed {
		if !slices.Contains(all, name) {
			t.Errorf("README.md lists %s, which the suites do not have", name)
		}
	}
	if len(all) < 60 {
		t.Errorf("only %d functions found", len(all))
	}
}

// suiteFunctions are the exported functions of the suites, which take a testing.T or TB: the rest
// are helpers and benchmarks.
func suiteFunctions(t *testing.T) (names []string) {
	pkg, err := build.Import("k8s.io/apiserver/pkg/storage/testing", ".", build.FindOnly)
	if err != nil {
		t.Fatal(err)
	}
	files, err := filepath.Glob(filepath.Join(pkg.Dir, "*.go"))
	if err != nil {
		t.Fatal(err)
	}
	for _, file := range files {
		f, err := parser.ParseFile(token.NewFileSet(), file, nil, parser.SkipObjectResolution)
		if err != nil {
			t.Fatal(err)
		}
		for _, decl := range f.Decls {
			fn, ok := decl.(*ast.FuncDecl)
			if ok && fn.Recv == nil && strings.HasPrefix(fn.Name.Name, "Run") && slices.ContainsFunc(fn.Type.Params.List, isTest) {
				names = append(names, fn.Name.Name)
			}
		}
	}
	return names
}

func isTest(p *ast.Field) bool {
	kind := p.Type
	if star, ok := kind.(*ast.StarExpr); ok {
		kind = star.X
	}
	sel, ok := kind.(*ast.SelectorExpr)
	return ok && (sel.Sel.Name == "T" || sel.Sel.Name == "TB")
}

// readList reads the table of README.md: for each function the stores that it is not run over.
func readList(t *testing.T) map[string]map[string]struct{} {
	data, err := os.ReadFile("README.md")
	if err != nil {
		t.Fatal(err)
	}
	listed := map[string]map[string]struct{}{}
	row := regexp.MustCompile("(?m)^\\| `(Run\\w+)` \\| ([^|]+) \\| ([^|]+) \\|$")
	for _, m := range row.FindAllStringSubmatch(string(data), -1) {
		if len(m[3]) < 40 {
			t.Errorf("README.md: %s has no reason", m[1])
		}
		listed[m[1]] = map[string]struct{}{}
		for _, over := range strings.Split(m[2], ", ") {
			if over != "etcd3" && over != "cacher" {
				t.Errorf("README.md: %s: %q is not a store", m[1], over)
			}
			listed[m[1]][over] = struct{}{}
		}
	}
	return listed
}

// Every line counts: comments, imports and blank ones, too.
func TestTheAdapterIsThin(t *testing.T) {
	files, err := filepath.Glob("*.go")
	if err != nil {
		t.Fatal(err)
	}
	lines := 0
	for _, file := range files {
		if strings.HasSuffix(file, "_test.go") {
			continue
		}
		data, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		lines += bytes.Count(data, []byte("\n"))
	}
	t.Logf("%d lines", lines)
	if lines > adapterLimit {
		t.Errorf("the adapter has %d lines, at most %d are a translation", lines, adapterLimit)
	}
}
