package expression

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/google/cel-go/common/types"
	"github.com/google/cel-go/common/types/ref"
	"github.com/google/cel-go/interpreter"
	admissionv1 "k8s.io/api/admission/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/util/json"
	"k8s.io/apiserver/pkg/cel/library"

	"github.com/typeplane/typeplane/auth"
)

// Input is a request as expressions see it: JSON values, of which whole numbers are int64. It is
// not modified.
type Input struct {
	Object, Old, Request any
	// Params and Namespace are nil for none.
	Params, Namespace any
	// Authorizer says who may do what; nil: nobody may do anything.
	Authorizer auth.Authorizer

	about target
}

// NewInput reads a request, without Params, Namespace and Authorizer. The request is not modified,
// and kept.
func NewInput(request *admissionv1.AdmissionRequest) (*Input, error) {
	in := &Input{about: target{request}}
	for _, part := range []struct {
		raw  []byte
		into *any
	}{{request.Object.Raw, &in.Object}, {request.OldObject.Raw, &in.Old}} {
		if len(part.raw) == 0 {
			continue
		}
		if err := json.Unmarshal(part.raw, part.into); err != nil {
			return nil, err
		}
	}
	bare := *request
	bare.Object.Raw, bare.OldObject.Raw = nil, nil
	data, err := json.Marshal(&bare)
	if err != nil {
		return nil, err
	}
	said := map[string]any{}
	if err := json.Unmarshal(data, &said); err != nil {
		return nil, err
	}
	for _, absent := range []string{"uid", "object", "oldObject"} {
		delete(said, absent)
	}
	for _, always := range []string{"name", "namespace", "subResource", "requestSubResource"} {
		if said[always] == nil {
			said[always] = ""
		}
	}
	in.Request = said
	return in, nil
}

// With returns the input with other params.
func (in *Input) With(params any) *Input {
	other := *in
	other.Params = params
	return &other
}

// Failure is a validation that is not met, or can't be evaluated.
type Failure struct {
	// Index is that of the validation, -1 for a policy that can't be evaluated.
	Index   int
	Message string
	// Reason is "" if it can't be evaluated.
	Reason metav1.StatusReason
}

// Result is what a policy says. Errors are apart from Failures, since the policy says what happens
// to them.
type Result struct {
	Failures    []Failure
	Errors      []Failure
	Annotations []Annotation
	// AnnotationErrors are those of annotations.
	AnnotationErrors []string
}

// Annotation is for the audit log.
type Annotation struct{ Key, Value string }

// The bounds of what expressions say.
const (
	maxMessage    = 5 << 10
	maxAnnotation = 10 << 10
)

// Evaluate judges a request. It ends with the context, or when the expressions have cost what they
// may.
func (p *Policy) Evaluate(ctx context.Context, in *Input) Result {
	return p.evaluate(ctx, in, policyBudget)
}

func (p *Policy) evaluate(ctx context.Context, in *Input, steps uint64) (result Result) {
	ctx, cancel := context.WithTimeout(ctx, patience)
	defer cancel()
	s := p.scope(in, &budget{ctx, conditionsBudget})
	if met, err := p.conditions.met(s.budget, s); err != nil {
		result.Errors = []Failure{{Index: -1, Message: err.Error()}}
		return result
	} else if !met {
		return result
	}
	s.budget = &budget{ctx, steps}
	for i := range p.validations {
		v := &p.validations[i]
		switch value, err := s.budget.spend(v.program, s); {
		case err != nil:
			result.Errors = append(result.Errors, Failure{Index: i, Message: err.Error()})
		case value != types.True:
			result.Failures = append(result.Failures, Failure{i, v.say(s), v.reason})
		}
	}
	for _, a := range p.annotations {
		value, err := s.budget.spend(a.program, s)
		if err != nil {
			result.AnnotationErrors = append(result.AnnotationErrors, err.Error())
			continue
		}
		switch value := value.(type) {
		case types.String:
			if text := strings.TrimSpace(string(value)); text != "" {
				result.Annotations = append(result.Annotations, Annotation{a.key, strings.ToValidUTF8(text[:min(len(text), maxAnnotation)], "")})
			}
		case types.Null:
		default:
			result.AnnotationErrors = append(result.AnnotationErrors, fmt.Sprintf("valueExpression '%s' resulted in unsupported return type: %s. Return type must be either string or null.", a.text, value.Type().TypeName()))
		}
	}
	return result
}

// say is what a client is told of a validation that is not met. A message that is none does not
// count.
func (v *validation) say(s *scope) string {
	if v.message != nil {
		if value, err := s.budget.spend(v.message, s); err == nil {
			said, _ := value.(types.String)
			text := strings.TrimSpace(string(said))
			if text != "" && len(text) <= maxMessage && !strings.Contains(text, "\n") {
				return text
			}
		}
	}
	if text := strings.TrimSpace(v.text); text != "" {
		return text
	}
	return "failed expression: " + v.program.text
}

// scope is what names mean in an evaluation. Variables are evaluated when they are asked for, once.
// It is for one goroutine.
type scope struct {
	input  *Input
	policy *Policy // nil for conditions without one
	budget *budget
	values map[string]ref.Val
	under  []string // variables that are being evaluated
}

// scope is a new one, in which nothing has been evaluated.
func (p *Policy) scope(in *Input, b *budget) *scope {
	return &scope{input: in, policy: p, budget: b, values: map[string]ref.Val{}}
}

var _ interpreter.Activation = (*scope)(nil)

// Parent is none.
func (*scope) Parent() interpreter.Activation { return nil }

// ResolveName returns what a name stands for.
func (s *scope) ResolveName(name string) (any, bool) {
	switch name {
	case objectName:
		return s.input.Object, true
	case oldName:
		return s.input.Old, true
	case requestName:
		return s.input.Request, true
	case paramsName:
		return s.input.Params, true
	case namespaceName:
		return s.input.Namespace, true
	case authorizerName:
		return library.NewAuthorizerVal(s.input.about.user(), asker{s.budget.ctx, s.input.Authorizer}), true
	case requestCheckName:
		return library.NewResourceAuthorizerVal(s.input.about.user(), asker{s.budget.ctx, s.input.Authorizer}, s.input.about), true
	}
	if s.policy == nil || s.policy.variables[name] == nil || slices.Contains(s.under, name) {
		return nil, false
	}
	if value, ok := s.values[name]; ok {
		return value, true
	}
	s.under = append(s.under, name)
	value, err := s.budget.spend(s.policy.variables[name], s)
	s.under = s.under[:len(s.under)-1]
	var inner *variableError
	switch {
	case errors.As(err, &inner):
		value = types.WrapErr(inner)
	case err != nil:
		value = types.WrapErr(&variableError{strings.TrimPrefix(name, variablePrefix), err})
	}
	s.values[name] = value
	return value, true
}
