package apiserver

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/gengo/v2/types"

	"github.com/typeplane/typeplane/generators/internal/conversion"
	"github.com/typeplane/typeplane/generators/internal/model"
)

// findConversions asks the generator of conversions what it prints, for every package of the run.
func (p *planner) findConversions(all []*model.Package) {
	p.conversions = map[*types.Type]conversions{}
	for _, pkg := range p.converting(all) {
		for _, pair := range conversion.Pairs(p.model, pkg, nil) { // which reports its problems itself
			p.conversions[pair.Version] = conversions{pair, pkg}
		}
	}
}

// converting are packages, and those of other modules whose kinds they serve by aliases: these have
// their conversions beside them.
func (p *planner) converting(all []*model.Package) []*model.Package {
	out := slices.Clone(all)
	for _, pkg := range all {
		for _, a := range p.model.Aliases(pkg) {
			of := p.model.Package(a.Target.Name.Package)
			if of != nil && !of.Main && !slices.Contains(out, of) && p.model.DependencyComments(of.Path) == nil {
				out = append(out, of)
			}
		}
	}
	return out
}

// hubs sorts versions by the hub that they belong to.
func (p *planner) hubs(versions []*version) []*hub {
	p.findByMethods(versions)
	p.findSameJSON(versions)
	byType := map[*types.Type]*hub{}
	var out []*hub
	for _, v := range versions {
		h := byType[v.hub]
		if h == nil {
			h = &hub{goType: v.hub}
			byType[v.hub] = h
			out = append(out, h)
		}
		h.versions = append(h.versions, v)
	}
	p.checkChains(versions)
	for _, h := range out {
		p.complete(h)
	}
	p.checkApart(out)
	slices.SortFunc(out, func(a, b *hub) int {
		return cmp.Or(strings.Compare(a.groupKind.Group, b.groupKind.Group), strings.Compare(a.groupKind.Kind, b.groupKind.Kind))
	})
	return out
}

// complete finds out which version is stored, and with it how the hub is called.
func (p *planner) complete(h *hub) {
	slices.SortFunc(h.versions, func(a, b *version) int { return compareGroupVersions(a.gv, b.gv) })
	h.storage = p.storageVersion(h)
	h.groupKind = schema.GroupKind{Group: h.storage.gv.Group, Kind: h.storage.goType.Name.Name}
	slices.SortStableFunc(h.versions, func(a, b *version) int {
		return cmp.Compare(elsewhere(a, h), elsewhere(b, h)) // the hub's own group first
	})
	h.names = p.names(h)
	for _, v := range h.versions {
		v.deprecated = p.deprecated(h, v)
	}
	h.status = p.hasStatus(h)
	if !model.Embeds(h.goType, "TypeMeta") || !model.Embeds(h.goType, "ObjectMeta") {
		p.problem(p.model.TypePos(h.goType), h.goType.Name.Name, "it is the hub of a kind and has no metadata", "embed metav1.TypeMeta and metav1.ObjectMeta")
	}
	if !slices.ContainsFunc(h.versions, func(v *version) bool { return v.served }) {
		p.problem(h.storage.pos, h.groupKind.Kind, "none of its versions is served",
			"take +"+tagUnserved+" from one of them, or say +"+tagSkip)
	}
}

// deprecated is what clients of a version are warned of: as a kube-apiserver does it, what its
// marker says, or else which better version there is; "": nothing.
func (p *planner) deprecated(h *hub, v *version) string {
	markers, err := v.markers.Arguments(tagDeprecated)
	if err != nil {
		p.problem(v.pos, v.goType.Name.Name, err.Error(), "")
	}
	if len(markers) == 0 {
		return ""
	}
	for _, argument := range markers[0] {
		if argument.Key == "warning" && argument.Value != "" {
			return argument.Value
		}
	}
	warning := fmt.Sprintf("%s %s is deprecated", v.gv, v.goType.Name.Name)
	for _, better := range h.versions {
		if compareGroupVersions(better.gv, v.gv) < 0 && better.gv.Group == v.gv.Group && better.served && !better.markers.Has(tagDeprecated) {
			return fmt.Sprintf("%s; use %s %s", warning, better.gv, better.goType.Name.Name)
		}
	}
	return warning
}

func elsewhere(v *version, h *hub) int {
	if v.gv.Group == h.groupKind.Group {
		return 0
	}
	return 1
}

// markedStored are the versions with the marker of the storage version.
func markedStored(versions []*version) (marked []*version) {
	for _, v := range versions {
		if v.markers.Has(tagStorageVersion) {
			marked = append(marked, v)
		}
	}
	return marked
}

// bestServed is the first version that is served, or else the first: they are in order.
func bestServed(versions []*version) *version {
	if i := slices.IndexFunc(versions, func(v *version) bool { return v.served }); i >= 0 {
		return versions[i]
	}
	return versions[0]
}

// storageVersion is the version with the marker, else the hub itself if it is a version, else the
// best one.
func (p *planner) storageVersion(h *hub) *version {
	marked := markedStored(h.versions)
	for _, v := range marked[min(1, len(marked)):] {
		p.problem(v.pos, v.goType.Name.Name,
			fmt.Sprintf("+%s is also on the one in %s", tagStorageVersion, marked[0].gv), "objects are stored in one version: leave one of the tags")
	}
	isHub := slices.IndexFunc(h.versions, func(v *version) bool { return v.goType == h.goType })
	switch {
	case len(marked) > 0 && isHub >= 0 && marked[0].goType != h.goType:
		p.problem(marked[0].pos, marked[0].goType.Name.Name,
			fmt.Sprintf("it is stored in %s, but the other versions convert to %s", marked[0].gv, h.versions[isHub].gv),
			"without a package of hub types the stored version is the hub: move the tag there, or let +"+tagConversion+" name "+marked[0].pkg.Path)
		return marked[0]
	case len(marked) > 0:
		return marked[0]
	case isHub >= 0:
		return h.versions[isHub]
	}
	return bestServed(h.versions)
}

// checkChains reports versions that convert to a version which itself converts to something else.
func (p *planner) checkChains(versions []*version) {
	for _, v := range versions {
		for _, next := range versions {
			if v.hub == next.goType && next.hub != next.goType {
				p.problem(v.pos, v.goType.Name.Name,
					fmt.Sprintf("it converts to %s, which itself converts to %s", next.gv, next.hub),
					"let +"+tagConversion+" of both packages name "+next.hub.Name.Package)
			}
		}
	}
}

// checkApart reports kinds whose versions have no common hub: nothing could convert between them.
func (p *planner) checkApart(hubs []*hub) {
	first := map[schema.GroupKind]*version{}
	for _, h := range hubs {
		for _, v := range h.versions {
			gk := schema.GroupKind{Group: v.gv.Group, Kind: v.goType.Name.Name}
			other := first[gk]
			switch {
			case other == nil:
				first[gk] = v
			case other.gv == v.gv:
				p.problem(v.pos, gk.Kind, fmt.Sprintf("%s has this kind already, in package %s", v.gv, other.pkg.Path),
					"give one of the packages another group or version")
			case other.hub != v.hub:
				p.apart[gk] = true
				p.problem(v.pos, gk.Kind,
					fmt.Sprintf("the server could not convert between it and the %s in %s: they have no hub in common", gk.Kind, other.gv),
					"say in doc.go of one version +"+tagConversion+"= with the import path of the other, or in both with that of a package of hub types")
			}
		}
	}
}
