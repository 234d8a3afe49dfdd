package declarative

import (
	"k8s.io/gengo/v2/codetags"
	"k8s.io/gengo/v2/types"

	"github.com/typeplane/typeplane/generators/internal/validation/plan"
	"github.com/typeplane/typeplane/generators/internal/validation/rule"
	"github.com/typeplane/typeplane/generators/internal/validation/shape"
)

// inherited says that a +k8s:subfield has taken a field's own tags, opaque that a type or field is
// not to be looked into.
type (
	inherited bool
	opaque    bool
)

func subfieldRules() []rule.Rule {
	return []rule.Rule{{
		Name: "k8s:subfield", Scopes: rule.OnAny, Value: rule.InnerTag, Args: []rule.Argument{{Name: "", Required: true}}, Example: "+k8s:subfield(name)=+k8s:required",
		Doc: "Applies a tag to a field of the struct here, in addition to those that the field has.", Plan: Subfield,
	}}
}

func Subfield(p *rule.Planner, s *rule.Site, t codetags.Tag) (plan.Plan, error) {
	for inner := t.ValueTag; inner != nil; inner = inner.ValueTag {
		if inner.Name == "k8s:subfield" {
			return plan.Plan{}, plan.Fault{Message: "+k8s:subfield can't stand inside another one", Cure: "put the tag on the type between the two"}
		}
	}
	n := shape.Bare(s.Type)
	if n.Kind != types.Struct {
		return plan.Plan{}, plan.Fault{Message: "it is for structs, and this is " + shape.AKind(s.Type), Cure: "remove the tag"}
	}
	name := t.Args[0].Value
	member := shape.MemberByJSON(n, name)
	if member == nil {
		return plan.Plan{}, plan.NoSuchField(n, name)
	}
	in := s.Inside(rule.OnField, member.Type, "."+name)
	in.Member = member
	made, err := p.PlanOf(in, *t.ValueTag)
	if err != nil {
		return plan.Plan{}, err
	}
	get := getter("o", shape.NilableForm(s.Type), member)
	// Whether the field's own tags hold here is known when all tags that say not to look into types
	// are.
	return plan.ThisLater(func() (plan.Plan, error) {
		combined := plan.Plan{}
		combined.Add(made)
		if !isOpaque(p, s) {
			combined.Add(stopsOf(p, in, n))
		}
		out := combined.Wrapped(func(c plan.Call, around bool) plan.Call {
			if around {
				return c
			}
			return plan.Call{
				Func: plan.Lib("Subfield"), Args: []any{name, get, equality(member.Type), plan.Wrapper{Call: c, Type: member.Type, Fragment: "." + name}},
				Stop: c.Stop, Silent: c.Silent, Cohort: name,
			}
		})
		for i := range out.Later {
			out.Later[i].Around = false // what is around the field is this site
		}
		return out, nil
	}), nil
}

// getter is a function that returns a field of a struct in its nilable form.
func getter(name string, owner *types.Type, m *types.Member) plan.Lambda {
	prefix := "&"
	if shape.Nilable(m.Type) {
		prefix = ""
	}
	return plan.Lambda{
		Params: []plan.Param{{Name: name, Type: owner}}, Result: shape.NilableForm(m.Type), Body: []any{"return ", prefix, name, ".", m.Name},
	}
}

// stopsOf are the calls for the field's own tags that would end its validation, without their
// errors: where +required fails there, a tag from outside is not evaluated either. Once for each
// field of each site.
func stopsOf(p *rule.Planner, s *rule.Site, owner *types.Type) plan.Plan {
	if rule.Notes[inherited](p)[s.Path] {
		return plan.Plan{}
	}
	rule.Notes[inherited](p)[s.Path] = true
	in := *s
	in.Origin = rule.Origin{Owner: owner, Field: s.Member.Name, Markers: p.Model.OfField(owner, s.Member.Name)}
	return silenced(p.PlansOf(&in))
}

func silenced(p plan.Plan) plan.Plan {
	out := plan.Plan{Vars: nil, Helpers: p.Helpers}
	for _, c := range p.Calls {
		if c.Stop {
			c.Silent = true
			out.Calls = append(out.Calls, c)
		}
	}
	for _, l := range p.Later {
		out.Later = append(out.Later, plan.Later{Around: l.Around, Make: func() (plan.Plan, error) {
			inner, err := l.Make()
			return silenced(inner), err
		}})
	}
	return out
}

func opaqueRules() []rule.Rule {
	return []rule.Rule{{
		Name: "k8s:opaqueType", Scopes: rule.OnAny, Example: "+k8s:opaqueType",
		Doc: "What the type itself says about validation is not looked at.",
		Plan: func(p *rule.Planner, s *rule.Site, _ codetags.Tag) (plan.Plan, error) {
			switch s.Scope {
			case rule.OnType:
				rule.Notes[opaque](p)[shape.Bare(s.Type).String()] = true
			case rule.OnField:
				rule.Notes[opaque](p)[s.Path] = true
			}
			return plan.Plan{Opaque: true}, nil
		},
	}}
}

// isOpaque tells whether the field or its type was tagged so. It is known when all tags have been
// read.
func isOpaque(p *rule.Planner, s *rule.Site) bool {
	return bool(rule.Notes[opaque](p)[s.Path] || rule.Notes[opaque](p)[shape.Bare(s.Type).String()])
}
