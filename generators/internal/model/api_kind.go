package model

import (
	"go/token"
	"slices"
	"strings"

	"github.com/typeplane/typeplane/generators/internal/tag"

	"k8s.io/gengo/v2/types"
)

// kind is nil for a type that says it is none.
func (r *Reader) kind(t *types.Type, name string, markers Markers, doc []string, pos token.Position) *Kind {
	if has(markers, "kubebuilder:skipversion") {
		return nil
	}
	k := &Kind{
		Name: name, Pos: pos, Doc: prose(doc), Type: r.typ(t),
		Served: !has(markers, "kubebuilder:unservedversion"), Stored: has(markers, "kubebuilder:storageversion"),
		Status: has(markers, "kubebuilder:subresource:status"), Verbs: verbs(markers),
	}
	scale, _ := markers.Arguments("kubebuilder:subresource:scale")
	k.Scale = len(scale) > 0
	k.Namespaced = !has(markers, "genclient:nonNamespaced")
	for _, arg := range arguments(markers, "kubebuilder:resource") {
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
	for _, arg := range arguments(markers, "kubebuilder:selectablefield") {
		if arg.Key == "JSONPath" {
			k.Selectable = append(k.Selectable, strings.TrimPrefix(arg.Value, "."))
		}
	}
	for _, arg := range arguments(markers, "typeplane:selectablefield") {
		if arg.Key == "name" {
			k.Selectable = append(k.Selectable, arg.Value)
		}
	}
	for _, arg := range arguments(markers, "typeplane:subresource") {
		if arg.Key == "name" {
			k.Subresources = append(k.Subresources, arg.Value)
		}
	}
	columns, _ := markers.Arguments("kubebuilder:printcolumn")
	for _, marker := range columns {
		k.Columns = append(k.Columns, column(marker))
	}
	return k
}

// verbs are all, or those that the tags for clients name.
func verbs(markers Markers) []string {
	all := []string{"get", "list", "watch", "create", "update", "patch", "delete", "deletecollection"}
	only, skip := value(markers, "genclient:onlyVerbs"), strings.Split(value(markers, "genclient:skipVerbs"), ",")
	if has(markers, "genclient:readonly") {
		only = "get,list,watch"
	}
	return slices.DeleteFunc(all, func(verb string) bool {
		is := func(name string) bool { return strings.EqualFold(name, verb) }
		return slices.ContainsFunc(skip, is) || only != "" && !slices.ContainsFunc(strings.Split(only, ","), is)
	})
}

// arguments are those of all markers of a name. What is wrong with one is for the generator of
// servers to say.
func arguments(markers Markers, name string) []tag.Argument {
	said, _ := markers.Arguments(name)
	return slices.Concat(said...)
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

// shareNames gives all versions of a kind in a group what one of them says about its names, scope
// and subresources, and names to kinds that nothing is said about.
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
			said.Plural = Plural(strings.ToLower(key[1]))
		}
		for _, k := range versions {
			k.Plural, k.Singular, k.ShortNames, k.Categories = said.Plural, said.Singular, said.ShortNames, said.Categories
			k.Namespaced, k.Status = said.Namespaced, said.Status
		}
	}
}
