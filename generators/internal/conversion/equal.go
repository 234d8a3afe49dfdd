package conversion

import (
	"go/token"

	"k8s.io/gengo/v2/types"

	"github.com/typeplane/typeplane/generators/internal/model"
)

// equal tells whether a value of type a is, bit by bit, the right value of type b. They are the
// same type, or structs whose fields have the same names in the same order and are equal
// themselves, or containers of such. A type with a hand-written conversion, either way, is not
// equal to its counterpart: the function has to run, and shows that the two do not mean the same.
func (p *planner) equal(a, b *types.Type) bool {
	key := way{a, b}
	answer, known := p.equals[key]
	if !known {
		// While types refer to each other, they are taken for equal; if one of them is not, the
		// answer is no.
		answer = p.compare(a, b, map[way]bool{})
		p.equals[key] = answer
	}
	return answer
}

func (p *planner) compare(a, b *types.Type, assumed map[way]bool) bool {
	if a == b || assumed[way{a, b}] {
		return true
	}
	if answer, known := p.equals[way{a, b}]; known {
		return answer
	}
	assumed[way{a, b}] = true
	if p.mustRun(a, b) || p.mustRun(b, a) {
		return false
	}
	x, y := model.Underlying(a), model.Underlying(b)
	if x == y {
		return true
	}
	if x.Kind != y.Kind {
		return false
	}
	switch x.Kind {
	case types.Pointer, types.Slice:
		return p.compare(x.Elem, y.Elem, assumed)
	case types.Array:
		return x.Len == y.Len && p.compare(x.Elem, y.Elem, assumed)
	case types.Map:
		return p.compare(x.Key, y.Key, assumed) && p.compare(x.Elem, y.Elem, assumed)
	case types.Struct:
		return p.compareFields(a, b, assumed)
	}
	return false
}

func (p *planner) compareFields(a, b *types.Type, assumed map[way]bool) bool {
	if len(a.Members) != len(b.Members) {
		return false
	}
	for i, m := range a.Members {
		n := b.Members[i]
		if m.Name != n.Name || m.Embedded != n.Embedded || p.leftOut(a, m) || p.leftOut(b, n) ||
			!token.IsExported(m.Name) && a.Name.Package != b.Name.Package || !p.compare(m.Type, n.Type, assumed) {
			return false
		}
	}
	return true
}

// mustRun tells whether a hand-written function converts a to b and does more than assign.
func (p *planner) mustRun(a, b *types.Type) bool {
	fn, ok := p.manual(a, b)
	return ok && !fn.copyOnly
}
