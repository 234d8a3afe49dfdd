package rule

import (
	"cmp"
	"errors"
	"fmt"
	"slices"
	"strconv"
	"strings"

	"k8s.io/gengo/v2/codetags"

	"github.com/typeplane/typeplane/generators/internal/model"
	"github.com/typeplane/typeplane/generators/internal/tag"
	"github.com/typeplane/typeplane/generators/internal/validation/plan"
	"github.com/typeplane/typeplane/generators/internal/validation/shape"
)

// written is a tag with the marker that holds it.
type written struct {
	codetags.Tag
	marker *model.Marker
}

// tagsOf reads the rules among markers, sorted by name, then by how the marker continues it, and
// otherwise in their order, and claims them. A marker that can't be read is a problem and left out.
func (p *Planner) tagsOf(o Origin) []written {
	var out []written
	for mk := range o.Markers.All() {
		r, ok := p.Rules.Find(tag.NameOf(mk.Text))
		if !ok || strings.HasPrefix(mk.Text, "+"+r.Name+".") { // a sentence that ends with a name
			p.warnOfUnknown(o, mk)
			continue
		}
		o.Markers.Claim(mk)
		if !p.counts(r, o) {
			continue
		}
		t, err := Parse(r, mk.Text)
		if err != nil {
			p.Problem(o, mk, r.Name, err)
			continue
		}
		out = append(out, written{t, mk})
	}
	slices.SortStableFunc(out, func(a, b written) int {
		return cmp.Or(strings.Compare(a.Name, b.Name), strings.Compare(a.marker.Name, b.marker.Name))
	})
	return out
}

// warnOfUnknown says that a type of another module has a tag that may be a rule of a later
// Kubernetes. In the module itself an unknown tag is a problem, which all plug-ins share.
func (p *Planner) warnOfUnknown(o Origin, mk *model.Marker) {
	name := tag.NameOf(mk.Text)
	if _, known := p.table.Find(name); known || !p.Foreign(o.Owner) || !strings.HasPrefix(name, "k8s:") || strings.Contains(name, "-gen") {
		return
	}
	p.Problem(o, mk, name, plan.Fault{Message: "gen does not know it"})
}

// Parse reads one line. Rules of the form of code-generator have its grammar, all others are text.
func Parse(r Rule, line string) (codetags.Tag, error) {
	if strings.HasPrefix(line, "+k8s:") && r.Value != Words && r.Value != Fields {
		t, err := codetags.Parse(strings.TrimPrefix(line, "+"))
		if err != nil {
			return t, plan.Fault{Message: "it can't be read: " + err.Error(), Cure: cureOf(r)}
		}
		return t, nil
	}
	t := codetags.Tag{Name: r.Name}
	rest := strings.TrimPrefix(line, "+"+r.Name)
	if rest == "" {
		return t, nil
	}
	t.ValueType = codetags.ValueTypeRaw
	if r.Value == Fields {
		t.Value = rest // with the colon or bracket it begins with
		return t, nil
	}
	value, ok := strings.CutPrefix(rest, "=")
	if !ok {
		return t, plan.Fault{Message: "it can't be read", Cure: cureOf(r)}
	}
	t.Value = strings.TrimSpace(value)
	return t, nil
}

// PlansOf reads and plans all rules at a site. Rules that are wrong are problems and left out.
func (p *Planner) PlansOf(s *Site) plan.Plan {
	var out plan.Plan
	for _, w := range p.tagsOf(s.Origin) {
		if p.misplaced(s, w) {
			continue
		}
		made, err := p.planDirect(s, w.Tag)
		if err != nil {
			out.Left = append(out.Left, p.Problem(s.Origin, w.marker, w.Name, err)...)
			continue
		}
		for i, l := range made.Later {
			made.Later[i].Make = func() (plan.Plan, error) {
				inner, err := l.Make()
				if err == nil {
					return inner, nil
				}
				return plan.Plan{Left: p.Problem(s.Origin, w.marker, w.Name, err)}, nil
			}
		}
		out.Add(made)
	}
	return out
}

