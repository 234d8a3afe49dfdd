package apiserver

import (
	"fmt"
	"strings"

	"k8s.io/gengo/v2/types"

	"github.com/typeplane/typeplane/generators/internal/model"
)

// selectableFields reads +kubebuilder:selectablefield:JSONPath=.spec.isbn of a kind.
func (p *planner) selectableFields(v *version) []selectable {
	markers, err := v.markers.Arguments(tagSelectableField)
	if err != nil {
		p.problem(v.pos, v.goType.Name.Name, err.Error(), "")
		return nil
	}
	var out []selectable
	seen := map[string]bool{}
	for _, marker := range markers {
		if len(marker) != 1 || marker[0].Key != "JSONPath" {
			p.problem(v.pos, v.goType.Name.Name, "+"+tagSelectableField+" needs a path and nothing else",
				"write it like +"+tagSelectableField+":JSONPath=.spec.name")
			continue
		}
		f, message, cure := p.follow(v.goType, marker[0].Value)
		if message == "" && seen[f.label] {
			message, cure = "it is there twice", "remove one of the tags"
		}
		if message != "" {
			p.problem(v.pos, v.goType.Name.Name, fmt.Sprintf("+%s:JSONPath=%s: %s", tagSelectableField, marker[0].Value, message), cure)
			continue
		}
		seen[f.label] = true
		out = append(out, f)
	}
	return out
}

// follow compiles a path to a field that can be selected, or says what is wrong with it.
func (p *planner) follow(kind *types.Type, path string) (f selectable, message, cure string) {
	label, ok := jsonPath(path)
	switch {
	case !ok:
		return f, "only plain fields can be selected", "write a path of JSON names, like .spec.name"
	case label == "metadata.name" || label == "metadata.namespace":
		return f, "every kind can be selected by " + label, "remove the tag"
	case strings.HasPrefix(label, "metadata."):
		return f, "of metadata only name and namespace can be selected", "select by labels, or select a field of .spec or .status"
	}
	f.label = label
	if f.target, message, cure = resolve(kind, label); message != "" {
		return f, message, cure
	}
	if textOf(f.leaf) == "" && !isDuration(f.leaf) {
		return f, fmt.Sprintf("%s is a %s", strings.TrimPrefix(shown(f.value, kind), "*"), f.leaf), "select a string, an integer, a bool or a metav1.Duration"
	}
	return f, "", ""
}

// jsonField finds the field of a struct that has a name in JSON, with the embedded structs on the
// way to it.
func jsonField(t *types.Type, name string) (steps []types.Member, found *types.Type) {
	for _, m := range t.Members {
		if model.JSONName(m) == name {
			return []types.Member{m}, m.Type
		}
	}
	for _, m := range t.Members {
		if inner := model.Inlined(m); inner != nil {
			if steps, found := jsonField(inner, name); found != nil {
				return append([]types.Member{m}, steps...), found
			}
		}
	}
	return nil, nil
}

func isDuration(t *types.Type) bool { return t.Name == types.Name{Package: metaV1, Name: "Duration"} }

// textOf is the way from a value of type t to the text that selectors compare; "" if there is none.
func textOf(t *types.Type) string {
	name := model.Underlying(t)
	if name.Kind != types.Builtin {
		return ""
	}
	switch name.Name.Name {
	case "string", "bool":
		return name.Name.Name
	case "int", "int8", "int16", "int32", "int64":
		return "int"
	case "uint", "uint8", "uint16", "uint32", "uint64", "byte":
		return "uint"
	}
	return ""
}
