package printer

import (
	"slices"
	"strings"

	"k8s.io/gengo/v2/types"

	"github.com/typeplane/typeplane/generators/internal/model"
	"github.com/typeplane/typeplane/generators/internal/validation/graph"
	"github.com/typeplane/typeplane/generators/internal/validation/plan"
	"github.com/typeplane/typeplane/generators/internal/validation/shape"
)

// field prints a block that validates one field of a struct.
func (pr *printer) field(n *graph.Node, f *graph.Part) {
	calls := allCalls(f)
	typ := n.Type
	descend := f.Node != nil && (f.Node.Type.Kind == types.Alias || f.Node.Type.Kind == types.Struct) && f.Node.Validates()
	keys := f.Node != nil && f.Node.KeyNode().Validates() && len(f.EachKey.Calls) > 0
	vals := f.Node != nil && f.Node.ElemNode().Validates() && len(f.EachVal.Calls) > 0
	if len(calls)+len(f.Plan.Notes) == 0 && !descend && !keys && !vals {
		pr.P("// field ", typ, ".", f.Name, " has no validation")
		return
	}
	value, prefix := fieldForm(f.Type)
	pr.P("{ // field ", typ, ".", f.Name)
	pr.P("fn := func(")
	pr.P("fldPath *", plan.Ident(plan.FieldPath, "Path"), ",")
	pr.P("obj, oldObj ", value, ",")
	pr.P("oldValueCorrelated bool) (errs ", plan.Ident(plan.FieldPath, "ErrorList"), ") {")
	pr.notes(f.Plan.Notes)
	pr.notes(f.Plan.Left)
	calls = pr.always(calls)
	if len(calls) > 0 || descend || keys || vals {
		pr.unchanged(f.Type)
	}
	if f.Optional && (len(calls) > 0 || descend) {
		pr.P("// what was left out is not looked into")
		pr.P("if ", plan.Runtime("StructLeftOut"), "(ctx, fldPath, obj) {")
		pr.P("return nil")
		pr.P("}")
	}
	pr.use(f.Plan.Helpers)
	calls, rules := parted(calls)
	if len(calls) > 0 {
		pr.P("// call field-attached validations")
		pr.calls(calls)
	}
	if descend {
		pr.callOfType(f, calls)
	}
	if keys {
		pr.calls(f.EachKey.Calls)
	}
	if vals {
		pr.calls(f.EachVal.Calls)
	}
	pr.rules(rules)
	pr.P("return")
	pr.P("}")
	// An old object that has nothing to compare with is not the same as one in which the field is
	// not set: fn is told.
	pr.P("oldVal := ", plan.Ident(plan.SafePath, "Field"), "(oldObj,")
	pr.P("func(oldObj *", typ, ") ", value, " {")
	pr.P("return ", prefix, "oldObj.", f.Name)
	pr.P("})")
	pr.P("errs = append(errs, fn(", pr.path(f), ", ", prefix, "obj.", f.Name, ", oldVal, oldObj != nil)...)")
	pr.P("}")
	pr.P()
}

// always prints those calls that are made in any case, and returns the others.
func (pr *printer) always(calls []plan.Call) (others []plan.Call) {
	for _, c := range calls {
		if !c.Always {
			others = append(others, c)
			continue
		}
		pr.P("// required in what is sent, so also of an update that leaves it alone")
		pr.P("if e := ", pr.call(c), ".MarkShortCircuit(); len(e) != 0 {")
		pr.P("return e")
		pr.P("}")
	}
	return others
}

// callOfType prints the call of the function that the field's type has, which expects something
// behind a pointer.
func (pr *printer) callOfType(f *graph.Part, calls []plan.Call) {
	maybeNil := f.Type.Kind == types.Pointer && !slices.ContainsFunc(calls, func(c plan.Call) bool {
		return c.Stop && c.Cohort == "" && (c.Func == plan.Lib("RequiredPointer") || c.Func == plan.Lib("OptionalPointer"))
	})
	pr.P("// call the type's validation function")
	if maybeNil {
		pr.P("if obj != nil {")
	}
	pr.P("errs = append(errs, ", pr.resolve(f.Node.Func), "(ctx, op, fldPath, obj, oldObj)...)")
	if maybeNil {
		pr.P("}")
	}
}

// path is the path of a field. The fields of an embedded struct stand beside those of the outer
// one.
func (pr *printer) path(f *graph.Part) string {
	if f.JSON == "" {
		return "fldPath"
	}
	return `fldPath.Child("` + f.JSON + `")`
}

// allCalls are those that the tags of a field ask for. A list of pointers is looked through for nil
// first: all other functions expect something behind the pointers.
func allCalls(f *graph.Part) []plan.Call {
	calls := f.Plan.Calls
	t := shape.Native(f.Type)
	if t.Kind == types.Slice && t.Elem.Kind == types.Pointer && (len(calls) > 0 || f.Node.Validates() || f.Node.ElemNode().Validates()) {
		noNils := plan.Call{Func: plan.Lib("PtrSliceNoNils"), Stop: true, TypeArgs: []plan.TypeArg{{Type: t.Elem.Elem}}}
		return append([]plan.Call{noNils}, calls...)
	}
	return calls
}

// fieldForm is the type of a field as functions take it, and what is put before the field to get
// there.
func fieldForm(t *types.Type) (form *types.Type, prefix string) {
	leaf := model.Pointee(t)
	pointers := 0
	for p := t; p.Kind == types.Pointer; p = p.Elem {
		pointers++
	}
	switch {
	case pointers > 0 && slices.Contains([]types.Kind{types.Slice, types.Map}, shape.Native(leaf).Kind):
		return t, "" // which is not looked into
	case shape.Nilable(leaf):
		return leaf, strings.Repeat("*", pointers)
	case pointers == 0:
		return types.PointerTo(leaf), "&"
	}
	return types.PointerTo(leaf), strings.Repeat("*", pointers-1)
}

// unchanged prints that an update which leaves a value alone does not validate it again.
func (pr *printer) unchanged(t *types.Type) {
	pr.P("// don't revalidate unchanged data")
	pr.P("if oldValueCorrelated && op.Type == ", plan.Ident(plan.OperationPath, "Update"), " {")
	switch {
	case shape.ByValue(shape.Bare(t)):
		pr.P("if obj == oldObj || (obj != nil && oldObj != nil && *obj == *oldObj) {")
	case shape.Hides(t):
		pr.P("if ", plan.Runtime("Same"), "(obj, oldObj) {")
	default:
		pr.P("if ", plan.Ident(plan.EqualityPath, "Semantic"), ".DeepEqual(obj, oldObj) {")
	}
	pr.P("return nil")
	pr.P("}")
	pr.P("}")
}
