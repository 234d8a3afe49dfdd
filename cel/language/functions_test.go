package language_test

import (
	"flag"
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	celgo "github.com/google/cel-go/cel"
	"github.com/google/cel-go/common/decls"

	"github.com/typeplane/typeplane/cel/language"
)

var update = flag.Bool("update", false, "write what gen knows of the language")

// ofGen is where gen has it. Its module must not be required here.
const ofGen = "../../generators/internal/validation/cel/check"

// TestGenKnowsFunctions: gen refuses rules with functions that there are not, with too few or too
// many arguments, and with those of a wrong type. It can't link the language to find out, so it has
// a list, which must be that of the language.
func TestGenKnowsFunctions(t *testing.T) {
	var lines []string
	functions := environment(t).Functions()
	for _, name := range slices.Sorted(maps.Keys(functions)) {
		for _, o := range functions[name].OverloadDecls() { // in their order: the first one that fits counts
			lines = append(lines, overload(name, o))
		}
	}
	same(t, "overloads.txt", lines)
}

func overload(name string, o *decls.OverloadDecl) string {
	var takes []string
	for _, t := range o.ArgTypes() {
		takes = append(takes, t.String())
	}
	if o.IsMemberFunction() {
		name = "." + name
	}
	return fmt.Sprintf("%s(%s) %s", name, strings.Join(takes, ", "), o.ResultType())
}

// TestGenKnowsTypes tries each function with a value of each type at each place, and what it makes
// beside such a value. The tests of gen have to find the same.
func TestGenKnowsTypes(t *testing.T) {
	env := environment(t)
	all := slices.Concat(operations, macros)
	for name, f := range env.Functions() {
		all = append(all, calls(name, f)...)
	}
	slices.Sort(all)
	lines := []string{strings.Join(values, "\t")}
	for _, template := range slices.Compact(all) {
		fits := ""
		for _, value := range values {
			fits += answer(env, strings.ReplaceAll(template, "X", "("+value+")"))
		}
		lines = append(lines, template+"\t"+fits)
	}
	same(t, "testdata/fits.txt", lines)
}

// values are those that stand for X.
var values = []string{
	"1", "1u", "1.5", "'a'", "b'a'", "true", "null", "[]", "[1]", "['a']", "[true]", "[[1]]", "[self]", "{}", "{'a': 1}", "{1: 'a'}", "duration('1s')", "timestamp('2026-01-31T12:00:00Z')",
	"optional.of(1)", "optional.none()", "[optional.of(1)]", "quantity('1')", "ip('1.1.1.1')", "cidr('1.1.1.0/24')", "url('http://a')", "semver('1.0.0')", "format.uuid()", "type(1)", "self", "oldSelf.a",
}

var operations = []string{
	"X", "!X", "-X == 1", "X ? true : false", "self ? X : 1", "self ? X : 'a'", "(self ? X : [1]) == 1", "X && true", "X || self", "X.field", "X.field == 1", "X.?field.orValue(1) == 1", "X.?field == 1",
	"X in [1]", "X in ['a']", "1 in X", "'a' in X", "X in {1: 2}", "X[0] == 1", "X['a'] == 1", "X[?0].orValue(1) == 1", "[X, 1][0] == 'a'", "[1, X] == ['a']", "{'a': X}.a == 1", "{X: 1} == {'a': 1}",
	"X == 1", "X == 'a'", "1 != X", "[X] == [1]", "{'a': X} == {'a': 1}", "X + 1 == 1", "X + 'a' == 'a'", "X + X == X", "X + [1] == [1]", "X - duration('1s') == duration('1s')", "X < 1", "X < 'a'", "X >= X", "type(X) == int", "dyn(X) == 1", "has(X.field)", "size(X) == 1",
}

var macros = []string{
	"X.all(i, true)", "X.exists(i, i == 1)", "X.all(i, i == 'a')", "self.all(i, X)", "self.exists_one(i, X)", "X.exists_one(i, i > 1)", "self.filter(i, X) == [1]", "X.filter(i, true) == [1]", "X.map(i, i) == [1]", "self.map(i, X) == [1]", "self.map(i, X, 1) == [1]",
	"[1].map(i, X).sum() == 1", "X.map(i, i).sum() == 1", "X.sortBy(i, i) == [1]", "[1].sortBy(i, X) == [1]", "X.optMap(v, v).orValue(1) == 1", "optional.of(1).optMap(v, X).orValue(1) == 1", "X.optFlatMap(v, optional.of(1)) == optional.of(1)", "optional.of(1).optFlatMap(v, X).orValue(1) == 1",
	"X.all(i, v, i == 1)", "X.exists(i, v, v == 1)", "[1].all(i, v, X)", "X.transformList(i, v, v) == [1]", "self.transformList(i, v, X) == [1]", "self.transformList(i, v, X, v) == [1]", "X.transformMap(k, v, v) == {'a': 1}", "{'a': 1}.transformMap(k, v, X) == {'a': 1}", "self.transformMapEntry(k, v, X) == {'a': 1}",
}

// calls are the ways to call a function, with an X in turn for each of its arguments and for what
// it is compared with.
func calls(name string, f *decls.FunctionDecl) (out []string) {
	if strings.ContainsAny(name, "@!-[?_") || name == "in" {
		return nil
	}
	for _, o := range f.OverloadDecls() {
		args := slices.Repeat([]string{"self"}, len(o.ArgTypes()))
		out = append(out, written(name, o, args)+" == X")
		for i := range args {
			args[i] = "X"
			out = append(out, written(name, o, args)+" == self")
			args[i] = "self"
		}
	}
	return out
}

func written(name string, o *decls.OverloadDecl, args []string) string {
	if o.IsMemberFunction() {
		return args[0] + "." + name + "(" + strings.Join(args[1:], ", ") + ")"
	}
	return name + "(" + strings.Join(args, ", ") + ")"
}

// answer is 1 for an expression that is true or false, and 0 for any other.
func answer(env *celgo.Env, text string) string {
	checked, issues := env.Compile(text)
	if issues.Err() != nil {
		return "0"
	}
	if t := checked.OutputType(); !t.IsExactType(celgo.BoolType) && !t.IsExactType(celgo.DynType) {
		return "0"
	}
	return "1"
}

func environment(t *testing.T) *celgo.Env {
	t.Helper()
	env, err := language.Extended(celgo.Variable("self", celgo.DynType), celgo.Variable("oldSelf", celgo.DynType))
	if err != nil {
		t.Fatal(err)
	}
	return env
}

// same compares lines with a file of gen.
func same(t *testing.T, name string, lines []string) {
	t.Helper()
	file, want := filepath.Join(ofGen, name), strings.Join(lines, "\n")+"\n"
	if *update {
		if err := os.WriteFile(file, []byte(want), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	got, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	if string(got) != want {
		t.Errorf("%s is not what the language says: run go test ./language -update in module cel, and let gen know it", name)
	}
}
