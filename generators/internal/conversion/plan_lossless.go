package conversion

import (
	"go/token"
	"slices"
	"strings"

	"k8s.io/gengo/v2/types"

	"github.com/typeplane/typeplane/generators/internal/diag"
	"github.com/typeplane/typeplane/generators/internal/model"
)

// lossless tells whether the package asks for conversions that lose nothing.
func (p *planner) lossless() bool { return p.model.OfPackage(p.out).Has(losslessName) }

// kinds are the pairs of types that have metadata, and so a place to keep something.
func kinds(pairs []Pair) []Pair {
	return slices.DeleteFunc(slices.Clone(pairs), func(pair Pair) bool {
		return !model.Embeds(pair.Version, "ObjectMeta") || !model.Embeds(pair.Hub, "ObjectMeta")
	})
}

// newKeepers finds the kinds of a package that asks for it of which conversion may lose something.
// It returns nil for other packages.
func (p *planner) newKeepers(pairs []Pair) []keeper {
	if !p.lossless() {
		return nil
	}
	if pairs = kinds(pairs); len(pairs) == 0 {
		p.report.Add(diag.Problem{
			Pos: p.model.PackagePos(p.out), Path: "package " + p.out.Name,
			Message: "+" + losslessName + ": only kinds have annotations to keep things in, and none is converted here",
			Cure:    "say it on the packages of the kinds, which keep what their parts lose",
		})
	}
	var out []keeper
	for _, pair := range pairs {
		k := keeper{Pair: pair, toHub: "Lossless" + pair.ToHub, fromHub: "Lossless" + pair.FromHub}
		p.lostFields(&k, nil, pair.Hub, pair.Version, p.byFunction(pair.Hub, pair.Version))
		if len(k.fields) > 0 {
			out = append(out, k)
		}
	}
	return out
}

// lostFields takes the fields of a struct that may be lost. It takes those of structs in it one by
// one, so that a field of which nothing is lost is left alone. version is nil if there is no
// counterpart. byHand says that a function written by hand converts the struct or what is around
// it, so that any field may be lost.
func (p *planner) lostFields(k *keeper, path []string, hub, version *types.Type, byHand bool) {
	for _, m := range hub.Members {
		if isMeta(m) || m.Name == "_" || !token.IsExported(m.Name) && !byHand {
			continue
		}
		at := append(slices.Clone(path), m.Name)
		in := p.counterpart(hub, m, version)
		here := byHand || in != nil && p.byFunction(m.Type, in)
		switch {
		case in == nil && !byHand:
			p.addLost(k, at, m, nil)
		case !here && !p.mayLose(m.Type, in, map[way]bool{}):
		case m.Type.Kind == types.Struct && !opaque(m.Type) && (here || in.Kind == types.Struct):
			p.lostFields(k, at, m.Type, in, here)
		default:
			p.addLost(k, at, m, p.shape(m.Type, in, byHand, m, way{hub, version}, nil))
		}
	}
}

// counterpart is the type of the field of a version that a field of the hub is converted to, nil if
// there is none.
func (p *planner) counterpart(hub *types.Type, m types.Member, version *types.Type) *types.Type {
	if version == nil {
		return nil
	}
	n, found := member(version, m.Name)
	if !found || p.leftOut(hub, m) || p.leftOut(version, n) {
		return nil
	}
	return n.Type
}

func (p *planner) addLost(k *keeper, path []string, m types.Member, s *shape) {
	p.checkKept(m, strings.Join(append([]string{model.GoName(k.Hub)}, path...), "."), k, map[*types.Type]bool{})
	k.fields = append(k.fields, lostField{path: path, same: p.equality(m.Type), shape: s})
}

// mayLose tells whether a value of the hub's type may lose something by going to the version's and
// back.
func (p *planner) mayLose(hub, version *types.Type, seen map[way]bool) bool {
	if seen[way{hub, version}] {
		return false // whoever asked about it first finds out
	}
	seen[way{hub, version}] = true
	x, y := model.Underlying(hub), model.Underlying(version)
	switch {
	case p.byFunction(hub, version):
		return true
	case hub == version || p.equal(hub, version) || x.Kind == types.Builtin && y.Kind == types.Builtin:
		return false
	case x.Kind != y.Kind || x.Kind != types.Struct && x.Elem == nil:
		return true // a problem, or converted by hand further up
	case x.Kind != types.Struct:
		return p.mayLose(x.Elem, y.Elem, seen)
	}
	return slices.ContainsFunc(hub.Members, func(m types.Member) bool {
		n, found := member(version, m.Name)
		return m.Name != "_" && (!found || p.leftOut(hub, m) || p.leftOut(version, n) || p.mayLose(m.Type, n.Type, seen))
	})
}

// byFunction tells whether a function that is not generated here converts between two types, either
// way.
func (p *planner) byFunction(hub, version *types.Type) bool {
	_, base := p.base(hub, version)
	return p.mustRun(hub, version) || p.mustRun(version, hub) || base && hub != version
}

// checkKept reports what the JSON of a field that is to be kept leaves out.
func (p *planner) checkKept(m types.Member, path string, k *keeper, above map[*types.Type]bool) {
	why := ""
	t := m.Type
	for !opaque(t) && model.Underlying(t).Elem != nil && !holdsItself(t) {
		t = model.Underlying(t).Elem
	}
	switch {
	case model.JSONOf(m).Left:
		why = `has the tag json:"-"`
	case !token.IsExported(m.Name):
		why = "is not exported"
	case opaque(t) || above[t]:
		return
	case t.Kind == types.Func || t.Kind == types.Chan || t.Kind == types.Interface:
		why = "has a type without JSON"
	}
	if why != "" {
		p.report.Add(diag.Problem{
			Pos: p.model.TypePos(k.Hub), Path: path,
			Message: why + ", so that +" + losslessName + " cannot keep it in an annotation",
			Cure:    "give it a JSON form, or convert it in both directions",
		})
		return
	}
	if t.Kind != types.Struct {
		return
	}
	above[t] = true
	defer delete(above, t)
	for _, inner := range t.Members {
		if inner.Name != "_" {
			p.checkKept(inner, path+"."+inner.Name, k, above)
		}
	}
}

// partsOf are the types that the hubs of kinds are made of.
func partsOf(kinds []Pair) map[*types.Type]bool {
	seen := map[*types.Type]bool{}
	var visit func(t *types.Type)
	visit = func(t *types.Type) {
		if t = model.Underlying(t); seen[t] {
			return
		}
		seen[t] = true
		if t.Elem != nil {
			visit(t.Elem)
		}
		for _, m := range t.Members {
			visit(m.Type)
		}
	}
	for _, k := range kinds {
		visit(k.Hub)
	}
	return seen
}

// isMeta tells whether a field is the metadata, which is the same in all versions.
func isMeta(m types.Member) bool {
	return m.Embedded && m.Type.Name.Package == typeMeta.Package && (m.Type.Name.Name == "TypeMeta" || m.Type.Name.Name == "ObjectMeta")
}

// opaque tells whether a type makes its JSON itself.
func opaque(t *types.Type) bool { return t.Methods["MarshalJSON"] != nil }

// keep gives those pairs that have a keeper its functions.
func (p *planner) keep(pairs []Pair) []Pair {
	out := slices.Clone(pairs)
	for _, k := range p.keepers {
		for i := range out {
			if out[i].Version == k.Version {
				out[i].ToHub, out[i].FromHub = k.toHub, k.fromHub
			}
		}
	}
	return out
}
