package protobuf

import (
	"go/token"
	"strings"

	"k8s.io/gengo/v2/types"

	"github.com/typeplane/typeplane/generators/internal/diag"
	"github.com/typeplane/typeplane/generators/internal/model"
)

// access is how printed code gets at a message: from its fields, or through what its own package
// has.
type access int

const (
	byMethods  access = iota // Unmarshal, Size and MarshalToSizedBuffer, written by hand or by another generator
	byFunction               // functions in the same generated.pb.go
	byShared                 // UnmarshalShared_T of another package of the module
	asTime                   // metav1.Time, whose form is known
	asQuantity               // resource.Quantity, which is made of a string
	asFieldSet               // metav1.FieldsV1, whose bytes are not to be changed in place
	byRuntime                // functions in the runtime
)

// The types of apimachinery with a form of their own that the helpers know.
var known = map[string]access{
	"k8s.io/apimachinery/pkg/apis/meta/v1.Time":     asTime,
	"k8s.io/apimachinery/pkg/api/resource.Quantity": asQuantity,
	"k8s.io/apimachinery/pkg/apis/meta/v1.FieldsV1": asFieldSet,
}

// inRuntime are the types of apimachinery that package runtime/protobuf/apimachinery has functions
// for.
var inRuntime = map[string]bool{
	"k8s.io/apimachinery/pkg/apis/meta/v1.Condition":                true,
	"k8s.io/apimachinery/pkg/apis/meta/v1.LabelSelector":            true,
	"k8s.io/apimachinery/pkg/apis/meta/v1.LabelSelectorRequirement": true,
	"k8s.io/apimachinery/pkg/apis/meta/v1.ListMeta":                 true,
	"k8s.io/apimachinery/pkg/apis/meta/v1.ManagedFieldsEntry":       true,
	"k8s.io/apimachinery/pkg/apis/meta/v1.ObjectMeta":               true,
	"k8s.io/apimachinery/pkg/apis/meta/v1.OwnerReference":           true,
}

// alias is a kind of another module that the package serves under a name of its own.
type alias struct {
	name   string
	typ    *types.Type
	access access
	target *message // byFunction
}

// reach finds the messages of other modules that those of a package hold, at any depth, and plans
// functions for them. So reading and writing an object is one thing, however many packages its
// types are from.
func (p *planner) reach(f *file) {
	local := map[*types.Type]*message{}
	var todo []*message
	for _, m := range f.messages {
		if m.codec {
			local[m.typ] = m
			todo = append(todo, m)
		}
	}
	resolve := func(t *types.Type) (access, *message) {
		if m := local[t]; m != nil {
			return byFunction, m
		}
		how, m := p.access(f.pkg, t)
		if m != nil {
			local[t] = m
			todo = append(todo, m)
			f.foreign = append(f.foreign, m)
		}
		return how, m
	}
	for i, a := range f.aliases {
		f.aliases[i].access, f.aliases[i].target = resolve(a.typ)
	}
	for len(todo) > 0 {
		m := todo[0]
		todo = todo[1:]
		for _, field := range m.fields {
			if v := field.value; v.isMessage() {
				v.access, v.target = resolve(v.typ)
			}
		}
	}
}

// access decides how a package gets at a message that is not its own. The message that it returns
// is to be printed.
func (p *planner) access(pkg *model.Package, t *types.Type) (access, *message) {
	if t.Name.Package == pkg.Path {
		return byMethods, nil
	}
	if how, ok := known[t.Name.String()]; ok {
		return how, nil
	}
	if !p.inline && inRuntime[t.Name.String()] {
		return byRuntime, nil
	}
	if own := p.model.Package(t.Name.Package); own != nil && own.Main {
		if p.printsCodec(own, t) {
			return byShared, nil
		}
		return byMethods, nil
	}
	if m := p.foreign(t); m != nil {
		return byFunction, m
	}
	return byMethods, nil
}

// printsCodec tells whether a package of the module gets functions for one of its types, in this
// run or in another.
func (p *planner) printsCodec(pkg *model.Package, t *types.Type) bool {
	if m := p.planned[t]; m != nil {
		return m.codec
	}
	if p.inRun[pkg.Path] {
		return false
	}
	other := *p
	other.report = &diag.Report{}
	all, ok := other.wanted(pkg)
	o := other.options(t)
	if !ok || o.problem || !other.isMessage(t, o, all) {
		return false
	}
	m := &message{typ: t, codec: o.marshal}
	other.handWritten(m)
	return m.codec
}

// foreign plans a message of another module from its struct tags. It returns nil if the type does
// not show all that its methods write. Then they are written by hand, or a field has no number or
// cannot be named from outside.
func (p *planner) foreign(t *types.Type) *message {
	if !hasCodec(t) || t.Methods["Unmarshal"] != nil || t.Methods["MarshalToSizedBuffer"] != nil || !reachable(t) {
		return nil
	}
	m := &message{name: t.Name.Name, typ: t, codec: true, foreign: true}
	if t.Kind == types.Alias {
		m.items = true
		f := &field{name: "items", number: 1, typ: model.Underlying(t)}
		if err := p.shape(t.Name.Package, f); err != nil || !f.named() {
			return nil
		}
		m.fields = []*field{f}
		return m
	}
	for _, member := range t.Members {
		if !token.IsExported(member.Name) || member.Type.Name.String() == typeMeta {
			continue
		}
		f, err := p.field(t.Name.Package, member)
		if err != nil || f != nil && (f.number == 0 || !f.named()) {
			return nil
		}
		if f != nil {
			m.fields = append(m.fields, f)
		}
	}
	return m
}

// named tells whether other packages can name the types of a field.
func (f *field) named() bool {
	return reachable(f.value.typ) && (f.key == nil || reachable(f.key.typ))
}

// reachable tells whether other modules can name a type.
func reachable(t *types.Type) bool {
	if t.Name.Package == "" {
		return true
	}
	internal := strings.Contains("/"+t.Name.Package+"/", "/internal/")
	return token.IsExported(t.Name.Name) && !internal && !model.IsInstance(t)
}

// chooseAliases picks the kinds of other modules that a package serves.
func (p *planner) chooseAliases(pkg *model.Package) []alias {
	if all, ok := p.wanted(pkg); !ok || !all {
		return nil
	}
	var out []alias
	for _, a := range p.model.Aliases(pkg) {
		if p.optionsIn(p.model.OfAlias(a), &types.Type{Name: types.Name{Name: a.Name}}).include == "false" {
			continue
		}
		if !hasCodec(a.Target) && p.planned[a.Target] == nil && !p.inRun[a.Target.Name.Package] {
			p.report.Add(diag.Problem{
				Pos: p.model.AliasPos(a), Path: a.Name, Message: goName(a.Target) + " has no protobuf methods",
				Cure: "leave it out with +protobuf=false",
			})
			continue
		}
		out = append(out, alias{name: a.Name, typ: a.Target})
	}
	return out
}
