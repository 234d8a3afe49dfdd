package applyconfiguration

import (
	"cmp"
	"slices"
	"strings"

	"k8s.io/gengo/v2/types"

	"github.com/typeplane/typeplane/generators/internal/clients"
	"github.com/typeplane/typeplane/generators/internal/diag"
	"github.com/typeplane/typeplane/generators/internal/emit"
	"github.com/typeplane/typeplane/generators/internal/generators"
	"github.com/typeplane/typeplane/generators/internal/model"
)

const generator = "applyconfiguration-gen"

// Plugin returns the plug-in.
func Plugin() generators.Plugin {
	return clients.Plugin("applyconfiguration", generator,
		"the kinds with all fields optional, for server-side apply (client/applyconfiguration)", clients.Request(), generate)
}

func generate(pass *generators.Pass, set *clients.Set) {
	if set.Apply.None() {
		return
	}
	p := newPlan(set)
	schemas, err := newSchemas(pass, p)
	if err != nil {
		pass.Report.Add(diag.Problem{Pos: pass.Model.PackagePos(set.Package), Message: err.Error(), Cure: "mend what the types say of their schemas"})
		return
	}
	w := printer{pass: pass, plan: p, schemas: schemas}
	for _, c := range p.configs {
		w.config(c)
	}
	w.utils()
	w.schema()
}

// suffix is what the names of apply configurations end with.
const suffix = "ApplyConfiguration"

// plan says which types have apply configurations, and where.
type plan struct {
	set *clients.Set
	// refs are the import paths of apply configurations by their types.
	refs map[types.Name]string
	// configs are those to be printed, by package and name.
	configs []config
}

// config is the apply configuration of a type.
type config struct {
	*types.Type
	version *clients.Version
	// kind is nil for a type that is part of others.
	kind *clients.Kind
}

// name is that of the apply configuration.
func (c config) name() string { return c.Name.Name + suffix }

// isKind tells whether the type says in objects which kind it is.
func (c config) isKind() bool { return c.kind != nil || model.Embeds(c.Type, "TypeMeta") }

// newPlan finds the types that clients apply, and all that these are made of, as far as they belong
// to the set.
func newPlan(set *clients.Set) plan {
	p := plan{set: set, refs: map[types.Name]string{}}
	for name, at := range set.Externals {
		p.refs[name] = at
	}
	reached := map[types.Name]*types.Type{}
	kinds := map[types.Name]*clients.Kind{}
	for _, g := range set.Groups {
		for _, v := range g.Versions {
			for _, k := range v.Kinds {
				kinds[k.Type.Name] = k
				applied(k, reached)
			}
		}
	}
	for _, g := range set.Groups {
		for _, v := range g.Versions {
			for _, t := range v.Package.Types.Types {
				if reached[t.Name] != nil && inJSON(t) && p.refs[t.Name] == "" {
					p.refs[t.Name] = set.Apply.Below(v.Path()).Path
					p.configs = append(p.configs, config{Type: t, version: v, kind: kinds[t.Name]})
				}
			}
		}
	}
	slices.SortFunc(p.configs, func(a, b config) int {
		return cmp.Or(cmp.Compare(a.Name.Package, b.Name.Package), cmp.Compare(strings.ToLower(a.Name.Name), strings.ToLower(b.Name.Name)))
	})
	return p
}

// applied collects what the client of a kind applies. What a method sends of the kind's own package
// is collected without its parts, as applyconfiguration-gen does: code that was written for one has
// to compile with the other.
func applied(k *clients.Kind, reached map[types.Name]*types.Type) {
	if k.Applied() {
		reach(k.Type, reached)
	}
	for _, m := range k.Methods {
		switch {
		case m.Verb != "apply":
		case m.Input.Name.Package == k.Type.Name.Package && reached[m.Input.Name] == nil:
			reached[m.Input.Name] = m.Input
		default:
			reach(m.Input, reached)
		}
	}
}

// reach collects a type and all that it is made of.
func reach(t *types.Type, reached map[types.Name]*types.Type) {
	if t == nil || reached[t.Name] != nil {
		return
	}
	reached[t.Name] = t
	reach(t.Elem, reached)
	reach(t.Underlying, reached)
	reach(t.Key, reached)
	for _, m := range t.Members {
		reach(m.Type, reached)
	}
}

// inJSON tells whether a type is a struct with fields in JSON.
func inJSON(t *types.Type) bool {
	return t.Kind == types.Struct && !model.IsInstance(t) && slices.ContainsFunc(t.Members, func(m types.Member) bool { return !left(t, m) })
}

// left tells whether a field is left out: one that is not in JSON, that servers fill, or that is
// about to go.
func left(of *types.Type, m types.Member) bool {
	json := model.JSONOf(m)
	isMeta := of.Name == types.Name{Package: metaV1, Name: "ObjectMeta"}
	return !json.Said || json.Left || isMeta && (m.Name == "ManagedFields" || m.Name == "SelfLink") || strings.HasPrefix(m.Name, "ZZZ_")
}

const metaV1 = "k8s.io/apimachinery/pkg/apis/meta/v1"

// inline tells whether the fields of an embedded field stand in place of it.
func inline(m types.Member) bool { return m.Embedded && model.JSONOf(m).Name == "" }

// ref is the apply configuration of a struct; ok is false for a type that is used as it is.
func (p plan) ref(t *types.Type) (at emit.Ident, ok bool) {
	path, ok := p.refs[t.Name]
	return emit.Ident{Path: path, Name: t.Name.Name + suffix}, ok && t.Kind == types.Struct
}

// isConfig tells whether values of a type, or what they point to, are apply configurations.
func (p plan) isConfig(t *types.Type) bool {
	_, ok := p.ref(model.Pointee(t))
	return ok
}

// typeOf is how a field's type is written, without pointers: with apply configurations in place of
// the types that have them.
func (p plan) typeOf(f *emit.File, t *types.Type) string {
	t = model.Pointee(t)
	if ref, ok := p.ref(t); ok {
		return f.Ident(ref.Path, ref.Name)
	}
	if t.Elem == nil {
		return f.Type(t)
	}
	elem, ok := p.ref(t.Elem)
	switch {
	case ok && t.Kind == types.Slice:
		return "[]" + f.Ident(elem.Path, elem.Name)
	case ok && t.Kind == types.Map:
		return "map[" + f.Type(t.Key) + "]" + f.Ident(elem.Path, elem.Name)
	}
	return f.Type(t)
}

// nillable tells whether the absence of a field needs no pointer.
func nillable(t *types.Type) bool { return t.Kind == types.Slice || t.Kind == types.Map }
