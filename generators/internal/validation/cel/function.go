package cel

import (
	"fmt"

	"k8s.io/gengo/v2/types"

	"github.com/typeplane/typeplane/generators/internal/validation/plan"
	"github.com/typeplane/typeplane/generators/internal/validation/shape"
)

// function is a function of the generated file that checks a rule.
type function struct {
	self  *types.Type
	omits bool // clients leave it out when it is zero
	name  string
	// condition is what must hold; path, reason and message are those of the error.
	condition             condition
	path, reason, message string
	// computed is a message that is computed; if it can't be, message counts.
	computed value
	// transition says that the rule is about a change, usesOld that it looks at the old value.
	transition, usesOld bool
}

func (f *function) lines() [][]any {
	ctx, op, old := "_", "_", "_"
	if mentions(f.condition.spelled(), "ctx") || mentions(f.computed.code, "ctx") || mentions(f.computed.guards.spelled(), "ctx") {
		ctx = "ctx"
	}
	if f.usesOld {
		op, old = "op", "oldObj"
	}
	byValue := f.usesOld && isValue(f.self)
	if byValue {
		ctx = "ctx"
	}
	list := plan.Ident(plan.FieldPath, "ErrorList")
	lines := [][]any{
		{"// ", f.name, " checks: ", f.message},
		{"func ", f.name, "(", ctx, " ", plan.Ident("context", "Context"), ", ", op, " ", plan.Ident(plan.OperationPath, "Operation"), ", fldPath *", plan.Ident(plan.FieldPath, "Path"),
			", obj, ", old, " ", shape.NilableForm(f.self), ") ", list, " {"},
	}
	if byValue {
		lines = append(lines, []any{"oldObj = ", plan.Runtime("Was"), "(ctx, fldPath, oldObj, ", fmt.Sprint(f.omits), ")"})
	}
	if f.transition {
		lines = append(lines, []any{"if op.Type != ", plan.Ident(plan.OperationPath, "Update"), " || oldObj == nil {"}, []any{"return nil // a rule about a change"}, []any{"}"})
	}
	if k := shape.Native(f.self).Kind; k != types.Slice && k != types.Map {
		lines = append(lines, []any{"if obj == nil {"}, []any{"return nil"}, []any{"}"})
	}
	lines = append(lines, spell("if ", f.condition.spelled(), " {"), []any{"return nil"}, []any{"}"})
	message := any(fmt.Sprintf("%q", f.message))
	if f.computed.typ != nil && f.reason != "Duplicate" { // which has no message
		lines, message = append(lines, f.compute()...), "message"
	}
	return append(lines, f.failure(message), []any{"}"})
}

// compute is the message, if what it is made of is there.
func (f *function) compute() [][]any {
	lines := [][]any{
		{fmt.Sprintf("message := %q", f.message)},
		spell("message = validate_message(", f.computed.code, ", message)"),
	}
	if f.computed.guards.always() {
		return lines
	}
	return [][]any{lines[0], spell("if ", f.computed.guards.spelled(), " {"), lines[1], {"}"}}
}

// failure is the line that returns the error of a rule.
func (f *function) failure(message any) []any {
	line := []any{"return ", plan.Ident(plan.FieldPath, "ErrorList"), "{", plan.Ident(plan.FieldPath, f.reason), "(", f.path, ", "}
	if f.reason == "Invalid" || f.reason == "Duplicate" {
		if shape.Bare(f.self).Kind == types.Builtin && f.path == "fldPath" {
			line = append(line, "*obj")
		} else {
			line = append(line, plan.Ident(plan.FieldPath, "OmitValueType"), "{}")
		}
	}
	switch f.reason {
	case "Invalid":
		line = append(line, ", ", message)
	case "Forbidden", "Required":
		line = append(line, message)
	}
	return append(line, `).WithOrigin("rule")}`)
}

// helperMessage holds computed messages to what servers of CustomResourceDefinitions want of them.
var helperMessage = plan.Helper{Name: "validate_message", Lines: func() [][]any {
	return [][]any{
		{"// validate_message is a computed message without the space around it, or the other one if it is empty, too long or of several lines."},
		{"func validate_message(computed, other string) string {"},
		{"computed = ", plan.Ident("strings", "TrimSpace"), "(computed)"},
		{"if computed == \"\" || len(computed) > 5<<10 || ", plan.Ident("strings", "ContainsAny"), `(computed, "\r\n") {`},
		{"return other"},
		{"}"},
		{"return computed"},
		{"}"},
	}
}}
