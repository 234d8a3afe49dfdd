package cel

import (
	"fmt"
	goconst "go/constant"
	"go/token"

	"k8s.io/gengo/v2/types"

	"github.com/typeplane/typeplane/generators/internal/validation/cel/ast"
	"github.com/typeplane/typeplane/generators/internal/validation/plan"
	"github.com/typeplane/typeplane/generators/internal/validation/shape"
)

var arithmeticSigns = map[string]bool{"+": true, "-": true, "*": true, "/": true, "%": true}

// arithmetic translates a computation with two integers, two floating-point numbers, two strings or
// two lists. Integers have 64 bits, and a result that has more makes the rule fail, as in CEL.
func (tr *translator) arithmetic(e *ast.Expr) (value, error) {
	a, err := tr.value(e.Args[0])
	if err != nil {
		return value{}, err
	}
	b, err := tr.value(e.Args[1])
	if err != nil {
		return value{}, err
	}
	if out, ok := tr.timeArithmetic(e, a, b); ok {
		return out, nil
	}
	x, y := shape.Native(a.typ), shape.Native(b.typ)
	out := value{guards: all(a.guards, b.guards)}
	switch {
	case shape.IsInt(x) && shape.IsInt(y) && a.literal != nil && b.literal != nil:
		return folded(e, a.literal, b.literal)
	case shape.IsInt(x) && shape.IsInt(y):
		tr.use(helperFits)
		left, right := a.as(types.Int64), b.as(types.Int64)
		out.guards = all(out.guards, leaf("validate_fits(", left, ", '"+e.Name+"', ", right, ")"))
		out.code, out.typ = spell("(", left, " "+e.Name+" ", right, ")"), types.Int64
	case shape.IsFloat(x) && shape.IsFloat(y) && e.Name != "%":
		out.code, out.typ = spell("(", a.as(types.Float64), " "+e.Name+" ", b.as(types.Float64), ")"), types.Float64
	case shape.IsString(x) && shape.IsString(y) && e.Name == "+":
		out.code, out.typ = spell("(", a.as(types.String), " + ", b.as(types.String), ")"), types.String
	case comparableLists(a, b) && e.Name == "+":
		out.code, out.typ = spell(plan.Ident("slices", "Concat"), "(", a.plain(), ", ", b.plain(), ")"), listOf(x.Elem)
	default:
		return value{}, unless(simple(a, b), "%s computes with %s and %s", e.Source, aValue(a.typ), aValue(b.typ))
	}
	return out, nil
}

// folded computes with two literals: Go takes no overflow of constants.
func folded(e *ast.Expr, a, b goconst.Value) (value, error) {
	op := map[string]token.Token{"+": token.ADD, "-": token.SUB, "*": token.MUL, "/": token.QUO_ASSIGN, "%": token.REM}[e.Name]
	if (e.Name == "/" || e.Name == "%") && goconst.Sign(b) == 0 {
		return value{}, wrong("%s divides by 0", e.Source)
	}
	c := goconst.BinaryOp(a, op, b)
	if _, exact := goconst.Int64Val(c); !exact {
		return value{}, wrong("%s is no number of 64 bits", e.Source)
	}
	return whole(c), nil
}

func (tr *translator) negative(e *ast.Expr) (value, error) {
	v, err := tr.value(e.Args[0])
	if err != nil {
		return value{}, err
	}
	switch n := shape.Native(v.typ); {
	case v.literal != nil && v.literal.Kind() == goconst.Int:
		return whole(goconst.UnaryOp(token.SUB, v.literal, 0)), nil
	case shape.IsInt(n):
		tr.use(helperFits)
		code := v.as(types.Int64)
		return value{code: spell("-", code), typ: types.Int64, guards: all(v.guards, leaf("validate_fits(0, '-', ", code, ")"))}, nil
	case shape.IsFloat(n):
		return value{code: spell("-", v.as(types.Float64)), typ: types.Float64, guards: v.guards, literal: negated(v.literal)}, nil
	}
	return value{}, fmt.Errorf("%s is %s, which has no negative", e.Args[0].Source, aValue(v.typ))
}

func negated(literal goconst.Value) goconst.Value {
	if literal == nil {
		return nil
	}
	return goconst.UnaryOp(token.SUB, literal, 0)
}

// convert translates string(), int() and double() of what can be converted without failing.
func (tr *translator) convert(e *ast.Expr) (value, error) {
	v, err := tr.value(e.Args[0])
	if err != nil {
		return value{}, err
	}
	n := shape.Native(v.typ)
	out := value{guards: v.guards}
	switch {
	case e.Name == "string" && shape.IsString(n):
		out.code, out.typ = v.as(types.String), types.String
	case e.Name == "string" && (v.typ == durationType || v.typ == timeType):
		return timeText(v), nil
	case e.Name == "int" && v.typ == timeType:
		v = v.some()
		out.code, out.typ, out.guards = spell(v.code, ".Unix()"), types.Int64, v.guards
	case e.Name == "string" && shape.IsInt(n):
		out.code, out.typ = spell(plan.Ident("strconv", "FormatInt"), "(", v.as(types.Int64), ", 10)"), types.String
	case e.Name == "string" && shape.IsBool(n):
		out.code, out.typ = spell(plan.Ident("strconv", "FormatBool"), "(", v.as(types.Bool), ")"), types.String
	case e.Name == "int" && shape.IsInt(n):
		out.code, out.typ = spell("int64(", v.code, ")"), types.Int64
	case e.Name == "int" && shape.IsString(n):
		return tr.parsed(e, v, types.Int64, helperReadInt)
	case e.Name == "double" && shape.IsString(n):
		return tr.parsed(e, v, types.Float64, helperReadFloat)
	case e.Name == "double" && (shape.IsInt(n) || shape.IsFloat(n)):
		out.code, out.typ = spell("float64(", v.code, ")"), types.Float64
	default:
		return value{}, fmt.Errorf("%s converts %s, which is not supported", e.Source, aValue(v.typ))
	}
	return out, nil
}
