package validation

import (
	"fmt"
	"strings"

	"k8s.io/gengo/v2/codetags"
	"k8s.io/gengo/v2/types"

	"github.com/typeplane/typeplane/generators/diag"
	"github.com/typeplane/typeplane/generators/emit"
)

const customPrefix = "ValidateCustom_"

func customRules() []rule {
	return []rule{{
		name: "k8s:customValidation", scopes: onType | onField, example: "+k8s:customValidation",
		doc: "Calls ValidateCustom_<Type> or ValidateCustom_<Type>_<Field>, which is written by hand in the package of the generated file. " +
			"It takes (ctx context.Context, op operation.Operation, fldPath *field.Path, value, oldValue *T) and returns a field.ErrorList.",
		plan: (*planner).custom,
	}}
}

func (p *planner) custom(s *site, _ codetags.Tag) (plan, error) {
	owner, name := s.typ, ""
	if s.scope == onField {
		owner, name = s.parentType, "_"+s.member.Name
	}
	fn := emit.Ident{Path: p.outputs[owner.Name.Package], Name: customPrefix + owner.Name.Name + name}
	if fn.Path == "" {
		return plan{}, fault{"it calls a function of the module that the type is from, which this one does not have", ""}
	}
	pkg := p.model.Package(fn.Path)
	var decl *types.Type
	if pkg != nil {
		decl = pkg.Types.Functions[fn.Name]
	}
	p.claimed[fn] = true
	value := nilableForm(s.typ)
	signature := fmt.Sprintf("func %s(ctx context.Context, op operation.Operation, fldPath *field.Path, value, oldValue %s) field.ErrorList", fn.Name, shortType(value))
	switch {
	case decl == nil:
		return plan{}, fault{"the function " + fn.Name + " is missing", "write " + signature}
	case !customSignature(decl.Underlying.Signature, value):
		return plan{}, fault{"the function " + fn.Name + " has another signature", "make it " + signature}
	}
	return of(call{fn: fn, notes: []string{"custom validation"}}), nil
}

func customSignature(s *types.Signature, value *types.Type) bool {
	if s == nil || s.Variadic || len(s.Parameters) != 5 || len(s.Results) != 1 {
		return false
	}
	is := func(t *types.Type, path, name string) bool { return t.Name == types.Name{Package: path, Name: name} }
	in := s.Parameters
	return is(in[0].Type, "context", "Context") && is(in[1].Type, operationPath, "Operation") &&
		in[2].Type.Kind == types.Pointer && is(in[2].Type.Elem, fieldPath, "Path") &&
		in[3].Type.String() == value.String() && in[4].Type.String() == value.String() &&
		is(s.Results[0].Type, fieldPath, "ErrorList")
}

// shortType is a type as it is written in its own package.
func shortType(t *types.Type) string {
	switch {
	case t.Name.Package != "":
		return t.Name.Name
	case t.Kind == types.Pointer:
		return "*" + shortType(t.Elem)
	case t.Kind == types.Slice:
		return "[]" + shortType(t.Elem)
	case t.Kind == types.Map:
		return "map[" + shortType(t.Key) + "]" + shortType(t.Elem)
	}
	return t.Name.Name
}

// strayCustoms reports functions that look as if they were called, and are not. If nothing this run knows of calls one,
// that is a warning.
func (p *planner) strayCustoms() {
	for input, output := range p.outputs {
		for _, path := range []string{input, output} {
			pkg := p.model.Package(path)
			if pkg == nil || !pkg.Main {
				continue
			}
			for name, fn := range pkg.Types.Functions {
				if !strings.HasPrefix(name, customPrefix) || p.claimed[emit.Ident{Path: path, Name: name}] {
					continue
				}
				problem := diag.Problem{Pos: p.model.FuncPos(fn), Path: name, Message: "nothing calls the function", Cure: "tag the type or field that it is called after with +k8s:customValidation, or rename it"}
				if path == output { // a package that is not of this run may do it
					p.report.Warn(problem)
					continue
				}
				problem.Message, problem.Cure = "the function is not in the package that calls it", "move it to "+output
				p.report.Add(problem)
			}
		}
	}
}
