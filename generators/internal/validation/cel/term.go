package cel

import (
	"fmt"
	goconst "go/constant"
	"math/big"
	"slices"

	"k8s.io/gengo/v2/types"

	"github.com/typeplane/typeplane/generators/internal/model"
	"github.com/typeplane/typeplane/generators/internal/validation/plan"
	"github.com/typeplane/typeplane/generators/internal/validation/shape"
)

// value is a Go expression with its type.
type value struct {
	code []any
	typ  *types.Type
	// guards are conditions for the value to be there: in CEL, what is not there makes the rule
	// fail.
	guards condition
	// literal is what a literal says; nil for all other values. It takes the type of what it is
	// compared with.
	literal goconst.Value
	// is holds the parts of a value that is a condition made of others.
	is condition
	// member is the field it was read from; absent says that it may not be there.
	member *types.Member
	absent bool
	// path is Go for where it is in the object; nil if it is not known, as of an old value.
	path []any
	// filled is the condition that a value which may be null is not.
	filled condition
	// read is a text as the duration that it is read as, if it was one in Go.
	read []any
}

// holds is a condition with what must be there for it.
func (v value) holds() condition {
	if !v.is.always() {
		return all(v.guards, v.is)
	}
	return all(v.guards, leaf(v.code))
}

// told is a condition as a value.
func told(c condition) value {
	return value{code: spell("(", c.spelled(), ")"), typ: types.Bool, is: c}
}

// as is the value in a Go type that it can be converted to.
func (v value) as(t *types.Type) []any {
	if v.typ == t || v.literal != nil && v.suits(t) {
		return v.code
	}
	return spell(t, "(", v.code, ")")
}

// suits tells whether Go takes the literal for a value of a type as it is written.
func (v value) suits(t *types.Type) bool {
	n := shape.Native(t)
	if v.literal.Kind() == goconst.Float {
		return shape.IsFloat(n)
	}
	bits, signed := shape.IntSize(n)
	if v.literal.Kind() != goconst.Int || bits == 0 {
		return true
	}
	low, high := new(big.Int), new(big.Int).Lsh(big.NewInt(1), uint(bits))
	if signed {
		high.Rsh(high, 1)
		low.Neg(high)
	}
	whole, _ := new(big.Int).SetString(v.literal.ExactString(), 10)
	return whole.Cmp(low) >= 0 && whole.Cmp(high) < 0
}

// simple tells whether all values are strings, numbers, bools, times or quantities: what can be
// done with these in CEL is known here.
func simple(values ...value) bool {
	return !slices.ContainsFunc(values, func(v value) bool { return shape.Native(v.typ).Kind != types.Builtin && typeNames[v.typ] == "" })
}

// unless is a mistake if that is certain, and else something that is not known here.
func unless(certain bool, format string, args ...any) error {
	if certain {
		return wrong(format, args...)
	}
	return fmt.Errorf(format, args...)
}

// below is the path of something in a value, by a method of paths.
func below(path []any, method string, step any) []any {
	if path == nil {
		return nil
	}
	return spell(path, "."+method+"(", step, ")")
}

// pointed is a value behind a pointer, if that is one.
func pointed(v value) value {
	if v.typ.Kind != types.Pointer {
		return known(v, false)
	}
	out := value{code: v.code, typ: model.Pointee(v.typ), guards: all(v.guards, leaf(v.code, " != nil")), path: v.path}
	if shape.Native(out.typ).Kind == types.Builtin {
		out.code = spell("*", v.code)
	}
	return known(out, true)
}

var helperFits = plan.Helper{Name: "validate_fits", Lines: func() [][]any {
	least := plan.Ident("math", "MinInt64")
	return [][]any{
		{"// validate_fits tells whether the result of a computation is a number of 64 bits."},
		{"func validate_fits(a int64, op byte, b int64) bool {"},
		{"switch op {"},
		{"case '+':"}, {"return (a+b > a) == (b > 0)"},
		{"case '-':"}, {"return (a-b < a) == (b > 0)"},
		{"case '*':"}, {"return a == 0 || b == 0 || a*b/b == a && !(a == ", least, " && b == -1) && !(b == ", least, " && a == -1)"},
		{"}"},
		{"return b != 0 && !(a == ", least, " && b == -1)"},
		{"}"},
	}
}}

const (
	metaPath     = "k8s.io/apimachinery/pkg/apis/meta/v1"
	quantityPath = "k8s.io/apimachinery/pkg/api/resource"
)

// The types of CEL that Go has no literals of. They are compared by their address: no other value
// has one of them.
var (
	timeType     = &types.Type{Name: types.Name{Package: "time", Name: "Time"}, Kind: types.Struct}
	durationType = &types.Type{Name: types.Name{Package: "time", Name: "Duration"}, Kind: types.Struct}
	quantityType = &types.Type{Name: types.Name{Package: quantityPath, Name: "Quantity"}, Kind: types.Struct}
)

// typeNames are what problems call them.
var typeNames = map[*types.Type]string{timeType: "timestamp", durationType: "duration", quantityType: "quantity"}

// known makes of a value whose type is one of Kubernetes what it is in CEL. A metav1.Time is a
// timestamp. A metav1.Duration is a text, which duration() reads, and a Quantity something that
// quantity() reads. behind says that the code is a pointer.
func known(v value, behind bool) value {
	switch v.typ.Name {
	case types.Name{Package: metaPath, Name: "Time"}, types.Name{Package: metaPath, Name: "MicroTime"}:
		v.code, v.typ = spell(v.code, ".Time"), timeType
		v.filled = leaf("!", v.code, ".IsZero()")
	case types.Name{Package: metaPath, Name: "Duration"}:
		v.read, v.code, v.typ = spell(v.code, ".Duration"), spell(v.code, ".Duration.String()"), types.String
	case types.Name{Package: quantityPath, Name: "Quantity"}:
		if behind {
			v.code = spell("*", v.code)
		}
	}
	return v
}
