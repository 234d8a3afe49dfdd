package apiserver

import (
	"cmp"
	"fmt"
	"strings"

	"github.com/typeplane/typeplane/generators/internal/diag"
	"github.com/typeplane/typeplane/generators/internal/validation"
)

// judgedByStorage finds out which versions are judged by their own rules alone. For a kind with one
// version it makes no difference.
func (p *planner) judgedByStorage(hubs []*hub) {
	for _, h := range hubs {
		if len(h.versions) == 1 {
			continue
		}
		for _, v := range h.versions {
			v.ownRulesOnly = p.ofKubernetes(v) || v.storedRules() == "false" || v.asInCRD()
		}
		p.warnOfRules(h)
	}
}

// warnOfRules says where other rules hold in the version that is stored than in others, unless
// these say what shall be so.
func (p *planner) warnOfRules(h *hub) {
	var other *version
	var parts []string
	for _, v := range h.versions {
		if v == h.storage || !v.served || p.ofKubernetes(v) || v.storedRules() != "" || v.asInCRD() || !v.functions.validate && !h.storage.functions.validate {
			continue
		}
		if p.rules == nil {
			p.rules = validation.RulesOf(p.pass)
		}
		if fields := p.rules.Differences(h.storage.pkg, h.storage.goType, v.goType); len(fields) > 0 {
			parts, other = append(parts, fmt.Sprintf("than in %s for %s", v.gv, someOf(fields))), cmp.Or(other, v)
		}
	}
	if other == nil {
		return
	}
	p.report.Warn(diag.Problem{
		Pos: other.pos, Path: h.groupKind.Kind,
		Message: fmt.Sprintf("other rules hold in %s, which is stored, %s; they judge the fields that both have, whichever version is written", h.storage.gv, strings.Join(parts, ", ")),
		Cure:    fmt.Sprintf("let both have the same rules, or say on the older one +%s=true to keep it so, or false to judge it by its own rules alone", tagStoredRules),
	})
}

// someOf lists some names, and says how many more there are.
func someOf(names []string) string {
	const most = 4
	if len(names) > most {
		return fmt.Sprintf("%s and %d more", strings.Join(names[:most], ", "), len(names)-most)
	}
	return strings.Join(names, ", ")
}

// ofKubernetes says whether a version is a type of Kubernetes' own, which a server judges as a
// kube-apiserver does.
func (p *planner) ofKubernetes(v *version) bool { return p.model.OfKubernetes(v.pkg, v.goType) }

// asInCRD says whether a version is judged by its own rules alone, as in a
// CustomResourceDefinition. So it is if nobody has written a conversion, and the version says
// nothing of the rules of the stored one.
func (v *version) asInCRD() bool { return v.by == conversionByJSON && v.storedRules() == "" }

// storedRules is what the kind says about them, or else the package comment; "" if neither does.
func (v *version) storedRules() string {
	return cmp.Or(v.typeTag(tagStoredRules), v.packageTag(tagStoredRules))
}
