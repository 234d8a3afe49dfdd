package rule

import (
	"reflect"
	"strings"

	"k8s.io/gengo/v2/types"

	"github.com/typeplane/typeplane/generators/internal/model"
)

// Law says which comments are rules.
type Law string

const (
	// OfTypes is the law of packages that ask for functions and are not served: all tags that say
	// that they are rules.
	OfTypes Law = "types"
	// OfResources is the law of what a server of the run serves, that of custom resources: what
	// controller-gen puts into a CustomResourceDefinition is a rule too, like +listType=map. +enum
	// is one where it stands in the module itself.
	OfResources Law = "custom resources"
	// OfKubernetes is the law of a kube-apiserver for its own kinds: the tags of declarative
	// validation alone are rules. All others describe a type, and what is wrong with an object,
	// code says.
	OfKubernetes Law = "Kubernetes"
)

// findings are what is known under one law.
type findings struct {
	Law Law
	// collected is by the type of what is collected: see notes.
	collected map[reflect.Type]any
	taken     map[string][]string // where names of package variables are taken, see Fresh
}

// Under lets a law hold, and returns the law that held before.
func (p *Planner) Under(l Law) Law {
	var before Law
	if p.findings != nil {
		before = p.Law
	}
	if p.laws[l] == nil {
		p.laws[l] = &findings{Law: l, collected: map[reflect.Type]any{}, taken: map[string][]string{}}
	}
	p.findings = p.laws[l]
	return before
}

// Notes are what the tags of one place say together, by the path of the place, under the law that
// holds. Each family of rules has a type of its own for it.
func Notes[T any](p *Planner) map[string]T {
	key := reflect.TypeFor[T]()
	if p.collected[key] == nil {
		p.collected[key] = map[string]T{}
	}
	return p.collected[key].(map[string]T)
}

// LawIn is the law for the types that a package declares or serves.
func (p *Planner) LawIn(pkg *model.Package) Law {
	switch {
	case p.Model.AllOfKubernetes(pkg):
		return OfKubernetes
	case p.Served(pkg.Path):
		return OfResources
	}
	return OfTypes
}

// LawOf is the law for a type below another one. A package of ours has a law of its own, since it
// may print the function. For a type of another module it is the law that holds.
func (p *Planner) LawOf(t *types.Type) Law {
	if t.Name.Package == "" || !p.ours(t) {
		return p.Law
	}
	return p.LawIn(p.Model.Package(t.Name.Package))
}

// counts tells whether a rule counts where it stands. In a type of another module there are rules
// that only its own server goes by: what is no rule for clients yet, and what it leaves to code.
func (p *Planner) counts(r Rule, o Origin) bool {
	if p.Law == OfKubernetes {
		return strings.HasPrefix(r.Name, "k8s:") && !strings.HasPrefix(r.Name, OpenAPI)
	}
	switch r.Name {
	case "enum", "k8s:alpha", "k8s:opaqueType":
		return p.ours(o.Owner)
	}
	return true
}

// ours tells whether a type belongs to the module that is generated for.
func (p *Planner) ours(t *types.Type) bool {
	pkg := p.Model.Package(t.Name.Package)
	return pkg != nil && pkg.Main
}

// Served tells whether a package lies below a server of the run.
func (p *Planner) Served(path string) bool {
	return p.Model.BelowServer(path)
}

// Foreign tells whether a type belongs to another module, where nobody can mend what is written.
func (p *Planner) Foreign(t *types.Type) bool {
	return p.Model.Package(t.Name.Package) != nil && !p.ours(t)
}
