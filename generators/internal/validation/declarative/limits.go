package declarative

import (
	"fmt"
	"math/big"
	"strconv"

	"k8s.io/gengo/v2/codetags"
	"k8s.io/gengo/v2/types"

	"github.com/typeplane/typeplane/generators/internal/validation/plan"
	"github.com/typeplane/typeplane/generators/internal/validation/rule"
	"github.com/typeplane/typeplane/generators/internal/validation/shape"
)

// Sized is a rule about how much there is of something: a non-negative number.
type Sized struct {
	Fn, What, Emits, Origin string
	Lower, Stop             bool
	// Suits says what is wrong with a type, "" if nothing is.
	Suits func(t *types.Type) string
	max   int64 // 0 is no limit
}

func (z Sized) Plan(_ *rule.Planner, s *rule.Site, t codetags.Tag) (plan.Plan, error) {
	if message := z.Suits(s.Type); message != "" {
		return plan.Plan{}, plan.Fault{Message: message, Cure: "remove the tag", Misfit: true}
	}
	n, err := strictInt(t.Value)
	if err != nil {
		return plan.Plan{}, err
	}
	if n < 0 {
		return plan.Plan{}, plan.Fault{Message: fmt.Sprintf("%d is negative", n), Cure: "want 0 or more"}
	}
	if z.max > 0 && n > z.max {
		return plan.Plan{}, plan.Fault{Message: fmt.Sprintf("%d is too large", n), Cure: fmt.Sprintf("want at most %d", z.max)}
	}
	if z.Fn == "MinLength" && n == 0 {
		return plan.Plan{}, nil // it says that somebody thought about it
	}
	return plan.Of(plan.Call{
		Func: plan.Lib(z.Fn), Args: []any{int(n)}, Stop: z.Stop, Emits: []plan.Emission{{Type: z.Emits, Origin: z.Origin, Path: ""}},
		Limit: &plan.Limit{What: z.What, Lower: z.Lower, Value: new(big.Float).SetInt64(n)},
	}), nil
}

func lengthRules() []rule.Rule {
	return []rule.Rule{
		{Name: "k8s:minLength", Scopes: rule.OnAny, Value: rule.Integer, Example: "+k8s:minLength=1", Doc: "Fewest characters of a string.",
			Plan: Sized{Fn: "MinLength", What: "length", Lower: true, Emits: "FieldValueTooShort", Origin: "minLength", Suits: shape.WantString}.Plan},
		{Name: "k8s:maxLength", Scopes: rule.OnAny, Value: rule.Integer, Example: "+k8s:maxLength=63", Doc: "Most characters of a string.",
			Plan: Sized{Fn: "MaxLength", What: "length", Emits: "FieldValueTooLong", Origin: "maxLength", Suits: shape.WantString}.Plan},
		{Name: "k8s:maxBytes", Scopes: rule.OnAny, Value: rule.Integer, Example: "+k8s:maxBytes=1024", Doc: "Most bytes of a string.",
			Plan: Sized{Fn: "MaxBytes", What: "bytes", Emits: "FieldValueTooLong", Origin: "maxBytes", Suits: shape.WantString}.Plan},
	}
}

const mostEntries = 100000

