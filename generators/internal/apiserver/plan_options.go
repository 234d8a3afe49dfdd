package apiserver

import (
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/typeplane/typeplane/generators/internal/diag"
	"github.com/typeplane/typeplane/generators/internal/tag"
	"github.com/typeplane/typeplane/generators/internal/validation"
)

// findOptions reads which options of validation are on: +typeplane:validation:enabled and
// disabled, above one of the versions. An option that rules depend on, and of which nothing is
// said, is off, with a warning. A strategy with a method ValidationOptions says all of them.
func (p *planner) findOptions(hubs []*hub) {
	for _, h := range hubs {
		said := p.saidOptions(h)
		asked := p.askedOptions(h)
		for _, name := range slices.Sorted(maps.Keys(said)) {
			if !slices.Contains(asked, name) {
				p.optionProblem(h, name, "no rule of the kind depends on it", suggestOption(name, asked))
			}
		}
		if h.strategy != nil && h.strategy.has("ValidationOptions") {
			for _, name := range slices.Sorted(maps.Keys(said)) {
				p.optionProblem(h, name, "the method ValidationOptions of its strategy says it", "remove one of them")
			}
			continue
		}
		p.warnOfOptions(h, asked, said)
		for _, name := range asked {
			h.options = append(h.options, option{name, said[name]})
		}
	}
}

// saidOptions are the options that the markers of a kind name.
func (p *planner) saidOptions(h *hub) map[string]bool {
	said := map[string]bool{}
	for _, v := range h.versions {
		for _, on := range []bool{true, false} {
			for _, value := range v.markers.Values(optionTag(on)) {
				for name := range strings.SplitSeq(value, ";") {
					name = strings.TrimSpace(name)
					if before, twice := said[name]; twice && before != on {
						p.optionProblem(h, name, "it is enabled and disabled", "say one of the two")
					}
					said[name] = on
				}
			}
		}
	}
	return said
}

func optionTag(on bool) string {
	if on {
		return tagOptionsOn
	}
	return tagOptionsOff
}

// askedOptions are the options that rules of the versions depend on, sorted.
func (p *planner) askedOptions(h *hub) []string {
	var asked []string
	for _, v := range h.versions {
		if !v.functions.validate {
			continue
		}
		if p.rules == nil {
			p.rules = validation.RulesOf(p.pass)
		}
		asked = append(asked, p.rules.Options(v.pkg, v.goType)...)
	}
	slices.Sort(asked)
	return slices.Compact(asked)
}

func suggestOption(name string, asked []string) string {
	if near := tag.Nearest(name, asked); near != "" {
		return "did you mean " + near + "?"
	}
	return "take it away"
}

func (p *planner) optionProblem(h *hub, option, message, cure string) {
	p.problem(h.storage.pos, h.groupKind.Kind, fmt.Sprintf("the option %s: %s", option, message), cure)
}

func (p *planner) warnOfOptions(h *hub, asked []string, said map[string]bool) {
	open := slices.DeleteFunc(slices.Clone(asked), func(name string) bool { _, ok := said[name]; return ok })
	if len(open) == 0 {
		return
	}
	p.report.Warn(diag.Problem{
		Pos: h.storage.pos, Path: h.groupKind.Kind,
		Message: fmt.Sprintf("its rules depend on what nothing turns on or off, and so is off: %s", strings.Join(open, ", ")),
		Cure:    fmt.Sprintf("say +%s=%s above the kind, or +%s=…, or write a method ValidationOptions of the strategy", tagOptionsOff, strings.Join(open, ";"), tagOptionsOn),
	})
}
