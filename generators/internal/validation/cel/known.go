package cel

import (
	"fmt"
	"strings"

	"k8s.io/gengo/v2/types"

	"github.com/typeplane/typeplane/generators/internal/validation/cel/ast"
	"github.com/typeplane/typeplane/generators/internal/validation/plan"
	"github.com/typeplane/typeplane/generators/internal/validation/shape"
)

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

// known makes of a value whose type is one of Kubernetes what it is in CEL: a metav1.Time is a
// timestamp, a metav1.Duration a text, which duration() reads, and a Quantity something that
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

// isQuantity tells whether the value is a field of type Quantity.
func (v value) isQuantity() bool { return v.typ.Name == quantityType.Name && v.typ != quantityType }

// some is the value where null does not do.
func (v value) some() value {
	v.guards, v.filled = all(v.guards, v.filled), condition{}
	return v
}

// makers are the functions that make a value of a text, and those that only look at one.
var makers = map[string]func(*translator, *ast.Expr, value) (value, error){
	"duration": (*translator).duration, "timestamp": (*translator).timestamp, "quantity": (*translator).quantity, "isQuantity": (*translator).isQuantity,
	"sign": (*translator).sign,
}

// made translates a call of one of the makers.
func (tr *translator) made(e *ast.Expr) (value, error) {
	if len(e.Args) != 1 {
		return value{}, fmt.Errorf("%s: want %s of one value", e.Source, e.Name)
	}
	v, err := tr.value(e.Args[0])
	if err != nil {
		return value{}, err
	}
	return makers[e.Name](tr, e, v)
}

// parsed is a text as a value of a type, by the helper that reads it and the one that says whether
// it can.
func (tr *translator) parsed(e *ast.Expr, v value, t *types.Type, read plan.Helper) (value, error) {
	if !shape.IsString(shape.Native(v.typ)) {
		return value{}, fmt.Errorf("%s makes a %s of %s", e.Source, typeNames[t], aValue(v.typ))
	}
	tr.use(read)
	call := spell(read.Name, "(", v.as(types.String), ")")
	valid := leaf("func() bool { _, err := ", call, "; return err == nil }()")
	return value{code: spell("func() ", t, " { out, _ := ", call, "; return out }()"), typ: t, guards: all(v.guards, valid)}, nil
}

// reader is a helper that reads a text as a value of a type.
func reader(name, doc string, t *types.Type, body ...[]any) plan.Helper {
	return plan.Helper{Name: name, Lines: func() [][]any {
		head := [][]any{{"// ", name, " ", doc}, {"func ", name, "(text string) (", t, ", error) {"}}
		return append(append(head, body...), []any{"}"})
	}}
}

// compareKnown compares two values of one of the types of this file; ok says that it can. CEL has
// no order of quantities.
func (tr *translator) compareKnown(e *ast.Expr, a, b value) (code []any, guards condition, ok bool) {
	equality := e.Name == "==" || e.Name == "!="
	switch {
	case a.typ != b.typ:
		return nil, guards, false
	case a.typ == durationType:
		return spell(a.code, " "+e.Name+" ", b.code), guards, true
	case a.typ == timeType && equality: // null is null, too
		return spell(strings.TrimRight(e.Name, "="), a.code, ".Equal(", b.code, ")"), guards, true
	case a.typ == timeType:
		return spell(a.code, ".Compare(", b.code, ") "+e.Name+" 0"), all(a.filled, b.filled), true
	case a.typ == quantityType && equality:
		return spell(tr.compareQuantities(a, b), " "+e.Name+" 0"), guards, true
	}
	return nil, guards, false
}

// nameOf says what a type is, as a problem names it, and aValue says it with its article.
func nameOf(t *types.Type) string {
	if name := typeNames[t]; name != "" {
		return name
	}
	return shape.KindName(t)
}

func aValue(t *types.Type) string { return shape.Article(nameOf(t)) }
