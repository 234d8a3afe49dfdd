package expression

import (
	"context"
	"fmt"

	"github.com/google/cel-go/cel"
	"github.com/google/cel-go/common/types"
	"github.com/google/cel-go/common/types/ref"
	"github.com/google/cel-go/common/types/traits"
	admissionregistrationv1 "k8s.io/api/admissionregistration/v1"
	"k8s.io/apimachinery/pkg/util/json"
	"k8s.io/apimachinery/pkg/util/validation/field"
	"k8s.io/apiserver/pkg/cel/common"
	"k8s.io/apiserver/pkg/cel/library"
	celmutation "k8s.io/apiserver/pkg/cel/mutation"
	"k8s.io/apiserver/pkg/cel/mutation/dynamic"
)

// What mutations are made of.
var (
	objectType = types.NewObjectType(celmutation.ObjectTypeName)
	patchType  = cel.ListType(types.NewObjectType(celmutation.JSONPatchTypeName))
)

// mutation is an expression whose value is an apply configuration, or a list of operations of a
// JSON patch.
type mutation struct {
	*program
	configures bool
}

// CompileMutations is Compile for a policy that mutates.
func CompileMutations(spec *admissionregistrationv1.MutatingAdmissionPolicySpec, path *field.Path) (*Policy, field.ErrorList) {
	c, errs := begin(spec.ParamKind, spec.MatchConditions, spec.Variables, path)
	if c == nil {
		return nil, errs
	}
	var err error
	if c.env, err = c.env.Extend(common.ResolverEnvOption(&celmutation.DynamicTypeResolver{}), library.JSONPatch()); err != nil {
		return nil, field.ErrorList{field.InternalError(path, err)}
	}
	for i := range spec.Mutations {
		m, at := &spec.Mutations[i], path.Child("mutations").Index(i)
		switch {
		case m.ApplyConfiguration != nil:
			c.mutation(m.ApplyConfiguration.Expression, at.Child("applyConfiguration", "expression"), true, objectType)
		case m.JSONPatch != nil:
			c.mutation(m.JSONPatch.Expression, at.Child("jsonPatch", "expression"), false, patchType)
		}
	}
	return c.end()
}

func (c *compiler) mutation(text string, path *field.Path, configures bool, result *cel.Type) {
	c.policy.mutations = append(c.policy.mutations, mutation{c.add(text, path, result), configures})
}

// Change is what a mutation makes of an object: one of the two.
type Change struct {
	// Applied is an apply configuration.
	Applied map[string]any
	// Patch is a JSON patch.
	Patch []byte
}

// Mutate evaluates the mutations of a policy one after the other, if its conditions are met. change
// carries one out, and returns the request that the next one sees. The errors are of what can't be
// evaluated or carried out. They do not keep the others from it.
func (p *Policy) Mutate(ctx context.Context, in *Input, change func(Change) (*Input, error)) (errs []error) {
	ctx, cancel := context.WithTimeout(ctx, patience)
	defer cancel()
	s := p.scope(in, &budget{ctx, conditionsBudget})
	if met, err := p.conditions.met(s.budget, s); err != nil {
		return []error{err}
	} else if !met {
		return nil
	}
	for _, m := range p.mutations {
		wanted, err := m.evaluate(p.scope(in, &budget{ctx, policyBudget}))
		if err == nil {
			var next *Input
			if next, err = change(wanted); err == nil {
				in = next
			}
		}
		if err != nil {
			errs = append(errs, err)
		}
	}
	return errs
}

func (m mutation) evaluate(s *scope) (c Change, err error) {
	value, err := s.budget.spend(m.program, s)
	switch {
	case err != nil:
		return c, err
	case m.configures:
		c.Applied, err = configuration(value)
	default:
		c.Patch, err = patch(value)
	}
	if err != nil {
		err = fmt.Errorf("expression '%s': %w", m.text, err)
	}
	return c, err
}

// configuration is the tree of an apply configuration.
func configuration(value ref.Val) (map[string]any, error) {
	if err := checkTypes(value); err != nil {
		return nil, err
	}
	content, err := plain(value)
	if err != nil {
		return nil, err
	}
	applied, ok := content.(map[string]any)
	if !ok {
		return nil, fmt.Errorf("it is a %s, want an Object", value.Type().TypeName())
	}
	return applied, nil
}

// patch is the JSON of a JSON patch.
func patch(value ref.Val) ([]byte, error) {
	list, ok := value.(traits.Lister)
	if !ok {
		return nil, fmt.Errorf("it is a %s, want a list of JSONPatch", value.Type().TypeName())
	}
	operations := []map[string]any{}
	for it := list.Iterator(); it.HasNext() == types.True; {
		one, ok := it.Next().(*celmutation.JSONPatchVal)
		if !ok {
			return nil, fmt.Errorf("element %d of the list is no JSONPatch", len(operations))
		}
		operation := map[string]any{"op": one.Op, "path": one.Path}
		if one.From != "" {
			operation["from"] = one.From
		}
		if one.Val != nil {
			if err := checkTypes(one.Val); err != nil {
				return nil, err
			}
			var err error
			if operation["value"], err = plain(one.Val); err != nil {
				return nil, err
			}
		}
		operations = append(operations, operation)
	}
	return json.Marshal(operations)
}

// checkTypes says whether what is below a field is of the type that has the name of the field. CEL
// does not.
func checkTypes(value ref.Val) error {
	if object, ok := value.(*dynamic.ObjectVal); ok {
		if err := object.CheckTypeNamesMatchFieldPathNames(); err != nil {
			return fmt.Errorf("type mismatch: %w", err)
		}
	}
	return nil
}
