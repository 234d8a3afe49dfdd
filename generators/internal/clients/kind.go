package clients

import (
	"fmt"
	"slices"
	"strings"

	"k8s.io/gengo/v2/types"

	"github.com/typeplane/typeplane/generators/internal/diag"
	"github.com/typeplane/typeplane/generators/internal/model"
	"github.com/typeplane/typeplane/generators/internal/register"
	"github.com/typeplane/typeplane/generators/internal/tag"
	"github.com/typeplane/typeplane/internal/suggest"
)

// Kind is a kind with a client.
type Kind struct {
	Version *Version
	Type    *types.Type
	// Name is that of the kind and of its type. Plural is the same in the plural, Private and
	// PrivatePlural begin with a small letter.
	Name, Plural, Private, PrivatePlural string
	// Resource is the plural in paths.
	Resource   string
	Namespaced bool
	// Status tells that there is a subresource for the field Status.
	Status bool
	// Methods are those besides the verbs.
	Methods []Method
	// PointerItems tells that the items of the list are pointers.
	PointerItems bool

	verbs   []string
	noVerbs bool
}

// verbs are those that a client may have, in the order of its interface.
var verbs = []string{"create", "update", "updateStatus", "delete", "deleteCollection", "get", "list", "watch", "patch", "apply", "applyStatus"}

// Verbs are those of the client, in the order of its interface.
func (k *Kind) Verbs() []string {
	if k.noVerbs {
		return nil
	}
	return k.verbs
}

// Has tells whether the client has one of some verbs.
func (k *Kind) Has(some ...string) bool {
	return slices.ContainsFunc(some, func(v string) bool { return slices.Contains(k.Verbs(), v) })
}

// Applied tells whether the kind has an apply configuration. It has one, and a lister, also where
// its client has no verbs: who writes the methods by hand may need them.
func (k *Kind) Applied() bool {
	return slices.Contains(k.verbs, "apply") || slices.Contains(k.verbs, "applyStatus")
}

// Lister tells whether there is a lister of the kind, and Informer whether there is an informer.
func (k *Kind) Lister() bool {
	return slices.Contains(k.verbs, "list") && slices.Contains(k.verbs, "get")
}

// Informer is explained at Lister.
func (k *Kind) Informer() bool { return k.Has("list") && k.Has("watch") }

// ForFile is the kind's name in the names of files.
func (k *Kind) ForFile() string { return strings.ToLower(k.Name) }

// kind is what a type has for clients; nil if it gets none.
func (p *planner) kind(v *Version, t *types.Type) *Kind {
	markers := p.pass.Model.OfType(t)
	if t.Kind == types.Struct && !model.InJSON(t) {
		return nil // of a hub, which no client sees
	}
	if !p.tagged(t, markers) && !p.serves(v.Package, t, markers) {
		p.idle(t.Name.Name, markers, "without +"+tagGen, "say that, too, or take the tag away")
		return nil
	}
	if !model.Embeds(t, "ObjectMeta") || !model.Embeds(t, "TypeMeta") {
		p.problem(t, "+"+tagGen+" is for kinds, which embed metav1.TypeMeta and metav1.ObjectMeta", "take the tag away, or embed them")
		return nil
	}
	k := &Kind{Version: v, Type: t, Name: t.Name.Name}
	k.Plural = pluralOf(t, p.plurals)
	k.Private, k.PrivatePlural = variable(lower(k.Name)), lower(k.Plural)
	if k.PrivatePlural == k.Private {
		k.PrivatePlural += "Client"
	}
	k.Resource, k.Namespaced = p.resource(k, markers)
	k.Status = !markers.Has(tagNoStatus) && slices.ContainsFunc(t.Members, func(m types.Member) bool { return m.Name == "Status" })
	k.verbs = p.verbsOf(k, markers)
	k.Methods = p.methods(k, markers)
	p.checkList(k)
	return k
}

// tagged tells whether a type asks for a client.
func (p *planner) tagged(t *types.Type, markers model.Markers) bool {
	value, said := markers.Last(tagGen)
	if value != "" {
		p.problem(t, fmt.Sprintf("+%s=%s: it takes no value", tagGen, value), "write +"+tagGen+", or take the tag away for no client")
	}
	return said
}

// serves tells whether a server of the run serves a type as a kind.
func (p *planner) serves(pkg *model.Package, t *types.Type, markers model.Markers) bool {
	return p.pass.Model.Serves(pkg) && model.Embeds(t, "TypeMeta") && model.Embeds(t, "ObjectMeta") && hasList(pkg, t) &&
		!markers.Has("kubebuilder:skipversion") && !markers.Has("kubebuilder:unservedversion")
}

func hasList(pkg *model.Package, t *types.Type) bool {
	return pkg.Go.Scope().Lookup(t.Name.Name+"List") != nil
}

// idle reports tags that say how a client is to be, where none is printed.
func (p *planner) idle(path string, markers model.Markers, why, cure string) {
	for mk := range markers.All() {
		if !isClientTag(mk) || mk.Name == tagNonNamespaced { // which says what the kind is for others, too
			continue
		}
		p.pass.Report.Add(diag.Problem{Pos: mk.Pos, Path: path, Idle: true, Message: "+" + mk.Name + " has no effect " + why, Cure: cure})
	}
}

