package validation

import (
	"strings"

	"k8s.io/gengo/v2/types"

	"github.com/typeplane/typeplane/generators/model"
)

// law says which comments are rules.
type law string

const (
	// ofTypes is the law of packages that ask for functions and are not served: all tags that say that they are rules.
	ofTypes law = "types"
	// ofResources is the law of what a server of the run serves, that of custom resources: what controller-gen puts into a
	// CustomResourceDefinition is a rule too, like +listType=map. +enum is one where it stands in the module itself.
	ofResources law = "custom resources"
	// ofKubernetes is the law of a kube-apiserver for its own kinds: the tags of declarative validation alone are rules.
	// All others describe a type, and what is wrong with an object, code says.
	ofKubernetes law = "Kubernetes"
)

// findings are what is known of types under one law. What tags of one place say together is collected in its maps, by
// the path of the place.
type findings struct {
	law     law
	nodes   map[*types.Type]*node
	lists   map[string]*list
	unions  map[string]map[string]*union
	modes   map[string]map[string]*modality
	updates map[string]*update
	// opaque are types and fields not to be looked into; inherited are fields whose own tags a +k8s:subfield has taken.
	opaque, inherited map[string]bool
	taken             map[string]int // names of package variables, see fresh
}

// under lets a law hold, and returns the one that held before.
func (p *planner) under(l law) law {
	var before law
	if p.findings != nil {
		before = p.law
	}
	if p.laws[l] == nil {
		p.laws[l] = &findings{
			law: l, nodes: map[*types.Type]*node{}, lists: map[string]*list{},
			unions: map[string]map[string]*union{}, modes: map[string]map[string]*modality{}, updates: map[string]*update{},
			opaque: map[string]bool{}, inherited: map[string]bool{}, taken: map[string]int{},
		}
	}
	p.findings = p.laws[l]
	return before
}

// lawIn is the law for the types that a package declares or serves.
func (p *planner) lawIn(pkg *model.Package) law {
	switch {
	case p.model.AllOfKubernetes(pkg):
		return ofKubernetes
	case p.served(pkg.Path):
		return ofResources
	}
	return ofTypes
}

// lawOf is the law for a type below another one: that of its own package, which may print its function, or for a type of
// another module the one that holds.
func (p *planner) lawOf(t *types.Type) law {
	if t.Name.Package == "" || !p.ours(t) {
		return p.law
	}
	return p.lawIn(p.model.Package(t.Name.Package))
}

// counts tells whether a rule counts where it stands.
func (p *planner) counts(r rule, o origin) bool {
	if p.law == ofKubernetes {
		return strings.HasPrefix(r.name, "k8s:") && !strings.HasPrefix(r.name, openAPI)
	}
	return r.name != "enum" || p.ours(o.owner)
}

// ours tells whether a type belongs to the module that is generated for.
func (p *planner) ours(t *types.Type) bool {
	pkg := p.model.Package(t.Name.Package)
	return pkg != nil && pkg.Main
}
