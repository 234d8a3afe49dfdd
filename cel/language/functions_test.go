package language_test

import (
	"go/ast"
	"go/parser"
	"go/token"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/typeplane/typeplane/cel/language"
)

// TestGenKnowsFunctions: gen refuses rules with functions that there are not. It can't link the
// language to find out, so it has a list, which must be that of the language.
func TestGenKnowsFunctions(t *testing.T) {
	env, err := language.Extended()
	if err != nil {
		t.Fatal(err)
	}
	known := functionsOfGen(t)
	for name := range env.Functions() {
		operator := name == "in" || strings.ContainsAny(name, "@!-[?") || strings.HasPrefix(name, "_")
		if !operator && !slices.Contains(known, name) {
			t.Errorf("gen does not know %s", name)
		}
	}
	for _, name := range known {
		if env.Functions()[name] == nil {
			t.Errorf("gen knows %s, which there is not", name)
		}
	}
}

// functionsOfGen is the list in the generator's source: its module must not be required here.
func functionsOfGen(t *testing.T) []string {
	t.Helper()
	file, err := parser.ParseFile(token.NewFileSet(), "../../generators/validation/cel/names.go", nil, 0)
	if err != nil {
		t.Fatal(err)
	}
	var value string
	ast.Inspect(file, func(n ast.Node) bool {
		if spec, ok := n.(*ast.ValueSpec); ok && spec.Names[0].Name == "Functions" {
			value = spec.Values[0].(*ast.CallExpr).Args[0].(*ast.BasicLit).Value
		}
		return true
	})
	text, err := strconv.Unquote(value)
	if err != nil {
		t.Fatal(err)
	}
	return strings.Fields(text)
}
