package ast_test

import (
	"strings"
	"testing"

	"github.com/typeplane/typeplane/generators/internal/validation/cel/ast"
)

// shown prints an expression with all parentheses.
func shown(e *ast.Expr) string {
	var args []string
	for _, a := range e.Args {
		args = append(args, shown(a))
	}
	switch e.Op {
	case ast.Var, ast.Literal:
		return e.Name
	case ast.Field:
		return shown(e.On) + "." + e.Name
	case ast.Call:
		on := ""
		if e.On != nil {
			on = shown(e.On) + "."
		}
		return on + e.Name + "(" + strings.Join(args, ", ") + ")"
	case ast.Index:
		return shown(e.On) + "[" + args[0] + "]"
	case ast.Maybe:
		return shown(e.On) + ".?" + e.Name
	case ast.MaybeIndex:
		return shown(e.On) + "[?" + args[0] + "]"
	case ast.Binary:
		return "(" + args[0] + " " + e.Name + " " + args[1] + ")"
	case ast.Not:
		return "!" + args[0]
	case ast.Negate:
		return "-" + args[0]
	case ast.If:
		return "(" + args[0] + " ? " + args[1] + " : " + args[2] + ")"
	case ast.List:
		return "[" + strings.Join(args, ", ") + "]"
	case ast.Text:
		return "<" + e.Text + ">"
	}
	return e.Text
}

func TestParse(t *testing.T) {
	for source, want := range map[string]string{
		"self == oldSelf":                          "(self == oldSelf)",
		"!has(oldSelf.x) || has(self.x)":           "(!has(oldSelf.x) || has(self.x))",
		"self.a < 1 && self.b >= 2 || true":        "(((self.a < 1) && (self.b >= 2)) || true)",
		"size(self.a) > -1":                        "(size(self.a) > -1)",
		`self.name.matches('^it\'s "a"$')`:         `self.name.matches(<^it's "a"$>)`,
		`self.x in ["a", 'b']`:                     "(self.x in [<a>, <b>])",
		"self.all(i, i.n != null)":                 "self.all(i, (i.n != null))",
		"self.?a.b[?0].orValue('x')":               "self.?a.b[?0].orValue(<x>)",
		"a ? b.?c : d[?e ? f : g]":                 "(a ? b.?c : d[?(e ? f : g)])",
		`self == """a"b\\n"""`:                     "(self == <a\"b\\n>)",
		`self == r"\d" || self == R'''\'''`:        "((self == <\\d>) || (self == <\\>))",
		`self == '\x41\u00e4\U0001F600\101\?'`:     "(self == <Aä\U0001F600A?>)",
		"r == 'a'":                                 "(r == <a>)",
		"self.a ? self.b : self.c[0].d":            "(self.a ? self.b : self.c[0].d)",
		"self.x.startsWith(\n\t'a' ) == (a || b)":  "(self.x.startsWith(<a>) == (a || b))",
		"self.inner == 'x' && self.index in [1,2]": "((self.inner == <x>) && (self.index in [1, 2]))",
	} {
		e, err := ast.Parse(source)
		if err != nil {
			t.Errorf("%s: %v", source, err)
			continue
		}
		if got := shown(e); got != want {
			t.Errorf("%s: got %s, want %s", source, got, want)
		}
	}
}

func TestParseErrors(t *testing.T) {
	for source, want := range map[string]string{
		"self ==":                 "the end stands where a value is wanted, at character 8",
		"self = 1":                `"=" is no part of the language`,
		"self == \u201d":          "gofmt makes it of two apostrophes in a comment, so write \\\"\\\"",
		"self == \u2026":          "\"\u2026\" is no part of the language",
		"a\xff":                   "is no part of the language",
		"self.1":                  "stands where the name of a field is wanted",
		"self.?":                  "the end stands where the name of a field is wanted",
		"self.?a(1)":              "( stands where an operator is wanted",
		"f(a":                     "the end stands where ) is wanted",
		"a b":                     "b stands where an operator is wanted",
		"'a":                      "the quote ' is not closed",
		`r"""a"`:                  `the quote """ is not closed`,
		`'\q'`:                    `there is no \q`,
		`'\ud800'`:                `is no sign`,
		strings.Repeat("(", 1000): "too deeply",
		strings.Repeat("!", 1000): "too deeply",
	} {
		if _, err := ast.Parse(source); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%.20s: got %v, want %s", source, err, want)
		}
	}
}

func FuzzParse(f *testing.F) {
	f.Add("\u201d\u2026\xe2")
	f.Add("self.a < 1 && size(self.b) in [1, 2] ? !x : 'y'")
	f.Fuzz(func(t *testing.T, source string) {
		if e, err := ast.Parse(source); err == nil && e == nil {
			t.Error("neither an expression nor an error")
		}
	})
}
