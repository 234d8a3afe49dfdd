package rule

import (
	"slices"
	"strings"

	"k8s.io/gengo/v2/codetags"
	"k8s.io/gengo/v2/types"
)

// Constant is a constant of a type with its tags.
type Constant struct {
	Def  *types.Type
	Tags []codetags.Tag
}

// ConstantsOf are the constants of each type of a package, with their tags.
func (p *Planner) ConstantsOf(t *types.Type) []Constant {
	pkg := p.Model.Package(t.Name.Package)
	if pkg == nil {
		return nil
	}
	var out []Constant
	for _, c := range pkg.Types.Constants {
		if c.Underlying != t {
			continue
		}
		o := Origin{Owner: c, Markers: p.Model.OfConstant(c)}
		item := Constant{Def: c}
		for _, w := range p.tagsOf(o) {
			s := &Site{Scope: OnConst, Type: t, Path: c.Name.String(), Origin: o}
			if _, err := p.PlanOf(s, w.Tag); err != nil {
				p.Problem(o, w.marker, w.Name, err)
				continue
			}
			item.Tags = append(item.Tags, w.Tag)
		}
		out = append(out, item)
	}
	slices.SortFunc(out, func(a, b Constant) int { return strings.Compare(a.Def.Name.Name, b.Def.Name.Name) })
	return out
}
