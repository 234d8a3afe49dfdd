package apiserver

import (
	"fmt"
	"slices"
	"strings"

	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/apimachinery/pkg/util/validation"

	"github.com/typeplane/typeplane/generators/internal/model"
	"github.com/typeplane/typeplane/generators/internal/tag"
	"github.com/typeplane/typeplane/internal/keyprefix"
)

// names reads the markers of all versions of a kind: one that says something is enough, two must
// say the same.
func (p *planner) names(h *hub) names {
	said := map[string]string{}
	by := map[string]*version{}
	say := func(v *version, key, value string) {
		if old, ok := said[key]; ok && old != value {
			p.problem(v.pos, v.goType.Name.Name, fmt.Sprintf("%s is %s here and %s in %s", key, value, old, by[key].gv),
				"say it in one version only, or the same in all")
			return
		}
		said[key], by[key] = value, v
	}
	for _, v := range h.versions {
		p.readResource(v, say)
		if v.markers.Has(tagNonNamespaced) {
			say(v, "scope", "Cluster")
		}
		p.readKeyPrefix(v, say)
	}
	noun := strings.ToLower(h.groupKind.Kind)
	out := names{
		plural:     model.Plural(noun),
		singular:   noun,
		shortNames: tag.List(said["shortName"]),
		categories: tag.List(said["categories"]),
		namespaced: said["scope"] != "Cluster",
		keyPrefix:  said[tagKeyPrefix],
		prefixAt:   by[tagKeyPrefix],
	}
	if v, ok := said["path"]; ok {
		out.plural = v
	} else if model.SeveralPlurals(h.groupKind.Kind) {
		p.report.Warn(problemAt(h.storage.pos, h.groupKind.Kind,
			fmt.Sprintf("its resource is called %s here, and controller-gen may make another plural of %s", out.plural, h.groupKind.Kind),
			fmt.Sprintf("say +%s:path=%s, or the name that its CustomResourceDefinition has", tagResource, out.plural)))
	}
	if v, ok := said["singular"]; ok {
		out.singular = v
	}
	return out
}

// readResource reads +kubebuilder:resource of one version.
func (p *planner) readResource(v *version, say func(v *version, key, value string)) {
	markers, err := v.markers.Arguments(tagResource)
	if err != nil {
		p.problem(v.pos, v.goType.Name.Name, err.Error(), "")
		return
	}
	p.checkRepeated(v, markers)
	for _, a := range slices.Concat(markers...) {
		problem := func(message, cure string) {
			p.problem(v.pos, v.goType.Name.Name, fmt.Sprintf("+%s:%s=%s: %s", tagResource, a.Key, a.Value, message), cure)
		}
		switch a.Key {
		case "path", "singular", "shortName", "categories":
			items := []string{a.Value}
			if a.Key == "shortName" || a.Key == "categories" {
				items = tag.List(a.Value)
			}
			for _, item := range items {
				if len(validation.IsDNS1035Label(item)) > 0 {
					problem(fmt.Sprintf("%q can't be part of a URL", item), "use small letters, digits and hyphens")
				}
			}
			say(v, a.Key, strings.Join(items, ";"))
		case "scope":
			if a.Value != "Cluster" && a.Value != "Namespaced" {
				problem("no such scope", "want Namespaced or Cluster")
			}
			say(v, a.Key, a.Value)
		default:
			cure := "want path, singular, shortName, categories or scope"
			if near := tag.Nearest(a.Key, []string{"path", "singular", "shortName", "categories", "scope"}); near != "" {
				cure = "did you mean " + near + "?"
			}
			problem("no such key", cure)
		}
	}
}

// checkRepeated warns of what stands in one of several markers of a kind: of these controller-gen
// has the last one say the short names, the categories and the scope.
func (p *planner) checkRepeated(v *version, markers [][]tag.Argument) {
	for i, marker := range markers {
		last := markers[len(markers)-1]
		for _, a := range marker {
			lost := a.Key == "shortName" || a.Key == "categories" || a.Key == "scope" && a.Value == "Cluster"
			if i == len(markers)-1 || !lost || slices.ContainsFunc(last, func(other tag.Argument) bool { return other.Key == a.Key }) {
				continue
			}
			p.report.Warn(problemAt(v.pos, v.goType.Name.Name,
				fmt.Sprintf("+%s:%s=%s counts here, and not for controller-gen, which reads that in the last +%s of a kind", tagResource, a.Key, a.Value, tagResource),
				"say all in one of them"))
		}
	}
}

// readKeyPrefix reads +typeplane:key-prefix of one version.
func (p *planner) readKeyPrefix(v *version, say func(v *version, key, value string)) {
	for _, value := range v.markers.Values(tagKeyPrefix) {
		if err := keyprefix.Check(value); err != nil {
			p.problem(v.pos, v.goType.Name.Name, fmt.Sprintf("+%s=%s: %v", tagKeyPrefix, value, err), "want segments with a slash between them, like services/specs")
			continue
		}
		say(v, tagKeyPrefix, value)
	}
}

// checkPrefixes reports resources that would keep their objects in the same place, or one among
// those of the other.
func (p *planner) checkPrefixes(hubs []*hub) {
	for i, h := range hubs {
		for _, other := range hubs[:i] {
			mine, others := h.keyPrefix(), other.keyPrefix()
			if !keyprefix.Meet(mine, others) || p.apart[h.groupKind] && h.groupKind == other.groupKind {
				continue
			}
			at := h.storage
			switch {
			case h.names.prefixAt != nil:
				at = h.names.prefixAt
			case other.names.prefixAt != nil:
				at = other.names.prefixAt
			}
			p.problem(at.pos, at.goType.Name.Name, fmt.Sprintf("objects of %s would be stored below %s, and those of %s below %s, which is the same place or inside it",
				groupKindText(h.groupKind), mine, groupKindText(other.groupKind), others),
				"give one of them another place with +"+tagKeyPrefix+"=, or another name with +"+tagResource+":path=")
		}
	}
}

// keyPrefix is where the objects of a kind lie.
func (h *hub) keyPrefix() string {
	return keyprefix.Of(h.groupKind.Group, h.names.plural, h.names.keyPrefix)
}

// checkNames reports names that two resources of a group would share, because kubectl could then
// not tell them apart.
func (p *planner) checkNames(hubs []*hub) {
	type claim struct{ group, name string }
	taken := map[claim]*hub{}
	for _, h := range hubs {
		mine := append([]string{h.names.plural, h.names.singular}, h.names.shortNames...)
		slices.Sort(mine)
		for _, name := range slices.Compact(mine) {
			other := taken[claim{h.groupKind.Group, name}]
			if other == nil {
				taken[claim{h.groupKind.Group, name}] = h
				continue
			}
			if p.apart[h.groupKind] && h.groupKind == other.groupKind {
				continue
			}
			p.problem(h.storage.pos, h.groupKind.Kind, fmt.Sprintf("%q is the name of %s too", name, groupKindText(other.groupKind)),
				"give one of them another name with +"+tagResource+":path=, singular= or shortName=")
		}
	}
}

func groupKindText(gk schema.GroupKind) string { return gk.Kind + " in " + gk.Group }
