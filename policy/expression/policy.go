package expression

import (
	"github.com/google/cel-go/cel"
	admissionregistrationv1 "k8s.io/api/admissionregistration/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/util/validation/field"
)

// Policy is a policy whose expressions are compiled. It may be used from any goroutine.
type Policy struct {
	conditions  conditions
	variables   map[string]*program // by their names with the prefix
	validations []validation
	annotations []annotation
}

type validation struct {
	*program
	message *program // nil for none
	text    string   // what is said if there is no message, or none comes of it
	reason  metav1.StatusReason
}

type annotation struct {
	*program
	key string
}

// Compile compiles the expressions of a policy. The errors are what is wrong with them, below path.
// The spec has been validated otherwise, and is not modified.
func Compile(spec *admissionregistrationv1.ValidatingAdmissionPolicySpec, path *field.Path) (*Policy, field.ErrorList) {
	e, err := environment()
	if err == nil && spec.ParamKind != nil {
		e, err = e.Extend(cel.Variable(paramsName, cel.DynType))
	}
	if err != nil {
		return nil, field.ErrorList{field.InternalError(path, err)}
	}
	p := &Policy{variables: map[string]*program{}}
	var errs field.ErrorList
	add := func(e *cel.Env, text string, path *field.Path, types ...*cel.Type) *program {
		compiled, err := compile(e, text, path, types...)
		if err != nil {
			errs = append(errs, err)
		}
		return compiled
	}
	var problems field.ErrorList
	p.conditions, problems = compileConditions(e, spec.MatchConditions, path.Child("matchConditions"))
	errs = append(errs, problems...)
	for i, v := range spec.Variables {
		at := path.Child("variables").Index(i)
		compiled, result := add(e, v.Expression, at.Child("expression")), cel.DynType
		if compiled != nil {
			result = compiled.result
		}
		p.variables[variablePrefix+v.Name] = compiled
		if e, err = e.Extend(cel.Variable(variablePrefix+v.Name, result)); err != nil {
			return nil, append(errs, field.Invalid(at.Child("name"), v.Name, err.Error()))
		}
	}
	for i := range spec.Validations {
		v, at := &spec.Validations[i], path.Child("validations").Index(i)
		compiled := validation{program: add(e, v.Expression, at.Child("expression"), cel.BoolType), text: v.Message, reason: metav1.StatusReasonInvalid}
		if v.MessageExpression != "" {
			compiled.message = add(e, v.MessageExpression, at.Child("messageExpression"), cel.StringType)
		}
		if v.Reason != nil {
			compiled.reason = *v.Reason
		}
		p.validations = append(p.validations, compiled)
	}
	for i, a := range spec.AuditAnnotations {
		at := path.Child("auditAnnotations").Index(i).Child("valueExpression")
		p.annotations = append(p.annotations, annotation{add(e, a.ValueExpression, at, cel.StringType, cel.NullType, cel.DynType), a.Key})
	}
	if len(errs) > 0 {
		return nil, errs
	}
	return p, nil
}
