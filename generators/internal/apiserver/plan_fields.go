package apiserver

import (
	"fmt"
	"strings"

	"k8s.io/gengo/v2/types"

	"github.com/typeplane/typeplane/generators/internal/model"
	"github.com/typeplane/typeplane/generators/internal/tag"
)

// selectableFields reads +kubebuilder:selectablefield:JSONPath=.spec.isbn of a kind, and
// +typeplane:selectablefield:name=isbn,JSONPath=.spec.isbn.
func (p *planner) selectableFields(v *version) []selectable {
	var out []selectable
	seen := map[string]bool{}
	for _, tag := range []string{tagSelectableField, tagNamedField} {
		markers, err := v.markers.Arguments(tag)
		if err != nil {
			p.problem(v.pos, v.goType.Name.Name, err.Error(), "")
			continue
		}
		for _, marker := range markers {
			name, path, ok := fieldArguments(tag, marker)
			if !ok {
				p.problem(v.pos, v.goType.Name.Name, "+"+tag+" needs "+fieldForms[tag].needs, "write it like +"+tag+fieldForms[tag].like)
				continue
			}
			f, message, cure := p.follow(v.goType, path)
			if message == "" && tag == tagNamedField {
				message, cure = f.rename(name)
			}
			if message == "" && seen[f.label] {
				message, cure = "it is there twice", "remove one of the tags"
			}
			if message != "" {
				p.problem(v.pos, v.goType.Name.Name, fmt.Sprintf("+%s:%s: %s", tag, strings.Join(said(marker), ","), message), cure)
				continue
			}
			seen[f.label] = true
			out = append(out, f)
		}
	}
	return out
}

// fieldForms are how the tags of selectable fields are written.
var fieldForms = map[string]struct{ needs, like string }{
	tagSelectableField: {"a path and nothing else", ":JSONPath=.spec.name"},
	tagNamedField:      {"a name and a path", ":name=spec.title,JSONPath=.spec.name"},
}

// fieldArguments are what a tag of a selectable field says; the name is "" in the one that has
// none. ok is false if something is missing, or too much.
func fieldArguments(tagName string, marker []tag.Argument) (name, path string, ok bool) {
	for _, a := range marker {
		switch {
		case a.Key == "JSONPath" && path == "":
			path = a.Value
		case a.Key == "name" && name == "" && tagName == tagNamedField:
			name = a.Value
		default:
			return "", "", false
		}
	}
	return name, path, path != "" && (name != "" || tagName == tagSelectableField)
}

// said is what stands in a marker.
func said(marker []tag.Argument) (out []string) {
	for _, a := range marker {
		out = append(out, a.Key+"="+a.Value)
	}
	return out
}

// rename gives a field the name that selectors say, or says what is wrong with that.
func (f *selectable) rename(name string) (message, cure string) {
	label, ok := jsonPath("." + name)
	switch {
	case !ok || strings.ContainsAny(name, `=!,\ `):
		return fmt.Sprintf("selectors can't say the name %q", name), "write names with dots between them, like spec.name"
	case strings.HasPrefix(label, "metadata."):
		return "a name that begins with metadata is the framework's", "call it by another name"
	case label == f.label:
		return "that is the name of its path", "write +" + tagSelectableField + ":JSONPath=." + label
	}
	f.label, f.renamed = label, true
	return "", ""
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
