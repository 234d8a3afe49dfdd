package conversion

import (
	"cmp"
	"go/token"
	"slices"
	"strings"

	"k8s.io/gengo/v2/types"

	"github.com/typeplane/typeplane/generators/internal/model"
)

// equality says how two values of a type are compared: by whom, and how what they hold is.
type equality struct {
	by   comparison
	typ  *types.Type
	elem *equality
	name string // of a function
}

type comparison int

const (
	byGo       comparison = iota // the operator
	byValue                      // the method Equal(T)
	byPointer                    // the method Equal(*T)
	byFunc                       // a function that is printed here
	byElements                   // of a pointer, slice, array or map
	byJSON
)

// structEquality is a printed function that compares structs.
type structEquality struct {
	name   string
	typ    *types.Type
	fields []fieldEquality
}

type fieldEquality struct {
	name string
	equality
}

// equality decides how values of a type are compared; functions that it needs go to the plan.
func (p *planner) equality(t *types.Type) equality {
	x := model.Underlying(t)
	if by, ok := equalMethod(t); ok {
		return equality{by: by, typ: t}
	}
	if comparable(t, nil) {
		return equality{by: byGo, typ: t}
	}
	switch x.Kind {
	case types.Pointer, types.Slice, types.Array, types.Map:
		if holdsItself(t) {
			break
		}
		elem := p.equality(x.Elem)
		return equality{by: byElements, typ: t, elem: &elem}
	case types.Struct:
		if t.Name.Package != "" && (t.Name.Package == p.out.Path || !slices.ContainsFunc(t.Members, func(m types.Member) bool { return !token.IsExported(m.Name) })) {
			return p.structEquality(t)
		}
	}
	return equality{by: byJSON, typ: t}
}

func (p *planner) structEquality(t *types.Type) equality {
	f, known := p.equalities[t]
	if !known {
		f = &structEquality{name: p.equalityName(t), typ: t}
		p.equalities[t] = f
		for _, m := range t.Members {
			if m.Name != "_" {
				f.fields = append(f.fields, fieldEquality{m.Name, p.equality(m.Type)})
			}
		}
	}
	return equality{by: byFunc, typ: t, name: f.name}
}

// sortedEqualities are the functions that are printed.
func (p *planner) sortedEqualities() []*structEquality {
	out := make([]*structEquality, 0, len(p.equalities))
	for _, f := range p.equalities {
		out = append(out, f)
	}
	slices.SortFunc(out, func(a, b *structEquality) int { return cmp.Compare(a.name, b.name) })
	return out
}

// equalityName is a name of its own for the function that compares values of a type.
func (p *planner) equalityName(t *types.Type) string {
	for elements := 1; ; elements++ {
		parts := strings.Split(t.Name.Package, "/")
		at := max(0, len(parts)-elements)
		name := "losslessSame_" + strings.NewReplacer("/", "_", ".", "_", "-", "_").Replace(strings.Join(parts[at:], "_")) + "_" + model.FuncPart(t)
		taken := false
		for _, f := range p.equalities {
			taken = taken || f.name == name
		}
		if !taken {
			return name
		}
	}
}

// holdsItself tells of a container whether it is what its own elements are, without a struct in
// between.
func holdsItself(t *types.Type) bool {
	seen := map[*types.Type]bool{}
	for ; t != nil && !seen[t]; t = model.Underlying(t).Elem {
		seen[t] = true
	}
	return t != nil
}

func equalMethod(t *types.Type) (comparison, bool) {
	m := t.Methods["Equal"]
	if m == nil || m.Signature == nil || len(m.Signature.Parameters) != 1 || len(m.Signature.Results) != 1 || m.Signature.Results[0].Type.Name.Name != "bool" {
		return 0, false
	}
	switch arg := m.Signature.Parameters[0].Type; {
	case arg.Name == t.Name:
		return byValue, true
	case arg.Kind == types.Pointer && arg.Elem.Name == t.Name:
		return byPointer, true
	}
	return 0, false
}

// comparable tells whether Go's operator compares values by all that they hold.
func comparable(t *types.Type, above []*types.Type) bool {
	if _, has := equalMethod(t); has && above != nil || slices.Contains(above, t) {
		return false
	}
	switch x := model.Underlying(t); x.Kind {
	case types.Builtin:
		return true
	case types.Array:
		return comparable(x.Elem, append(above, t))
	case types.Struct:
		return !slices.ContainsFunc(t.Members, func(m types.Member) bool { return !comparable(m.Type, append(above, t)) })
	}
	return false
}