// isClientTag tells whether a marker of a type is about its client.
func isClientTag(mk *model.Marker) bool {
	return mk.Name == tagResourceName || mk.Name == tagGen || strings.HasPrefix(mk.Name, tagGen+":")
}

// aliases reports tags above aliases, which get no client: whoever declares the type has one.
func (p *planner) aliases(pkg *model.Package) {
	for _, a := range pkg.Aliases {
		p.idle(a.Name, p.pass.Model.OfAlias(a), "above an alias", "take it away, and use the client of "+a.Target.Name.Package)
	}
}

// resource is the plural of a kind in paths, and whether it lies in namespaces.
func (p *planner) resource(k *Kind, markers model.Markers) (plural string, namespaced bool) {
	plural, namespaced = strings.ToLower(k.Plural), !markers.Has(tagNonNamespaced)
	if p.pass.Model.Serves(k.Version.Package) {
		plural = model.Plural(strings.ToLower(k.Name)) // what the server calls it
	}
	said, _ := markers.Arguments(tagResource) // the generator of servers says what can't be read
	for _, a := range slices.Concat(said...) {
		switch a.Key {
		case "path":
			plural = a.Value
		case "scope":
			namespaced = namespaced && a.Value != "Cluster"
		}
	}
	if name, ok := markers.Last(tagResourceName); ok && name != "" {
		plural = name
	}
	return plural, namespaced
}

// verbsOf are those of a kind's client.
func (p *planner) verbsOf(k *Kind, markers model.Markers) []string {
	only := p.verbList(k.Type, markers, tagOnlyVerbs)
	if markers.Has(tagReadonly) {
		only = append(only, "get", "list", "watch")
	}
	skip := p.verbList(k.Type, markers, tagSkipVerbs)
	for _, v := range only {
		if slices.Contains(skip, v) {
			p.problem(k.Type, fmt.Sprintf("+%s=%s: the verb is among those of the client, too", tagSkipVerbs, v), "name it in one place")
		}
	}
	k.noVerbs = markers.Has(tagNoVerbs)
	return slices.DeleteFunc(slices.Clone(verbs), func(v string) bool {
		isStatus := v == "updateStatus" || v == "applyStatus"
		return slices.Contains(skip, v) || len(only) > 0 && !slices.Contains(only, v) || isStatus && !k.Status
	})
}

// verbList reads the verbs that a tag names.
func (p *planner) verbList(t *types.Type, markers model.Markers, name string) []string {
	var out []string
	for _, mk := range markers.Exactly(name) {
		value := tag.RawValue(mk.Text[1+len(name):])
		for v := range strings.SplitSeq(value, ",") {
			v = strings.TrimSpace(v)
			if !slices.Contains(verbs, v) {
				cure := "want some of " + strings.Join(verbs, ", ")
				if near := suggest.Nearest(v, verbs); near != "" {
					cure = "did you mean " + near + "?"
				}
				p.problemOf(mk, t, fmt.Sprintf("=%s: %q is no verb of a client", value, v), cure)
				continue
			}
			out = append(out, v)
		}
	}
	return out
}

// checkList reports a kind without the type of its list, which these verbs need.
func (p *planner) checkList(k *Kind) {
	if k.Has("list", "deleteCollection") && !hasList(k.Version.Package, k.Type) {
		p.problem(k.Type, "its client would list, and there is no type "+k.Name+"List",
			"declare it, or say +"+tagSkipVerbs+"=list,deleteCollection,watch")
		return
	}
	if list := k.Version.Package.Types.Types[k.Name+"List"]; list != nil {
		k.PointerItems = slices.ContainsFunc(list.Members, func(m types.Member) bool {
			return m.Name == "Items" && m.Type.Elem != nil && m.Type.Elem.Kind == types.Pointer
		})
	}
}

// registers tells whether a package has what its clients name, be it printed by another run:
// SchemeGroupVersion, Resource and AddToScheme.
func registers(m *model.Model, pkg *model.Package) bool {
	return register.Covers(m, pkg) || pkg.HasFile("register.go") || pkg.Go.Scope().Lookup("SchemeGroupVersion") != nil ||
		(Place{Dir: pkg.Dir}).Has("zz_generated.register.go")
}

// Claim reads the tags for clients in all packages, also where nobody asks for one: there they are
// for client-gen. What is idle beside a tag that asks is said by Plan.
func Claim(m *model.Model, packages []*model.Package) {
	claim := func(markers model.Markers) {
		for mk := range markers.All() {
			if isClientTag(mk) {
				markers.Claim(mk)
			}
		}
	}
	for _, pkg := range packages {
		m.OfPackage(pkg).Has(tagGroupGoName)
		for _, t := range pkg.Types.Types {
			claim(m.OfType(t))
		}
		for _, a := range pkg.Aliases {
			claim(m.OfAlias(a))
		}
	}
}
