package printer

import (
	"github.com/typeplane/typeplane/generators/internal/copied"
	"github.com/typeplane/typeplane/generators/internal/emit"
	"github.com/typeplane/typeplane/generators/internal/validation/plan"
	"github.com/typeplane/typeplane/runtime/rules"
)

var ruleSource = copied.New("runtime/rules", rules.Source, copiedRule)

// copiedRule is the name that a declaration of the runtime has in a copy.
func copiedRule(name string) string { return "rules_" + name }

// copyRules prints what the file names of the runtime.
func copyRules(f *emit.File, has func(name string) bool) error {
	return ruleSource.Print(f, f.Copied(plan.RulesPath), has)
}

// plainEqual is the function that stands for runtime/semantic.Equal where the module can't import
// that: rules about single values need no more than the library.
const plainEqual = "semantic_Equal"

// plainEqual prints that function, if the file names it. The library panics about structs with
// fields out of reach.
func (pr *printer) plainEqual() {
	if len(pr.Copied(plan.SemanticPath)) == 0 {
		return
	}
	pr.P("// ", plainEqual, " says whether two values mean the same. Where one of them holds a struct that hides")
	pr.P("// something, their JSON says it.")
	pr.P("func ", plainEqual, "[T any](a, b T) (same bool) {")
	pr.P("defer func() {")
	pr.P("if recover() != nil { // of the library, about a field out of reach")
	pr.P("x, err := ", plan.Ident("encoding/json", "Marshal"), "(a)")
	pr.P("y, failed := ", plan.Ident("encoding/json", "Marshal"), "(b)")
	pr.P("same = err == nil && failed == nil && ", plan.Ident("bytes", "Equal"), "(x, y)")
	pr.P("}")
	pr.P("}()")
	pr.P("return ", plan.Ident("k8s.io/apimachinery/pkg/api/equality", "Semantic"), ".DeepEqual(a, b)")
	pr.P("}")
	pr.P()
}
