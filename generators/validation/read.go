package validation

import (
	"errors"
	"fmt"
	"slices"
	"strconv"
	"strings"

	"k8s.io/gengo/v2/codetags"

	"github.com/typeplane/typeplane/generators/model"
	"github.com/typeplane/typeplane/generators/tag"
)

// written is a tag with the marker that holds it.
type written struct {
	codetags.Tag
	marker *model.Marker
}

// tagsOf reads the rules among markers, sorted by name and otherwise in their order, and claims them. A marker that can't be
// read is a problem and left out.
func (p *planner) tagsOf(o origin) []written {
	var out []written
	for mk := range o.markers.All() {
		r, ok := p.rules.find(tag.NameOf(mk.Text))
		if !ok {
			continue
		}
		o.markers.Claim(mk)
		if !p.counts(r, o) {
			continue
		}
		t, err := parse(r, mk.Text)
		if err != nil {
			p.problem(o, mk, r.name, err)
			continue
		}
		out = append(out, written{t, mk})
	}
	slices.SortStableFunc(out, func(a, b written) int { return strings.Compare(a.Name, b.Name) })
	return out
}

// parse reads one line. Rules of the form of code-generator have its grammar, all others are text.
func parse(r rule, line string) (codetags.Tag, error) {
	if strings.HasPrefix(line, "+k8s:") && r.value != words && r.value != fields {
		t, err := codetags.Parse(strings.TrimPrefix(line, "+"))
		if err != nil {
			return t, fault{"it can't be read: " + err.Error(), cureOf(r)}
		}
		return t, nil
	}
	t := codetags.Tag{Name: r.name}
	rest := strings.TrimPrefix(line, "+"+r.name)
	if rest == "" {
		return t, nil
	}
	t.ValueType = codetags.ValueTypeRaw
	if r.value == fields {
		t.Value = rest // with the colon or bracket it begins with
		return t, nil
	}
	value, ok := strings.CutPrefix(rest, "=")
	if !ok {
		return t, fault{"it can't be read", cureOf(r)}
	}
	t.Value = strings.TrimSpace(value)
	return t, nil
}

// plansOf reads and plans all rules at a site. Rules that are wrong are problems and left out.
func (p *planner) plansOf(s *site) plan {
	var out plan
	for _, w := range p.tagsOf(s.origin) {
		if p.misplaced(s, w) {
			continue
		}
		made, err := p.planDirect(s, w.Tag)
		if err != nil {
			out.left = append(out.left, p.problem(s.origin, w.marker, w.Name, err)...)
			continue
		}
		for i, l := range made.later {
			made.later[i].make = func() (plan, error) {
				inner, err := l.make()
				if err == nil {
					return inner, nil
				}
				return plan{left: p.problem(s.origin, w.marker, w.Name, err)}, nil
			}
		}
		out.add(made)
	}
	return out
}

// misplaced tells whether a tag stands on the wrong thing, or holds one that does not exist. That is reported for the tags
// of all plug-ins alike.
func (p *planner) misplaced(s *site, w written) bool {
	at := map[scope]tag.Scope{onType: tag.Type, onField: tag.Field}[s.scope]
	fault, wrong := p.table.Check(w.marker.Text, at)
	return wrong && !fault.Value
}

// planOf plans a tag that stands inside another one. What is wrong with it is said with its name.
func (p *planner) planOf(s *site, t codetags.Tag) (plan, error) {
	made, err := p.planDirect(s, t)
	var f fault
	if errors.As(err, &f) {
		err = fault{"+" + t.Name + ": " + f.message, f.cure}
	}
	return made, err
}

// planDirect plans a tag, after a check that it fits its definition and the place.
func (p *planner) planDirect(s *site, t codetags.Tag) (plan, error) {
	r, ok := p.rules.find(t.Name)
	if !ok {
		return plan{}, fault{"it is no rule of validation", p.rules.suggestion(t.Name)}
	}
	if r.scopes&s.scope == 0 {
		return plan{}, fault{"it can't stand on " + s.scope.String(), "it belongs on " + r.scopes.String()}
	}
	if err := r.fits(t); err != nil {
		return plan{}, err
	}
	made, err := r.plan(p, s, t)
	var f fault
	if err != nil && !errors.As(err, &f) {
		return plan{}, fault{err.Error(), cureOf(r)}
	}
	return made, err
}

// fits checks arguments and payload against the definition of the rule.
func (r rule) fits(t codetags.Tag) error {
	if !r.anyArgs && r.value != fields {
		for _, a := range t.Args {
			if !slices.ContainsFunc(r.args, func(d argument) bool { return d.name == a.Name }) {
				return fault{fmt.Sprintf("it has no argument %s", a), cureOf(r)}
			}
			if a.Type != codetags.ArgTypeString {
				return fault{fmt.Sprintf("the argument %s is of type %s", a, a.Type), "want a string"}
			}
		}
		for _, d := range r.args {
			if d.required && !slices.ContainsFunc(t.Args, func(a codetags.Arg) bool { return a.Name == d.name }) {
				return fault{"it lacks its argument", cureOf(r)}
			}
		}
	}
	got := t.ValueType
	var fits bool
	switch r.value {
	case none:
		fits = got == codetags.ValueTypeNone
	case flag:
		fits = got == codetags.ValueTypeNone || t.Value == "true" || t.Value == "false"
	case text:
		fits = got == codetags.ValueTypeString || got == codetags.ValueTypeRaw
	case optText:
		fits = got == codetags.ValueTypeNone || got == codetags.ValueTypeString
	case integer:
		fits = got == codetags.ValueTypeInt || got == codetags.ValueTypeRaw
	case innerTag:
		fits = got == codetags.ValueTypeTag && t.ValueTag != nil
	default:
		fits = got != codetags.ValueTypeNone
	}
	switch {
	case fits:
		return nil
	case got == codetags.ValueTypeNone:
		return fault{"it lacks its value", cureOf(r)}
	case r.value == none:
		return fault{fmt.Sprintf("it takes no value, and this is %s", shownValue(t)), cureOf(r)}
	}
	return fault{fmt.Sprintf("%s is not %s", shownValue(t), article(string(r.value))), cureOf(r)}
}

func shownValue(t codetags.Tag) string {
	switch t.ValueType {
	case codetags.ValueTypeTag:
		return "+" + t.ValueTag.String()
	case codetags.ValueTypeString:
		return strconv.Quote(t.Value)
	}
	return t.Value
}

func article(noun string) string {
	if strings.ContainsRune("aeiou", rune(noun[0])) {
		return "an " + noun
	}
	return "a " + noun
}

func cureOf(r rule) string {
	if r.example == "" {
		return ""
	}
	return "want it as in " + r.example
}
