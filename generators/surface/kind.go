package surface

import (
	"go/token"
	"slices"
	"strings"

	"github.com/typeplane/typeplane/generators/kind"
	"github.com/typeplane/typeplane/generators/tag"

	"k8s.io/gengo/v2/types"
)

// kind is nil for a type that says it is none.
func (r *reader) kind(t *types.Type, name string, lines []string, pos token.Position) *Kind {
	if has(lines, "kubebuilder:skipversion") {
		return nil
	}
	k := &Kind{
		Name: name, Pos: pos, Doc: prose(lines), Type: r.typ(t),
		Served: !has(lines, "kubebuilder:unservedversion"), Stored: has(lines, "kubebuilder:storageversion"),
		Status: has(lines, "kubebuilder:subresource:status"), Verbs: verbs(lines),
	}
	scale, _ := tag.Arguments(lines, "kubebuilder:subresource:scale")
	k.Scale = len(scale) > 0
	k.Namespaced = !has(lines, "genclient:nonNamespaced")
	for _, arg := range arguments(lines, "kubebuilder:resource") {
		switch arg.Key {
		case "path":
			k.Plural = arg.Value
		case "singular":
			k.Singular = arg.Value
		case "shortName":
			k.ShortNames = tag.List(arg.Value)
		case "categories":
			k.Categories = tag.List(arg.Value)
		case "scope":
			k.Namespaced = arg.Value != "Cluster"
		}
	}
	for _, arg := range arguments(lines, "kubebuilder:selectablefield") {
		if arg.Key == "JSONPath" {
			k.Selectable = append(k.Selectable, strings.TrimPrefix(arg.Value, "."))
		}
	}
	for _, arg := range arguments(lines, "typeplane:subresource") {
		if arg.Key == "name" {
			k.Subresources = append(k.Subresources, arg.Value)
		}
	}
	columns, _ := tag.Arguments(lines, "kubebuilder:printcolumn")
	for _, marker := range columns {
		k.Columns = append(k.Columns, column(marker))
	}
	return k
}

// verbs are all, or those that the tags for clients name.
func verbs(lines []string) []string {
	all := []string{"get", "list", "watch", "create", "update", "patch", "delete", "deletecollection"}
	only, skip := value(lines, "genclient:onlyVerbs"), strings.Split(value(lines, "genclient:skipVerbs"), ",")
	if has(lines, "genclient:readonly") {
		only = "get,list,watch"
	}
	return slices.DeleteFunc(all, func(verb string) bool {
		is := func(name string) bool { return strings.EqualFold(name, verb) }
		return slices.ContainsFunc(skip, is) || only != "" && !slices.ContainsFunc(strings.Split(only, ","), is)
	})
}

// arguments are those of all markers of a name. What is wrong with one is for the generator of servers to say.
func arguments(lines []string, name string) []tag.Argument {
	markers, _ := tag.Arguments(lines, name)
	return slices.Concat(markers...)
}

func column(marker []tag.Argument) Column {
	var c Column
	for _, arg := range marker {
		switch arg.Key {
		case "name":
			c.Name = arg.Value
		case "type":
			c.Type = arg.Value
		case "JSONPath":
			c.Path = arg.Value
		case "description":
			c.Description = arg.Value
		case "priority":
			c.Priority = arg.Value
		}
	}
	return c
}

// shareNames gives all versions of a kind in a group what one of them says about its names, scope and subresources, and
// names to kinds that nothing is said about.
func shareNames(apis []*API) {
	byKind := map[[2]string][]*Kind{}
	for _, api := range apis {
		for _, k := range api.Kinds {
			key := [2]string{api.Group, k.Name}
			byKind[key] = append(byKind[key], k)
		}
	}
	for key, versions := range byKind {
		var said Kind
		said.Namespaced = true
		for _, k := range versions {
			if k.Plural != "" {
				said.Plural = k.Plural
			}
			if k.Singular != "" {
				said.Singular = k.Singular
			}
			if k.ShortNames != nil {
				said.ShortNames = k.ShortNames
			}
			if k.Categories != nil {
				said.Categories = k.Categories
			}
			said.Namespaced = said.Namespaced && k.Namespaced
			said.Status = said.Status || k.Status
		}
		if said.Singular == "" {
			said.Singular = strings.ToLower(key[1])
		}
		if said.Plural == "" {
			said.Plural = kind.Plural(strings.ToLower(key[1]))
		}
		for _, k := range versions {
			k.Plural, k.Singular, k.ShortNames, k.Categories = said.Plural, said.Singular, said.ShortNames, said.Categories
			k.Namespaced, k.Status = said.Namespaced, said.Status
		}
	}
}
