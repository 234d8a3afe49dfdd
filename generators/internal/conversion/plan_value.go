package conversion

import (
	"fmt"
	"slices"
	"strings"

	"k8s.io/gengo/v2/types"

	"github.com/typeplane/typeplane/generators/internal/model"
)

// value converts a value of type a to one of type b. The first rule that fits counts; what names
// the value in errors.
func (p *planner) value(a, b *types.Type, what string) (step, *gap) {
	if name, ok := p.keeping(a, b); ok {
		return invoke{name}, nil
	}
	if fn, ok := p.manual(a, b); ok && !(fn.copyOnly && a == b) {
		return invoke{fn.name}, nil
	}
	x, y := model.Underlying(a), model.Underlying(b)
	if p.equal(a, b) {
		switch x.Kind {
		case types.Pointer, types.Map, types.Slice:
			return reinterpret{b}, nil
		}
	}
	if a == b && a.Kind != types.Unsupported {
		return assign{}, nil
	}
	if name, ok := p.base(a, b); ok {
		return invoke{name}, nil
	}
	if x.Kind == y.Kind {
		switch x.Kind {
		case types.Builtin:
			if s, ok := number(a, b, what); ok {
				return s, nil
			}
		case types.Struct:
			return p.structure(a, b, what)
		case types.Pointer, types.Slice, types.Map:
			return p.elements(b, x, y, what)
		case types.Array:
			if p.equal(a, b) {
				return reinterpret{b}, nil
			}
			if x.Len == y.Len {
				return p.elements(b, x, y, what)
			}
		}
	}
	return nil, inconvertible(a, b)
}

// keeping returns the function that converts an item of a list of kinds and keeps what that loses.
func (p *planner) keeping(a, b *types.Type) (types.Name, bool) {
	for _, k := range p.keepers {
		switch {
		case !p.inList:
		case k.Version == a && k.Hub == b:
			return types.Name{Package: p.out.Path, Name: k.toHub}, true
		case k.Hub == a && k.Version == b:
			return types.Name{Package: p.out.Path, Name: k.fromHub}, true
		}
	}
	return types.Name{}, false
}

// structure converts structs by the function that is for them.
func (p *planner) structure(a, b *types.Type, what string) (step, *gap) {
	if name, ok := p.printed[way{a, b}]; ok {
		return invoke{types.Name{Package: p.out.Path, Name: name}}, nil
	}
	if path, ok := p.printedElsewhere(a, b); ok {
		return invoke{types.Name{Package: path, Name: Name(a, b)}}, nil
	}
	if p.equal(a, b) {
		return reinterpret{b}, nil
	}
	if a.Name.Package == "" && b.Name.Package == "" || instances(a, b) {
		return p.inline(a, b)
	}
	return nil, inconvertible(a, b)
}

// inline converts structs that no function can be for: those without a name, and instances of
// generic types.
func (p *planner) inline(a, b *types.Type) (step, *gap) {
	if slices.Contains(p.inlined, way{a, b}) {
		g := inconvertible(a, b)
		g.needs = nil // no function can have its name
		g.why += ", for it holds itself"
		return nil, g
	}
	p.inlined = append(p.inlined, way{a, b})
	defer func() { p.inlined = p.inlined[:len(p.inlined)-1] }()
	inner, gaps := p.body(a, b)
	if len(gaps) == 0 {
		return inline{inner}, nil
	}
	g := gaps[0]
	if g.why == "" {
		g.why = "does not exist on the other side"
	}
	g.why, g.needs = "holds a field "+g.field+" that "+g.why, nil
	return nil, &g
}

// instances tells whether two structs are instances of generic types of one name.
func instances(a, b *types.Type) bool {
	x, _, generic := strings.Cut(a.Name.Name, "[")
	y, _, also := strings.Cut(b.Name.Name, "[")
	return generic && also && x == y
}

// printedElsewhere returns the package whose own conversions have a function for the types.
func (p *planner) printedElsewhere(a, b *types.Type) (string, bool) {
	if a.Name.Name != b.Name.Name || !convertible(a) || !convertible(b) {
		return "", false
	}
	for _, side := range []way{{a, b}, {b, a}} {
		pkg := p.mainPackage(side.in.Name.Package)
		if pkg == nil || pkg == p.out || p.model.OfType(side.in).Has(tagName) {
			continue
		}
		for _, hub := range p.model.OfPackage(pkg).Values(tagName) {
			if hub == side.out.Name.Package && !p.model.OfPackage(pkg).Has(externalName) {
				return pkg.Path, true
			}
		}
	}
	return "", false
}

func (p *planner) elements(b, x, y *types.Type, what string) (step, *gap) {
	out := elements{to: b, what: what}
	var g *gap
	if x.Kind == types.Map {
		if out.key, g = p.value(x.Key, y.Key, what); g != nil {
			return nil, g
		}
		if k := model.Underlying(x.Key).Kind; (k == types.Pointer || k == types.Interface) && x.Key != y.Key {
			g := inconvertible(x.Key, y.Key)
			g.needs = nil // another pointer is another key
			return nil, g
		}
	}
	if out.elem, g = p.value(x.Elem, y.Elem, what); g != nil {
		return nil, g
	}
	return out, nil
}

// inconvertible is the gap between two types that no rule converts.
func inconvertible(a, b *types.Type) *gap {
	g := &gap{why: fmt.Sprintf("has the type %s, which does not convert to %s", model.GoName(a), model.GoName(b))}
	if a.Name.Package != "" && b.Name.Package != "" {
		g.needs = &way{a, b}
	}
	return g
}
