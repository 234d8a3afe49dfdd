package validation

import (
	"fmt"
	"math/big"
	"strconv"

	"k8s.io/gengo/v2/codetags"
	"k8s.io/gengo/v2/types"
)

// limit is a bound that a call puts on something: the length of a string, the number of items, the value.
type limit struct {
	what  string // "length", "bytes", "items", "entries", "value"
	lower bool
	// exclusive says that the bound itself is not allowed.
	exclusive bool
	value     *big.Float
}

// sized is a rule about how much there is of something: a non-negative number.
type sized struct {
	fn, what, emits, origin string
	lower, stop             bool
	// suits says what is wrong with a type, "" if nothing is.
	suits func(t *types.Type) string
	max   int64 // 0 is no limit
}

func (z sized) plan(_ *planner, s *site, t codetags.Tag) (plan, error) {
	if message := z.suits(s.typ); message != "" {
		return plan{}, fault{message, "remove the tag"}
	}
	n, err := strictInt(t.Value)
	if err != nil {
		return plan{}, err
	}
	if n < 0 {
		return plan{}, fault{fmt.Sprintf("%d is negative", n), "want 0 or more"}
	}
	if z.max > 0 && n > z.max {
		return plan{}, fault{fmt.Sprintf("%d is too large", n), fmt.Sprintf("want at most %d", z.max)}
	}
	if z.fn == "MinLength" && n == 0 {
		return plan{}, nil // it says that somebody thought about it
	}
	return of(call{
		fn: lib(z.fn), args: []any{int(n)}, stop: z.stop, emits: []emission{{z.emits, z.origin, ""}},
		limit: &limit{what: z.what, lower: z.lower, value: new(big.Float).SetInt64(n)},
	}), nil
}

func wantString(t *types.Type) string {
	if isString(bare(t)) {
		return ""
	}
	return "it is for strings, and this is " + aKind(t)
}

func wantList(t *types.Type) string {
	if k := native(t).Kind; k == types.Slice || k == types.Array {
		return ""
	}
	return "it is for lists, and this is " + aKind(t)
}

func wantMap(t *types.Type) string {
	n := native(t)
	switch {
	case n.Kind != types.Map:
		return "it is for maps, and this is " + aKind(t)
	case !isString(native(n.Key)):
		return "it is for maps whose keys are strings"
	}
	return ""
}

func lengthRules() []rule {
	return []rule{
		{name: "k8s:minLength", scopes: onAny, value: integer, example: "+k8s:minLength=1", doc: "Fewest characters of a string.",
			plan: sized{fn: "MinLength", what: "length", lower: true, emits: "FieldValueTooShort", origin: "minLength", suits: wantString}.plan},
		{name: "k8s:maxLength", scopes: onAny, value: integer, example: "+k8s:maxLength=63", doc: "Most characters of a string.",
			plan: sized{fn: "MaxLength", what: "length", emits: "FieldValueTooLong", origin: "maxLength", suits: wantString}.plan},
		{name: "k8s:maxBytes", scopes: onAny, value: integer, example: "+k8s:maxBytes=1024", doc: "Most bytes of a string.",
			plan: sized{fn: "MaxBytes", what: "bytes", emits: "FieldValueTooLong", origin: "maxBytes", suits: wantString}.plan},
	}
}

const mostEntries = 100000

func sizeRules() []rule {
	lists := onType | onField | onItem | onValue
	return []rule{
		{name: "k8s:minItems", scopes: lists, value: integer, example: "+k8s:minItems=1", doc: "Fewest items of a list.",
			plan: sized{fn: "MinItems", what: "items", lower: true, emits: "FieldValueTooFew", origin: "minItems", suits: wantList}.plan},
		{name: "k8s:maxItems", scopes: lists, value: integer, example: "+k8s:maxItems=16", doc: "Most items of a list. If there are more, the items are not validated.",
			plan: sized{fn: "MaxItems", what: "items", stop: true, emits: "FieldValueTooMany", origin: "maxItems", suits: wantList}.plan},
		{name: "k8s:minProperties", scopes: onType | onField, value: integer, example: "+k8s:minProperties=1", doc: "Fewest entries of a map.",
			plan: sized{fn: "MinProperties", what: "entries", lower: true, emits: "FieldValueTooFew", origin: "minProperties", suits: wantMap, max: mostEntries}.plan},
		{name: "k8s:maxProperties", scopes: onType | onField, value: integer, example: "+k8s:maxProperties=64", doc: "Most entries of a map. If there are more, they are not validated.",
			plan: sized{fn: "MaxProperties", what: "entries", stop: true, emits: "FieldValueTooMany", origin: "maxProperties", suits: wantMap, max: mostEntries}.plan},
	}
}

func numberRules() []rule {
	return []rule{
		{name: "k8s:minimum", scopes: onAny, value: integer, example: "+k8s:minimum=0", doc: "Smallest value of an integer.",
			plan: func(_ *planner, s *site, t codetags.Tag) (plan, error) { return intBound(s.typ, t.Value, true) }},
		{name: "k8s:maximum", scopes: onAny, value: integer, example: "+k8s:maximum=65535", doc: "Largest value of an integer.",
			plan: func(_ *planner, s *site, t codetags.Tag) (plan, error) { return intBound(s.typ, t.Value, false) }},
	}
}

// intBound bounds an integer by a value that its type can hold.
func intBound(t *types.Type, value string, lower bool) (plan, error) {
	arg, err := intFor(t, value)
	if err != nil {
		return plan{}, err
	}
	bound, _, err := big.ParseFloat(value, 10, 200, big.ToNearestEven)
	if err != nil {
		return plan{}, err
	}
	fn, origin := "Maximum", "maximum"
	if lower {
		fn, origin = "Minimum", "minimum"
	}
	return of(call{
		fn: lib(fn), args: []any{arg}, emits: []emission{{"FieldValueInvalid", origin, ""}},
		limit: &limit{what: "value", lower: lower, value: bound},
	}), nil
}

// intFor reads a value that fits the integer type t, as the Go value to print.
func intFor(t *types.Type, value string) (any, error) {
	bits, signed := intSize(bare(t))
	if bits == 0 {
		return nil, fault{"it is for integers, and this is " + aKind(t), "remove the tag"}
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
		return nil, fault{fmt.Sprintf("%s does not fit the type %s, so it limits nothing", value, bare(t).Name.Name), "choose a value that " + article(bare(t).Name.Name) + " can have, or remove the tag"}
	}
	return nil, fault{fmt.Sprintf("%s is no integer in its usual form", value), "write it in decimal, without signs or zeros in front"}
}

// strictInt reads an integer as it is usually written.
func strictInt(value string) (int64, error) {
	n, err := strconv.ParseInt(value, 10, 64)
	if err != nil || strconv.FormatInt(n, 10) != value {
		return 0, fault{fmt.Sprintf("%s is no integer in its usual form", value), "write it in decimal, without signs or zeros in front"}
	}
	return n, nil
}

// contradictions returns what is wrong with bounds on one value: a lower one above an upper one.
func contradictions(calls []call) string {
	for _, low := range calls {
		for _, high := range calls {
			if low.limit == nil || high.limit == nil || !low.limit.lower || high.limit.lower || low.limit.what != high.limit.what {
				continue
			}
			order := low.limit.value.Cmp(high.limit.value)
			if order > 0 || order == 0 && (low.limit.exclusive || high.limit.exclusive) {
				return fmt.Sprintf("the least %s allowed, %s, is above the most, %s, so nothing is valid",
					low.limit.what, low.limit.value.Text('g', -1), high.limit.value.Text('g', -1))
			}
		}
	}
	return ""
}
