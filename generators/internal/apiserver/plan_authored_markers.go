package apiserver

import (
	"cmp"
	"fmt"
	"slices"

	"k8s.io/apimachinery/pkg/util/validation"

	"github.com/typeplane/typeplane/generators/internal/tag"
)

// wanted is a subresource that markers ask for.
type wanted struct {
	name     string
	methods  []string
	below    string     // the option that the rest of the path goes into
	versions []*version // that say so
}

// wanted reads the markers of all versions, in the order in which they are there.
func (p *planner) wanted(h *hub) []*wanted {
	var out []*wanted
	for _, v := range h.versions {
		markers, err := v.markers.Arguments(tagSubresource)
		if err != nil {
			p.problem(v.pos, v.goType.Name.Name, err.Error(), "")
			continue
		}
		here := map[string]bool{}
		for _, arguments := range markers {
			w, ok := p.readSubresource(v, arguments)
			switch i := slices.IndexFunc(out, func(o *wanted) bool { return o.name == w.name }); {
			case !ok:
			case here[w.name]:
				p.problem(v.pos, v.goType.Name.Name, fmt.Sprintf("+%s:name=%s is there twice", tagSubresource, w.name), "remove one of the tags")
			case i >= 0:
				out[i].versions = append(out[i].versions, v)
				if len(out[i].methods) == 0 {
					out[i].methods = w.methods
				}
				out[i].below = cmp.Or(out[i].below, w.below)
			default:
				w.versions = []*version{v}
				out = append(out, &w)
			}
			here[w.name] = true
		}
	}
	return out
}

// readSubresource reads one marker.
func (p *planner) readSubresource(v *version, arguments []tag.Argument) (w wanted, ok bool) {
	ok = true
	problem := func(a tag.Argument, message, cure string) {
		p.problem(v.pos, v.goType.Name.Name, fmt.Sprintf("+%s:%s=%s: %s", tagSubresource, a.Key, a.Value, message), cure)
		ok = false
	}
	for _, a := range arguments {
		switch a.Key {
		case "name":
			w.name = a.Value
			switch {
			case len(validation.IsDNS1123Label(a.Value)) > 0:
				problem(a, "it can't be a part of a URL", "use small letters, digits and hyphens")
			case a.Value == "status" || a.Value == "scale":
				problem(a, "it has a marker of its own", "say +kubebuilder:subresource:"+a.Value)
			case a.Value == "finalize":
				problem(a, "a strategy with Finalize has it", "choose another name")
			}
		case "methods":
			for _, m := range tag.List(a.Value) {
				if !slices.Contains([]string{"GET", "POST", "PUT", "PATCH", "DELETE"}, m) {
					problem(a, fmt.Sprintf("there is no method %q", m), "want GET, POST, PUT, PATCH or DELETE, with semicolons between them")
				}
				w.methods = append(w.methods, m)
			}
		case "below":
			w.below = a.Value
			if a.Value == "" {
				problem(a, "it names no option", "name the string of the options that the rest of the path goes into, by its name in JSON")
			}
		default:
			cure := "want name, methods or below"
			if near := tag.Nearest(a.Key, []string{"name", "methods", "below"}); near != "" {
				cure = "did you mean " + near + "?"
			}
			problem(a, "no such key", cure)
		}
	}
	if w.name == "" && ok {
		p.problem(v.pos, v.goType.Name.Name, "+"+tagSubresource+" has no name", "write it as +"+tagSubresource+":name=restart")
		ok = false
	}
	return w, ok
}
