package apiserver

import (
	"fmt"
	"slices"
	"strings"

	"k8s.io/gengo/v2/types"

	"github.com/typeplane/typeplane/generators/internal/model"
	"github.com/typeplane/typeplane/generators/internal/tag"
)

// hasStatus says whether a kind has a status subresource: one version that says so is enough.
func (p *planner) hasStatus(h *hub) bool {
	var saying []*version
	for _, v := range h.versions {
		if v.markers.Has(tagStatus) {
			saying = append(saying, v)
		}
	}
	if len(saying) == 0 {
		return false
	}
	if !h.hasStatusField() {
		p.report.Warn(problemAt(saying[0].pos, h.groupKind.Kind, "+"+tagStatus+": "+h.goType.Name.String()+", which the server works with, has no field Status, so that nothing can be written at …/status",
			"give it one, or remove the tag"))
	}
	for _, v := range h.versions {
		p.checkStatus(v)
	}
	return true
}

// checkStatus reports a status that clients would not find: what they send to …/status has it below
// that name, and all else that the field holds would be dropped.
func (p *planner) checkStatus(v *version) {
	i := slices.IndexFunc(v.goType.Members, func(m types.Member) bool {
		return m.Name == "Status" || m.Embedded && m.Name == v.goType.Name.Name+"Status"
	})
	if i < 0 {
		return
	}
	m := v.goType.Members[i]
	name := model.JSONName(m)
	if name == "status" {
		return
	}
	said := "is called " + name + " in JSON"
	if name == "" {
		said = "is not in JSON under a name of its own"
	}
	p.problem(p.model.MemberPos(v.goType, m.Name), v.goType.Name.Name+"."+m.Name, "+"+tagStatus+": clients find a status under the name status, and this one "+said,
		"write Status with the struct tag `json:\"status,omitempty\"`, or remove +"+tagStatus)
}

func (h *hub) hasStatusField() bool {
	return slices.ContainsFunc(h.goType.Members, func(m types.Member) bool { return m.Name == "Status" })
}

// scale reads +kubebuilder:subresource:scale of a version; nil if it has none, or one that is
// wrong.
func (p *planner) scale(v *version) *scale {
	markers, err := v.markers.Arguments(tagScale)
	if err != nil {
		p.problem(v.pos, v.goType.Name.Name, err.Error(), "")
	}
	if err != nil || len(markers) == 0 {
		return nil
	}
	if len(markers) > 1 {
		p.problem(v.pos, v.goType.Name.Name, "+"+tagScale+" is there twice", "remove one of the tags")
		return nil
	}
	s, complete := new(scale), true
	at := map[string]string{}
	for _, a := range markers[0] {
		if a.Key != "specpath" && a.Key != "statuspath" && a.Key != "selectorpath" {
			cure := "want specpath, statuspath or selectorpath"
			if near := tag.Nearest(a.Key, []string{"specpath", "statuspath", "selectorpath"}); near != "" {
				cure = "did you mean " + near + "?"
			}
			p.problem(v.pos, v.goType.Name.Name, fmt.Sprintf("+%s:%s=%s: no such key", tagScale, a.Key, a.Value), cure)
			complete = false
		}
		at[a.Key] = a.Value
	}
	for _, want := range []struct {
		key, below, example string
		to                  *target
	}{{"specpath", ".spec.", ".spec.replicas", &s.replicas}, {"statuspath", ".status.", ".status.replicas", &s.current}} {
		if at[want.key] == "" {
			p.problem(v.pos, v.goType.Name.Name, fmt.Sprintf("+%s has no %s", tagScale, want.key), "add "+want.key+"="+want.example)
			complete = false
			continue
		}
		ok := p.scalePath(v, want.key, at[want.key], []string{want.below}, want.to)
		if ok && textOf(want.to.leaf) != "int" {
			p.scaleProblem(v, want.key, at[want.key], fmt.Sprintf("it is a %s", want.to.leaf), "name a number, like int32")
			ok = false
		}
		complete = complete && ok
	}
	if path := at["selectorpath"]; path != "" {
		s.selector = new(target)
		ok := p.scalePath(v, "selectorpath", path, []string{".spec.", ".status."}, s.selector)
		if ok && selectorForm(s.selector.leaf) == "" {
			p.scaleProblem(v, "selectorpath", path, fmt.Sprintf("it is a %s", s.selector.leaf), "name a string, a map of strings or a metav1.LabelSelector")
			ok = false
		}
		complete = complete && ok
	}
	if !complete {
		return nil
	}
	return s
}

// scalePath resolves one of the paths and reports what is wrong with it.
func (p *planner) scalePath(v *version, key, path string, below []string, to *target) bool {
	label, ok := jsonPath(path)
	if !ok || !slices.ContainsFunc(below, func(prefix string) bool { return strings.HasPrefix(path, prefix) }) {
		p.scaleProblem(v, key, path, "it is no path below "+strings.Join(below, " or "), "write it as "+below[0]+"name, with plain JSON names")
		return false
	}
	f, message, cure := resolve(v.goType, label)
	if message != "" {
		p.scaleProblem(v, key, path, message, cure)
		return false
	}
	*to = f
	return true
}

func (p *planner) scaleProblem(v *version, key, path, message, cure string) {
	p.problem(v.pos, v.goType.Name.Name, fmt.Sprintf("+%s:%s=%s: %s", tagScale, key, path, message), cure)
}

// selectorForm is the way from a value to the text of a selector. The value is a "string", a "set"
// of labels that must be equal, or a "selector"; "" stands for none.
func selectorForm(t *types.Type) string {
	switch {
	case textOf(t) == "string":
		return "string"
	case t.Name == types.Name{Package: metaV1, Name: "LabelSelector"}:
		return "selector"
	}
	t = model.Underlying(t)
	if t.Kind == types.Map && textOf(t.Key) == "string" && t.Key.Kind == types.Builtin && t.Elem.Kind == types.Builtin && textOf(t.Elem) == "string" {
		return "set"
	}
	return ""
}

const metaV1 = "k8s.io/apimachinery/pkg/apis/meta/v1"
