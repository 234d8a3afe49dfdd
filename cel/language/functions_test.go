package language_test

import (
	"go/ast"
	"go/parser"
	"go/token"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/google/cel-go/common/decls"

	"github.com/typeplane/typeplane/cel/language"
)

// TestGenKnowsFunctions: gen refuses rules with functions that there are not, and with too few or
// too many arguments. It can't link the language to find out, so it has a list, which must be that
// of the language.
func TestGenKnowsFunctions(t *testing.T) {
	env, err := language.Extended()
	if err != nil {
		t.Fatal(err)
	}
	want := map[string]string{}
	for name, f := range env.Functions() {
		if operator := name == "in" || strings.ContainsAny(name, "@!-[?") || strings.HasPrefix(name, "_"); !operator {
			want[name] = arity(f)
		}
	}
	got := map[string]string{}
	for _, entry := range functionsOfGen(t) {
		name, counts, _ := strings.Cut(entry, "/")
		got[name] = counts
	}
	for name, counts := range want {
		if got[name] != counts {
			t.Errorf("%s takes %q arguments; gen has %q", name, counts, got[name])
		}
		delete(got, name)
	}
	for name := range got {
		t.Errorf("gen knows %s, which there is not", name)
	}
}

// arity is how gen's list says how many arguments a function takes, and behind a dot, how many as a
// method.
func arity(f *decls.FunctionDecl) string {
	var function, method []string
	for _, o := range f.OverloadDecls() {
		if n := len(o.ArgTypes()); o.IsMemberFunction() {
			method = append(method, strconv.Itoa(n-1))
		} else {
			function = append(function, strconv.Itoa(n))
		}
	}
	text := func(counts []string) string {
		slices.Sort(counts)
		return strings.Join(slices.Compact(counts), "")
	}
	if len(method) == 0 {
		return text(function)
	}
	return text(function) + "." + text(method)
}

// functionsOfGen is the list in the generator's source: its module must not be required here.
func functionsOfGen(t *testing.T) []string {
	t.Helper()
	file, err := parser.ParseFile(token.NewFileSet(), "../../generators/internal/validation/cel/names.go", nil, 0)
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
