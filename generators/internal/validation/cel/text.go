package cel

import (
	"fmt"

	"k8s.io/gengo/v2/types"

	"github.com/typeplane/typeplane/generators/internal/validation/cel/ast"
	"github.com/typeplane/typeplane/generators/internal/validation/plan"
	"github.com/typeplane/typeplane/generators/internal/validation/shape"
)

// textMethod is a method of strings in Kubernetes' library. Its parameters are texts (s) or
// integers (i).
type textMethod struct {
	params []string // by the number of arguments
	result *types.Type
	// fn is a call with the text and the arguments, helper a function that takes them.
	fn     func(args []any) []any
	helper plan.Helper
	// fails says that the helper has a second result, whether there is a first.
	fails bool
}

var listOfTexts = listOf(types.String)

// textMethods are those that are compiled.
var textMethods = map[string]textMethod{
	"lowerAscii":  {params: []string{""}, result: types.String, helper: asciiCase("validate_lowerAscii", "'A' <= r && r <= 'Z'", "r + ('a' - 'A')")},
	"upperAscii":  {params: []string{""}, result: types.String, helper: asciiCase("validate_upperAscii", "'a' <= r && r <= 'z'", "r - ('a' - 'A')")},
	"trim":        {params: []string{""}, result: types.String, fn: goCall("TrimSpace")},
	"replace":     {params: []string{"ss", "ssi"}, result: types.String, fn: withCount("ReplaceAll", "Replace")},
	"split":       {params: []string{"s", "si"}, result: listOfTexts, fn: withCount("Split", "SplitN")},
	"indexOf":     {params: []string{"s"}, result: types.Int64, helper: indexHelper("validate_indexOf", "first", "Index")},
	"lastIndexOf": {params: []string{"s"}, result: types.Int64, helper: indexHelper("validate_lastIndexOf", "last", "LastIndex")},
	"substring":   {params: []string{"i", "ii"}, result: types.String, helper: helperSubstring, fails: true},
}

// goCall is a call of a function of package strings.
func goCall(name string) func(args []any) []any {
	return func(args []any) []any { return spell(plan.Ident("strings", name), "(", commas(args), ")") }
}

// withCount is a call of one of two functions of package strings: the second one takes a number at
// last.
func withCount(name, counting string) func(args []any) []any {
	many := map[string]int{"ReplaceAll": 3, "Split": 2}[name]
	return func(args []any) []any {
		if len(args) == many {
			return goCall(name)(args)
		}
		last := len(args) - 1
		return goCall(counting)(append(args[:last:last], spell("int(", args[last], ")")))
	}
}

func commas(args []any) []any {
	var out []any
	for i, arg := range args {
		if i > 0 {
			out = append(out, ", ")
		}
		out = spell(out, arg)
	}
	return out
}

// textMethod translates a method of a text.
func (tr *translator) textMethod(e *ast.Expr, m textMethod, on value) (value, error) {
	params, known := "", false
	for _, p := range m.params {
		if len(p) == len(e.Args) {
			params, known = p, true
		}
	}
	if !known {
		return value{}, fmt.Errorf("%s: %s has other arguments", e.Source, e.Name)
	}
	out := value{typ: m.result, guards: on.guards}
	args := []any{on.as(types.String)}
	for i, arg := range e.Args {
		v, err := tr.value(arg)
		if err != nil {
			return value{}, err
		}
		want := types.String
		if params[i] == 'i' {
			want = types.Int64
		}
		if n := shape.Native(v.typ); want == types.String && !shape.IsString(n) || want == types.Int64 && !shape.IsInt(n) {
			return value{}, fmt.Errorf("%s is %s, which %s does not take there", arg.Source, aValue(v.typ), e.Name)
		}
		args, out.guards = append(args, v.as(want)), all(out.guards, v.guards)
	}
	if m.fn != nil {
		out.code = m.fn(args)
		return out, nil
	}
	tr.use(m.helper)
	call := spell(m.helper.Name, "(", commas(args), ")")
	if !m.fails {
		out.code = call
		return out, nil
	}
	out.guards = all(out.guards, leaf("func() bool { _, ok := ", call, "; return ok }()"))
	out.code = spell("func() ", m.result, " { out, _ := ", call, "; return out }()")
	return out, nil
}

// join translates the method of lists that makes one text of several.
func (tr *translator) join(e *ast.Expr, on value) (value, error) {
	list := shape.Native(on.typ)
	if list.Kind != types.Slice || !shape.IsString(shape.Native(list.Elem)) || len(e.Args) > 1 {
		return value{}, fmt.Errorf("%s: join is for lists of strings, and takes what stands between them", e.Source)
	}
	out := value{typ: types.String, guards: on.guards}
	between := []any{`""`}
	if len(e.Args) == 1 {
		v, err := tr.text(e.Args[0])
		if err != nil {
			return value{}, err
		}
		between, out.guards = v.code, all(out.guards, v.guards)
	}
	tr.use(helperJoin)
	out.code = spell(helperJoin.Name, "(", on.code, ", ", between, ")")
	return out, nil
}

func asciiCase(name, condition, other string) plan.Helper {
	return plan.Helper{Name: name, Lines: func() [][]any {
		return [][]any{
			{"// ", name, " changes the letters of ASCII in a text, and no others."},
			{"func ", name, "(text string) string {"},
			{"return ", plan.Ident("strings", "Map"), "(func(r rune) rune {"},
			{"if ", condition, " {"}, {"return ", other}, {"}"}, {"return r"}, {"}, text)"},
			{"}"},
		}
	}}
}

func indexHelper(name, which, fn string) plan.Helper {
	return plan.Helper{Name: name, Lines: func() [][]any {
		return [][]any{
			{"// ", name, " is where a text has another one for the ", which, " time, in characters; -1 if it has not."},
			{"func ", name, "(text, part string) int64 {"},
			{"at := ", plan.Ident("strings", fn), "(text, part)"},
			{"if at < 0 {"}, {"return -1"}, {"}"},
			{"return int64(", plan.Ident("unicode/utf8", "RuneCountInString"), "(text[:at]))"},
			{"}"},
		}
	}}
}

var helperSubstring = plan.Helper{Name: "validate_substring", Lines: func() [][]any {
	return [][]any{
		{"// validate_substring is the part of a text between two of its characters, the last one being the end if only one is given;"},
		{"// ok says that it has them."},
		{"func validate_substring(text string, from int64, to ...int64) (part string, ok bool) {"},
		{"runes := []rune(text)"},
		{"end := int64(len(runes))"},
		{"if len(to) > 0 {"}, {"end = to[0]"}, {"}"},
		{"if from < 0 || end < from || end > int64(len(runes)) {"}, {`return "", false`}, {"}"},
		{"return string(runes[from:end]), true"},
		{"}"},
	}
}}

var helperJoin = plan.Helper{Name: "validate_join", Lines: func() [][]any {
	return [][]any{
		{"// validate_join makes one text of several."},
		{"func validate_join[T ~string](list []T, between string) string {"},
		{"texts := make([]string, len(list))"},
		{"for i, text := range list {"}, {"texts[i] = string(text)"}, {"}"},
		{"return ", plan.Ident("strings", "Join"), "(texts, between)"},
		{"}"},
	}
}}

// The texts that int() and double() read.
var (
	helperReadInt   = reader("validate_readInt", "reads an integer.", types.Int64, []any{"return ", plan.Ident("strconv", "ParseInt"), "(text, 10, 64)"})
	helperReadFloat = reader("validate_readFloat", "reads a floating-point number.", types.Float64, []any{"return ", plan.Ident("strconv", "ParseFloat"), "(text, 64)"})
)