func sizeRules() []rule.Rule {
	lists := rule.OnType | rule.OnField | rule.OnItem | rule.OnValue
	return []rule.Rule{
		{Name: "k8s:minItems", Scopes: lists, Value: rule.Integer, Example: "+k8s:minItems=1", Doc: "Fewest items of a list.",
			Plan: Sized{Fn: "MinItems", What: "items", Lower: true, Emits: "FieldValueTooFew", Origin: "minItems", Suits: shape.WantList}.Plan},
		{Name: "k8s:maxItems", Scopes: lists, Value: rule.Integer, Example: "+k8s:maxItems=16", Doc: "Most items of a list. If there are more, the items are not validated.",
			Plan: Sized{Fn: "MaxItems", What: "items", Stop: true, Emits: "FieldValueTooMany", Origin: "maxItems", Suits: shape.WantList}.Plan},
		{Name: "k8s:minProperties", Scopes: rule.OnType | rule.OnField, Value: rule.Integer, Example: "+k8s:minProperties=1", Doc: "Fewest entries of a map.",
			Plan: Sized{Fn: "MinProperties", What: "entries", Lower: true, Emits: "FieldValueTooFew", Origin: "minProperties", Suits: shape.WantMap, max: mostEntries}.Plan},
		{Name: "k8s:maxProperties", Scopes: rule.OnType | rule.OnField, Value: rule.Integer, Example: "+k8s:maxProperties=64", Doc: "Most entries of a map. If there are more, they are not validated.",
			Plan: Sized{Fn: "MaxProperties", What: "entries", Stop: true, Emits: "FieldValueTooMany", Origin: "maxProperties", Suits: shape.WantMap, max: mostEntries}.Plan},
	}
}

func numberRules() []rule.Rule {
	return []rule.Rule{
		{Name: "k8s:minimum", Scopes: rule.OnAny, Value: rule.Integer, Example: "+k8s:minimum=0", Doc: "Smallest value of an integer.",
			Plan: func(_ *rule.Planner, s *rule.Site, t codetags.Tag) (plan.Plan, error) {
				return IntBound(s.Type, t.Value, true)
			}},
		{Name: "k8s:maximum", Scopes: rule.OnAny, Value: rule.Integer, Example: "+k8s:maximum=65535", Doc: "Largest value of an integer.",
			Plan: func(_ *rule.Planner, s *rule.Site, t codetags.Tag) (plan.Plan, error) {
				return IntBound(s.Type, t.Value, false)
			}},
	}
}

// IntBound bounds an integer by a value that its type can hold.
func IntBound(t *types.Type, value string, lower bool) (plan.Plan, error) {
	arg, err := IntFor(t, value)
	if err != nil {
		return plan.Plan{}, err
	}
	bound, _, err := big.ParseFloat(value, 10, 200, big.ToNearestEven)
	if err != nil {
		return plan.Plan{}, err
	}
	fn, origin := "Maximum", "maximum"
	if lower {
		fn, origin = "Minimum", "minimum"
	}
	return plan.Of(plan.Call{
		Func: plan.Lib(fn), Args: []any{arg}, Emits: []plan.Emission{{Type: "FieldValueInvalid", Origin: origin, Path: ""}},
		Limit: &plan.Limit{What: "value", Lower: lower, Value: bound},
	}), nil
}

// IntFor reads a value that fits the integer type t, as the Go value to print.
func IntFor(t *types.Type, value string) (any, error) {
	bits, signed := shape.IntSize(shape.Bare(t))
	if bits == 0 {
		return nil, plan.Fault{Message: "it is for integers, and this is " + shape.AKind(t), Cure: "remove the tag", Misfit: true}
	}
	var got any
	var err error
	if signed {
		got, err = strconv.ParseInt(value, 10, bits)
	} else {
		got, err = strconv.ParseUint(value, 10, bits)
	}
	if err == nil && fmt.Sprint(got) == value {
		return got, nil
	}
	if _, all := new(big.Int).SetString(value, 10); all && fmt.Sprint(got) != value && err != nil {
		return nil, plan.Fault{Message: fmt.Sprintf("%s does not fit the type %s, so it limits nothing", value, shape.Bare(t).Name.Name), Cure: "choose a value that " + shape.Article(shape.Bare(t).Name.Name) + " can have, or remove the tag"}
	}
	return nil, plan.Fault{Message: fmt.Sprintf("%s is no integer in its usual form", value), Cure: "write it in decimal, without signs or zeros in front"}
}

// strictInt reads an integer as it is usually written.
func strictInt(value string) (int64, error) {
	n, err := strconv.ParseInt(value, 10, 64)
	if err != nil || strconv.FormatInt(n, 10) != value {
		return 0, plan.Fault{Message: fmt.Sprintf("%s is no integer in its usual form", value), Cure: "write it in decimal, without signs or zeros in front"}
	}
	return n, nil
}
