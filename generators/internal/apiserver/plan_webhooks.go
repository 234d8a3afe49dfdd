package apiserver

import (
	"fmt"
	"slices"

	"k8s.io/gengo/v2/types"

	"github.com/typeplane/typeplane/generators/internal/diag"
	"github.com/typeplane/typeplane/generators/internal/model"
)

// webhook is a method of a kind that controller-runtime's webhooks ask in their first form. The
// server asks it in its admission. It takes the old object, and returns warnings and an error.
type webhook struct {
	name       string
	old, warns bool
}

var (
	defaulting = []webhook{{name: "Default"}}
	validating = []webhook{{name: "ValidateCreate", warns: true}, {name: "ValidateUpdate", old: true, warns: true}, {name: "ValidateDelete", warns: true}}
)

// findWebhooks finds out which kinds default and validate themselves.
func (p *planner) findWebhooks(hubs []*hub) {
	for _, h := range hubs {
		h.defaultsItself, h.validatesItself = p.has(h, defaulting), p.has(h, validating)
	}
}

// has says whether the type that the server works with has all of some methods. It warns of those
// that are not asked.
func (p *planner) has(h *hub, methods []webhook) bool {
	fits := func(w webhook) bool {
		m := h.goType.Methods[w.name]
		return m != nil && w.is(m.Signature)
	}
	wrong := slices.IndexFunc(methods, func(w webhook) bool { return !fits(w) })
	for _, v := range h.versions {
		switch {
		case v.goType != h.goType:
			p.warnOfWebhooks(v, methods, fmt.Sprintf("the server works with %s", h.goType.Name), "move it there")
		case wrong >= 0:
			p.warnOfWebhooks(v, methods, methods[wrong].name+" is not as controller-runtime's webhooks have it", "write it as "+methods[wrong].declaration(v.goType))
		}
	}
	return wrong < 0
}

// warnOfWebhooks warns of the methods that a version has.
func (p *planner) warnOfWebhooks(v *version, methods []webhook, why, cure string) {
	for _, w := range methods {
		if m := v.goType.Methods[w.name]; m != nil {
			p.report.Warn(diag.Problem{Pos: p.model.FuncPos(m), Path: v.goType.Name.Name + "." + w.name, Message: "nothing asks this method: " + why, Cure: cure})
		}
	}
}

func (w webhook) is(s *types.Signature) bool {
	in, out := typesOf(s.Parameters), typesOf(s.Results)
	switch {
	case s.Variadic || w.old && (len(in) != 1 || in[0].Name.String() != "k8s.io/apimachinery/pkg/runtime.Object") || !w.old && len(in) > 0:
		return false
	case !w.warns:
		return len(out) == 0
	}
	return len(out) == 2 && ofStrings(out[0]) && out[1].Name.Name == "error"
}

// ofStrings says whether a type is a list of strings, under whatever name.
func ofStrings(t *types.Type) bool {
	t = model.Underlying(t)
	return t.Kind == types.Slice && t.Elem == types.String
}

// declaration is the method as it should be written.
func (w webhook) declaration(kind *types.Type) string {
	in, out := "", ""
	if w.old {
		in = "old runtime.Object"
	}
	if w.warns {
		out = " (admission.Warnings, error)"
	}
	return fmt.Sprintf("func (*%s) %s(%s)%s", kind.Name.Name, w.name, in, out)
}