// misplaced tells whether a tag stands on the wrong thing, or holds one that does not exist. That
// is reported for the tags of all plug-ins alike.
func (p *Planner) misplaced(s *Site, w written) bool {
	at := map[Scope]tag.Scope{OnType: tag.Type, OnField: tag.Field}[s.Scope]
	fault, wrong := p.table.Check(w.marker.Text, at)
	return wrong && !fault.Value
}

// PlanOf plans a tag that stands inside another one. What is wrong with it is said with its name.
func (p *Planner) PlanOf(s *Site, t codetags.Tag) (plan.Plan, error) {
	made, err := p.planDirect(s, t)
	var f plan.Fault
	if errors.As(err, &f) {
		err = plan.Fault{Message: "+" + t.Name + ": " + f.Message, Cure: f.Cure}
	}
	return made, err
}

// planDirect plans a tag, after a check that it fits its definition and the place.
func (p *Planner) planDirect(s *Site, t codetags.Tag) (plan.Plan, error) {
	r, ok := p.Rules.Find(t.Name)
	if !ok {
		return plan.Plan{}, plan.Fault{Message: "it is no rule of validation", Cure: p.Rules.suggestion(t.Name)}
	}
	if r.Scopes&s.Scope == 0 {
		return plan.Plan{}, plan.Fault{Message: "it can't stand on " + s.Scope.String(), Cure: "it belongs on " + r.Scopes.String(), Misfit: true}
	}
	if err := r.fits(t); err != nil {
		return plan.Plan{}, err
	}
	made, err := r.Plan(p, s, t)
	var f plan.Fault
	if err != nil && !errors.As(err, &f) {
		return plan.Plan{}, plan.Fault{Message: err.Error(), Cure: cureOf(r)}
	}
	return made, err
}

// fits checks arguments and payload against the definition of the rule.
func (r Rule) fits(t codetags.Tag) error {
	if !r.AnyArgs && r.Value != Fields {
		for _, a := range t.Args {
			if !slices.ContainsFunc(r.Args, func(d Argument) bool { return d.Name == a.Name }) {
				return plan.Fault{Message: fmt.Sprintf("it has no argument %s", a), Cure: cureOf(r)}
			}
			if a.Type != codetags.ArgTypeString {
				return plan.Fault{Message: fmt.Sprintf("the argument %s is of type %s", a, a.Type), Cure: "want a string"}
			}
		}
		for _, d := range r.Args {
			if d.Required && !slices.ContainsFunc(t.Args, func(a codetags.Arg) bool { return a.Name == d.Name }) {
				return plan.Fault{Message: "it lacks its argument", Cure: cureOf(r)}
			}
		}
	}
	got := t.ValueType
	var fits bool
	switch r.Value {
	case None:
		fits = got == codetags.ValueTypeNone
	case Flag:
		fits = got == codetags.ValueTypeNone || t.Value == "true" || t.Value == "false"
	case Text:
		fits = got == codetags.ValueTypeString || got == codetags.ValueTypeRaw
	case OptText:
		fits = got == codetags.ValueTypeNone || got == codetags.ValueTypeString
	case Integer:
		fits = got == codetags.ValueTypeInt || got == codetags.ValueTypeRaw
	case InnerTag:
		fits = got == codetags.ValueTypeTag && t.ValueTag != nil
	default:
		fits = got != codetags.ValueTypeNone
	}
	switch {
	case fits:
		return nil
	case got == codetags.ValueTypeNone:
		return plan.Fault{Message: "it lacks its value", Cure: cureOf(r)}
	case r.Value == None:
		return plan.Fault{Message: fmt.Sprintf("it takes no value, and this is %s", ShownValue(t)), Cure: cureOf(r)}
	}
	return plan.Fault{Message: fmt.Sprintf("%s is not %s", ShownValue(t), shape.Article(string(r.Value))), Cure: cureOf(r)}
}

func ShownValue(t codetags.Tag) string {
	switch t.ValueType {
	case codetags.ValueTypeTag:
		return "+" + t.ValueTag.String()
	case codetags.ValueTypeString:
		return strconv.Quote(t.Value)
	}
	return t.Value
}

func cureOf(r Rule) string {
	if r.Example == "" {
		return ""
	}
	return "want it as in " + r.Example
}

// HasRule tells whether a tag stands in the comment of the site that does not say false.
func HasRule(s *Site, name string) bool { return s.Origin.Markers.On(name) }
