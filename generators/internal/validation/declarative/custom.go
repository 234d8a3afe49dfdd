package declarative

import (
	"fmt"
	"maps"
	"slices"
	"strings"

	"k8s.io/gengo/v2/codetags"
	"k8s.io/gengo/v2/types"

	"github.com/typeplane/typeplane/generators/internal/diag"
	"github.com/typeplane/typeplane/generators/internal/emit"
	"github.com/typeplane/typeplane/generators/internal/model"
	"github.com/typeplane/typeplane/generators/internal/validation/plan"
	"github.com/typeplane/typeplane/generators/internal/validation/rule"
	"github.com/typeplane/typeplane/generators/internal/validation/shape"
)

const customPrefix = "ValidateCustom_"

func customRules() []rule.Rule {
	return []rule.Rule{{
		Name: "k8s:customValidation", Scopes: rule.OnType | rule.OnField, Example: "+k8s:customValidation",
		Doc: "Calls ValidateCustom_<Type> or ValidateCustom_<Type>_<Field>, which is written by hand in the package of the generated file. " +
			"For a type of another module it may be in any package of the run that has such files. " +
			"It takes (ctx context.Context, op operation.Operation, fldPath *field.Path, value, oldValue *T) and returns a field.ErrorList.",
		Plan: custom,
	}}
}

func custom(p *rule.Planner, s *rule.Site, _ codetags.Tag) (plan.Plan, error) {
	owner, name := s.Type, ""
	if s.Scope == rule.OnField {
		owner, name = s.ParentType, "_"+s.Member.Name
	}
	fn := emit.Ident{Path: p.Outputs[owner.Name.Package], Name: customPrefix + owner.Name.Name + name}
	if fn.Path == "" {
		fn.Path = packageWith(p, fn.Name)
	}
	decl := function(p, fn)
	p.Claimed[fn] = true
	value := shape.NilableForm(s.Type)
	signature := fmt.Sprintf("func %s(ctx context.Context, op operation.Operation, fldPath *field.Path, value, oldValue %s) field.ErrorList", fn.Name, model.ShortName(value))
	switch {
	case decl == nil:
		return plan.Plan{}, plan.Fault{Message: "the function " + fn.Name + " is missing", Cure: "write " + signature, Anywhere: true}
	case !customSignature(decl.Underlying.Signature, value):
		return plan.Plan{}, plan.Fault{Message: "the function " + fn.Name + " has another signature", Cure: "make it " + signature, Anywhere: true}
	}
	return plan.Of(plan.Call{Func: fn, Notes: []string{"custom validation"}}), nil
}

// packageWith is the package of the run that has a function about a type of another module, "" if
// none has. Of several it is the first. So the function is written once for all that call it.
func packageWith(p *rule.Planner, name string) string {
	for _, path := range slices.Sorted(maps.Values(p.Outputs)) {
		if function(p, emit.Ident{Path: path, Name: name}) != nil {
			return path
		}
	}
	return ""
}

// function is the declaration of a function, nil if there is none.
func function(p *rule.Planner, fn emit.Ident) *types.Type {
	pkg := p.Model.Package(fn.Path)
	if pkg == nil {
		return nil
	}
	return pkg.Types.Functions[fn.Name]
}

func customSignature(s *types.Signature, value *types.Type) bool {
	if s == nil || s.Variadic || len(s.Parameters) != 5 || len(s.Results) != 1 {
		return false
	}
	is := func(t *types.Type, path, name string) bool { return t.Name == types.Name{Package: path, Name: name} }
	in := s.Parameters
	return is(in[0].Type, "context", "Context") && is(in[1].Type, plan.OperationPath, "Operation") &&
		in[2].Type.Kind == types.Pointer && is(in[2].Type.Elem, plan.FieldPath, "Path") &&
		in[3].Type.String() == value.String() && in[4].Type.String() == value.String() &&
		is(s.Results[0].Type, plan.FieldPath, "ErrorList")
}

// StrayCustoms reports functions that look as if they were called, and are not. If nothing this run
// knows of calls one, that is a warning.
func StrayCustoms(p *rule.Planner) {
	for input, output := range p.Outputs {
		for _, path := range []string{input, output} {
			pkg := p.Model.Package(path)
			if pkg == nil || !pkg.Main {
				continue
			}
			for name, fn := range pkg.Types.Functions {
				if !strings.HasPrefix(name, customPrefix) || p.Claimed[emit.Ident{Path: path, Name: name}] {
					continue
				}
				problem := diag.Problem{Pos: p.Model.FuncPos(fn), Path: name, Message: "nothing calls the function", Cure: "tag the type or field that it is called after with +k8s:customValidation, or rename it"}
				if path == output { // a package that is not of this run may do it
					p.Report.Warn(problem)
					continue
				}
				problem.Message, problem.Cure = "the function is not in the package that calls it", "move it to "+output
				p.Report.Add(problem)
			}
		}
	}
}
