package defaults

import (
	"go/ast"
	"go/parser"
	"go/token"
	"io/fs"
	"os/exec"
	"strconv"
	"strings"
	"testing"
)

// enums are the values of the types of k8s.io/api and of metadata that are declared as constants,
// by the package's path and the type's name.
type enums map[string][]string

// declaredValues reads the sources of the packages.
func declaredValues(t *testing.T) enums {
	t.Helper()
	out, err := exec.Command("go", "list", "-f", "{{.ImportPath}} {{.Dir}}", "k8s.io/api/...", "k8s.io/apimachinery/pkg/apis/meta/v1").Output()
	if err != nil {
		t.Fatal(err)
	}
	values := enums{}
	for line := range strings.Lines(string(out)) {
		path, dir, _ := strings.Cut(strings.TrimSpace(line), " ")
		sources := func(f fs.FileInfo) bool {
			return !strings.HasPrefix(f.Name(), "zz_") && !strings.HasSuffix(f.Name(), ".pb.go") && !strings.HasSuffix(f.Name(), "_test.go")
		}
		//lint:ignore SA1019 files of several build tags don't matter to constants
		packages, err := parser.ParseDir(token.NewFileSet(), dir, sources, parser.SkipObjectResolution)
		if err != nil {
			t.Fatal(err)
		}
		for _, pkg := range packages {
			ast.Inspect(pkg, func(n ast.Node) bool {
				if spec, ok := n.(*ast.ValueSpec); ok {
					values.add(path, spec)
				}
				_, body := n.(*ast.BlockStmt)
				return !body
			})
		}
	}
	return values
}

// add notes the values of a declaration of constants that have a type.
func (e enums) add(path string, spec *ast.ValueSpec) {
	typ, ok := spec.Type.(*ast.Ident)
	if !ok {
		return
	}
	for _, value := range spec.Values {
		if lit, ok := value.(*ast.BasicLit); ok && lit.Kind == token.STRING {
			if text, err := strconv.Unquote(lit.Value); err == nil {
				e[path+"."+typ.Name] = append(e[path+"."+typ.Name], text)
			}
		}
	}
}
