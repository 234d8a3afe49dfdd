package validation

import (
	"strings"

	"k8s.io/gengo/v2/codetags"
	"k8s.io/gengo/v2/types"
)

func subfieldRules() []rule {
	return []rule{{
		name: "k8s:subfield", scopes: onAny, value: innerTag, args: []argument{{"", true}}, example: "+k8s:subfield(name)=+k8s:required",
		doc: "Applies a tag to a field of the struct here, in addition to those that the field has.", plan: (*planner).subfield,
	}}
}

func (p *planner) subfield(s *site, t codetags.Tag) (plan, error) {
	for inner := t.ValueTag; inner != nil; inner = inner.ValueTag {
		if inner.Name == "k8s:subfield" {
			return plan{}, fault{"+k8s:subfield can't stand inside another one", "put the tag on the type between the two"}
		}
	}
	n := bare(s.typ)
	if n.Kind != types.Struct {
		return plan{}, fault{"it is for structs, and this is " + aKind(s.typ), "remove the tag"}
	}
	name := t.Args[0].Value
	member := memberByJSON(n, name)
	if member == nil {
		return plan{}, noSuchField(n, name)
	}
	in := s.inside(onField, member.Type, "."+name)
	in.member = member
	made, err := p.planOf(in, *t.ValueTag)
	if err != nil {
		return plan{}, err
	}
	get := getter("o", nilableForm(s.typ), member)
	// Whether the field's own tags hold here is known when all tags that say not to look into types are.
	return thisLater(func() (plan, error) {
		combined := plan{}
		combined.add(made)
		if !p.isOpaque(s) {
			combined.add(p.stopsOf(in, n))
		}
		out := combined.wrapped(func(c call, around bool) call {
			if around {
				return c
			}
			return call{
				fn: lib("Subfield"), args: []any{name, get, equality(member.Type), wrapper{call: c, typ: member.Type, fragment: "." + name}},
				stop: c.stop, silent: c.silent, cohort: name,
			}
		})
		for i := range out.later {
			out.later[i].around = false // what is around the field is this site
		}
		return out, nil
	}), nil
}

// getter is a function that returns a field of a struct in its nilable form.
func getter(name string, owner *types.Type, m *types.Member) lambda {
	prefix := "&"
	if nilable(m.Type) {
		prefix = ""
	}
	return lambda{
		params: []param{{name, owner}}, result: nilableForm(m.Type), body: []any{"return ", prefix, name, ".", m.Name},
	}
}

// stopsOf are the calls for the field's own tags that would end its validation, without their errors: where +required
// fails there, a tag from outside is not evaluated either. Once for each field of each site.
func (p *planner) stopsOf(s *site, owner *types.Type) plan {
	if p.inherited[s.path] {
		return plan{}
	}
	p.inherited[s.path] = true
	in := *s
	in.origin = origin{owner: owner, field: s.member.Name, markers: p.model.OfField(owner, s.member.Name)}
	return silenced(p.plansOf(&in))
}

func silenced(p plan) plan {
	out := plan{vars: nil, helpers: p.helpers}
	for _, c := range p.calls {
		if c.stop {
			c.silent = true
			out.calls = append(out.calls, c)
		}
	}
	for _, l := range p.later {
		out.later = append(out.later, later{l.around, func() (plan, error) {
			inner, err := l.make()
			return silenced(inner), err
		}})
	}
	return out
}

func opaqueRules() []rule {
	return []rule{{
		name: "k8s:opaqueType", scopes: onAny, example: "+k8s:opaqueType",
		doc: "What the type itself says about validation is not looked at.",
		plan: func(p *planner, s *site, _ codetags.Tag) (plan, error) {
			switch s.scope {
			case onType:
				p.opaque[bare(s.typ).String()] = true
			case onField:
				p.opaque[s.path] = true
			}
			return plan{opaque: true}, nil
		},
	}}
}

// isOpaque tells whether the field or its type was tagged so. It is known when all tags have been read.
func (p *planner) isOpaque(s *site) bool {
	return p.opaque[s.path] || p.opaque[bare(s.typ).String()]
}

// varName is the end of the name of a package variable about a place; more tells several apart.
func (p *planner) varName(path, more string) string {
	pkg, rest := path, ""
	if i := strings.LastIndexByte(path, '/'); i >= 0 {
		pkg, rest = path[:i], path[i:]
	} else {
		pkg, rest = "", path
	}
	name, of, _ := strings.Cut(rest, ".")
	if p.outputs[pkg+name] == "" { // a type of another package has its name in front
		of = strings.TrimPrefix(name, "/") + "_" + of
	}
	if more != "" {
		of += "_" + more
	}
	return underscored(of)
}

// underscored makes a Go name of a path.
func underscored(path string) string {
	return strings.TrimRight(strings.Map(func(r rune) rune {
		if r >= 'a' && r <= 'z' || r >= 'A' && r <= 'Z' || r >= '0' && r <= '9' {
			return r
		}
		return '_'
	}, path), "_")
}
