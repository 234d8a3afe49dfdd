package plan

import (
	"strconv"
	"strings"

	"github.com/typeplane/typeplane/generators/internal/emit"
)

// Ident is something that another package declares.
func Ident(path, name string) emit.Ident { return emit.Ident{Path: path, Name: name} }

// Helper is a function that the library lacks and that a generated file has itself. The text is
// what File.P takes, a line each.
type Helper struct {
	Name  string
	Lines func() [][]any
}

// HelperCall is a call of a helper.
func HelperCall(h Helper, emits Emission, args ...any) Plan {
	return Plan{Calls: []Call{{Func: Own(h.Name), Args: args, Emits: []Emission{emits}}}, Helpers: []Helper{h}}
}

// Validator is the text of a helper that takes a pointer to values of a type parameter and perhaps
// more, and whose body looks at *obj.
func Validator(name, doc, constraint string, more []any, body ...[]any) Helper {
	return Helper{name, func() [][]any {
		head := []any{
			"func ", name, "[T ", constraint, "](_ ", Ident("context", "Context"), ", _ ", Ident(OperationPath, "Operation"),
			", fldPath *", Ident(FieldPath, "Path"), ", obj, _ *T",
		}
		if len(more) > 0 {
			head = append(append(head, ", "), more...)
		}
		out := [][]any{
			{"// ", name, " ", doc},
			append(head, ") ", Ident(FieldPath, "ErrorList"), " {"),
			{"if obj == nil {"}, {"return nil"}, {"}"},
		}
		return append(append(out, body...), []any{"return nil"}, []any{"}"})
	}}
}

// GoQuote quotes a string as people would: with backquotes if it has backslashes.
func GoQuote(s string) string {
	if strings.ContainsAny(s, "\\\"") && strconv.CanBackquote(s) {
		return "`" + s + "`"
	}
	return strconv.Quote(s)
}

// SetsNew makes a set.
var SetsNew = emit.Ident{Path: "k8s.io/apimachinery/pkg/util/sets", Name: "New"}
