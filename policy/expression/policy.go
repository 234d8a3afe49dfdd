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
	mutations   []mutation
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

// compiler compiles the expressions of one policy, one after the other.
type compiler struct {
	env    *cel.Env
	policy *Policy
	errs   field.ErrorList
}

// Compile compiles the expressions of a policy that validates. The errors are what is wrong with
// them, below path. The spec has been validated otherwise, and is not modified.
func Compile(spec *admissionregistrationv1.ValidatingAdmissionPolicySpec, path *field.Path) (*Policy, field.ErrorList) {
	c, errs := begin(spec.ParamKind, spec.MatchConditions, spec.Variables, path)
	if c == nil {
		return nil, errs
	}
	for i := range spec.Validations {
		v, at := &spec.Validations[i], path.Child("validations").Index(i)
		compiled := validation{program: c.add(v.Expression, at.Child("expression"), cel.BoolType), text: v.Message, reason: metav1.StatusReasonInvalid}
		if v.MessageExpression != "" {
			compiled.message = c.add(v.MessageExpression, at.Child("messageExpression"), cel.StringType)
		}
		if v.Reason != nil {
			compiled.reason = *v.Reason
		}
		c.policy.validations = append(c.policy.validations, compiled)
	}
	for i, a := range spec.AuditAnnotations {
		at := path.Child("auditAnnotations").Index(i).Child("valueExpression")
		c.policy.annotations = append(c.policy.annotations, annotation{c.add(a.ValueExpression, at, cel.StringType, cel.NullType, cel.DynType), a.Key})
	}
	return c.end()
}

// begin compiles what policies of both kinds have. It is nil if nothing else can be compiled.
func begin(params *admissionregistrationv1.ParamKind, conditions []admissionregistrationv1.MatchCondition, variables []admissionregistrationv1.Variable, path *field.Path) (*compiler, field.ErrorList) {
	env, err := environment()
	if err == nil && params != nil {
		env, err = env.Extend(cel.Variable(paramsName, cel.DynType))
	}
	if err != nil {
		return nil, field.ErrorList{field.InternalError(path, err)}
	}
	c := &compiler{env: env, policy: &Policy{variables: map[string]*program{}}}
	c.policy.conditions, c.errs = compileConditions(env, conditions, path.Child("matchConditions"))
	for i, v := range variables {
		at := path.Child("variables").Index(i)
		compiled, result := c.add(v.Expression, at.Child("expression")), cel.DynType
		if compiled != nil {
			result = compiled.result
		}
		c.policy.variables[variablePrefix+v.Name] = compiled
		if c.env, err = c.env.Extend(cel.Variable(variablePrefix+v.Name, result)); err != nil {
			return nil, append(c.errs, field.Invalid(at.Child("name"), v.Name, err.Error()))
		}
	}
	return c, nil
}

// add compiles an expression whose result is of one of the types, or of any if none are named. nil:
// it can't be compiled.
func (c *compiler) add(text string, path *field.Path, types ...*cel.Type) *program {
	compiled, err := compile(c.env, text, path, types...)
	if err != nil {
		c.errs = append(c.errs, err)
	}
	return compiled
}

func (c *compiler) end() (*Policy, field.ErrorList) {
	if len(c.errs) > 0 {
		return nil, c.errs
	}
	return c.policy, nil
}
