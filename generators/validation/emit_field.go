package validation

import (
	"slices"
	"strings"

	"k8s.io/gengo/v2/types"

	"github.com/typeplane/typeplane/generators/model"
)

// field prints a block that validates one field of a struct.
func (pr *printer) field(n *node, f *part) {
	calls := f.allCalls()
	typ := n.typ
	descend := f.node != nil && (f.node.typ.Kind == types.Alias || f.node.typ.Kind == types.Struct) && f.node.validates()
	keys := f.node != nil && f.node.keyNode().validates() && len(f.eachKey.calls) > 0
	vals := f.node != nil && f.node.elemNode().validates() && len(f.eachVal.calls) > 0
	if len(calls)+len(f.plan.notes) == 0 && !descend && !keys && !vals {
		pr.P("// field ", typ, ".", f.name, " has no validation")
		return
	}
	value, prefix := fieldForm(f.typ)
	pr.P("{ // field ", typ, ".", f.name)
	pr.P("fn := func(")
	pr.P("fldPath *", ident(fieldPath, "Path"), ",")
	pr.P("obj, oldObj ", value, ",")
	pr.P("oldValueCorrelated bool) (errs ", ident(fieldPath, "ErrorList"), ") {")
	pr.notes(f.plan.notes)
	pr.notes(f.plan.left)
	if len(calls) > 0 || descend || keys || vals {
		pr.unchanged(f.typ)
	}
	if len(calls) > 0 {
		pr.P("// call field-attached validations")
		pr.use(f.plan.helpers)
		pr.calls(calls)
	}
	if descend {
		pr.callOfType(f, calls)
	}
	if keys {
		pr.calls(f.eachKey.calls)
	}
	if vals {
		pr.calls(f.eachVal.calls)
	}
	pr.P("return")
	pr.P("}")
	// An old object that has nothing to compare with is not the same as one in which the field is not set: fn is told.
	pr.P("oldVal := ", ident(safePath, "Field"), "(oldObj,")
	pr.P("func(oldObj *", typ, ") ", value, " {")
	pr.P("return ", prefix, "oldObj.", f.name)
	pr.P("})")
	pr.P("errs = append(errs, fn(", pr.path(f), ", ", prefix, "obj.", f.name, ", oldVal, oldObj != nil)...)")
	pr.P("}")
	pr.P()
}

// callOfType prints the call of the function that the field's type has, which expects something behind a pointer.
func (pr *printer) callOfType(f *part, calls []call) {
	maybeNil := f.typ.Kind == types.Pointer && !slices.ContainsFunc(calls, func(c call) bool {
		return c.stop && c.cohort == "" && (c.fn == lib("RequiredPointer") || c.fn == lib("OptionalPointer"))
	})
	pr.P("// call the type's validation function")
	if maybeNil {
		pr.P("if obj != nil {")
	}
	pr.P("errs = append(errs, ", pr.resolve(f.node.fn), "(ctx, op, fldPath, obj, oldObj)...)")
	if maybeNil {
		pr.P("}")
	}
}

// path is the path of a field. The fields of an embedded struct stand beside those of the outer one; but errors of a
// kind need some path, so there, as in Kubernetes, it is the name of the type.
func (pr *printer) path(f *part) string {
	if f.json != "" {
		return `fldPath.Child("` + f.json + `")`
	}
	return pr.Ident(safePath, "Value") + "(fldPath, func() *" + pr.Ident(fieldPath, "Path") + ` { return fldPath.Child("` + pr.Type(model.Pointee(f.typ)) + `") })`
}

// allCalls are those that the tags of a field ask for. A list of pointers is looked through for nil first: all
// other functions expect something behind the pointers.
func (f *part) allCalls() []call {
	calls := f.plan.calls
	t := native(f.typ)
	if t.Kind == types.Slice && t.Elem.Kind == types.Pointer && (len(calls) > 0 || f.node.validates() || f.node.elemNode().validates()) {
		noNils := call{fn: lib("PtrSliceNoNils"), stop: true, typeArgs: []typeArg{{t: t.Elem.Elem}}}
		return append([]call{noNils}, calls...)
	}
	return calls
}

// fieldForm is the type of a field as functions take it, and what is put before the field to get there.
func fieldForm(t *types.Type) (form *types.Type, prefix string) {
	leaf := model.Pointee(t)
	pointers := 0
	for p := t; p.Kind == types.Pointer; p = p.Elem {
		pointers++
	}
	switch {
	case nilable(leaf):
		return leaf, strings.Repeat("*", pointers)
	case pointers == 0:
		return types.PointerTo(leaf), "&"
	}
	return types.PointerTo(leaf), strings.Repeat("*", pointers-1)
}

// unchanged prints that an update which leaves a value alone does not validate it again.
func (pr *printer) unchanged(t *types.Type) {
	pr.P("// don't revalidate unchanged data")
	pr.P("if oldValueCorrelated && op.Type == ", ident(operationPath, "Update"), " {")
	if byValue(bare(t)) {
		pr.P("if obj == oldObj || (obj != nil && oldObj != nil && *obj == *oldObj) {")
	} else {
		pr.P("if ", ident(equalityPath, "Semantic"), ".DeepEqual(obj, oldObj) {")
	}
	pr.P("return nil")
	pr.P("}")
	pr.P("}")
}
