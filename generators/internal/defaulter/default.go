package defaulter

import (
	"encoding/json"
	"fmt"
	"go/token"
	gotypes "go/types"
	"reflect"
	"strconv"

	"k8s.io/gengo/v2/types"

	"github.com/typeplane/typeplane/generators/internal/diag"
	"github.com/typeplane/typeplane/generators/internal/model"
	"github.com/typeplane/typeplane/generators/internal/tagvalue"
)

const (
	defaultName     = "default"
	kubebuilderName = "kubebuilder:default"
)

// written is a default as the user wrote it.
type written struct {
	tag  string // without the plus sign
	text string
	pkg  string // where ref(X) looks for X
}

func (w written) String() string { return "+" + w.tag + "=" + w.text }

// memberDefault returns the default of a field: its own, else that of the type it is a pointer to.
func (p *planner) memberDefault(owner *types.Type, m types.Member) *fill {
	key := place{owner, m.Name}
	if out, ok := p.defaults[key]; ok {
		return out
	}
	p.defaults[key] = nil
	pos, path := p.model.MemberPos(owner, m.Name), path(owner)+m.Name
	w, ok := p.read(p.model.OfField(owner, m.Name), owner.Name.Package, pos, path, defaultName, kubebuilderName)
	if !ok {
		w, ok = p.typeDefault(m.Type, isPointer(m.Type))
	}
	if ok {
		p.defaults[key] = p.fill(m.Type, w, pos, path)
	}
	return p.defaults[key]
}

// elementDefault returns the default of the elements or values of a container: that of their type.
func (p *planner) elementDefault(container *types.Type) *fill {
	key := place{owner: container}
	if out, ok := p.defaults[key]; ok {
		return out
	}
	p.defaults[key] = nil
	if w, ok := p.typeDefault(container.Elem, true); ok {
		p.defaults[key] = p.fill(container.Elem, w, p.model.TypePos(named(container.Elem)), path(named(container.Elem)))
	}
	return p.defaults[key]
}

// typeDefault returns the default on the declaration of t or of what it points to. A plain +default
// on a type is only for pointers and elements, as other generators have it, unless the default is
// published. The kubebuilder marker is for every use, except for a custom resource: controller-gen
// does not read it there.
func (p *planner) typeDefault(t *types.Type, indirect bool) (written, bool) {
	names := []string{defaultName}
	if !p.published {
		names = append(names, kubebuilderName)
	}
	for {
		p.loadComments(t)
		if t.Name.Package != "" {
			p.warnOfIgnored(t)
			w, ok := p.read(p.model.OfType(t), t.Name.Package, p.model.TypePos(t), t.Name.Name, names...)
			if ok && (indirect || p.published || w.tag == kubebuilderName) {
				return w, true
			}
		}
		switch t.Kind {
		case types.Pointer:
			t = t.Elem
		case types.Alias:
			t = t.Underlying
		default:
			return written{}, false
		}
	}
}

// warnOfIgnored says so if a type has a default that is not read.
func (p *planner) warnOfIgnored(t *types.Type) {
	pkg := p.model.Package(t.Name.Package)
	if !p.published || p.ignored[t] || pkg == nil || !pkg.Main || !p.model.OfType(t).Has(kubebuilderName) {
		return
	}
	p.ignored[t] = true
	p.report.Warn(diag.Problem{
		Pos: p.model.TypePos(t), Path: t.Name.Name,
		Message: "+" + kubebuilderName + " has no effect above a type, where controller-gen does not read it", Cure: "say it above the fields, or +" + defaultName + " above the type",
	})
}

// read returns the default that markers of these names give.
func (p *planner) read(markers model.Markers, pkg string, pos token.Position, path string, names ...string) (written, bool) {
	var found []written
	for _, name := range names {
		for _, text := range markers.Values(name) {
			found = append(found, written{name, text, pkg})
		}
	}
	for i := 1; i < len(found); i++ {
		if !p.sameDefault(found[i], found[0]) {
			p.report.Add(diag.Problem{
				Pos: pos, Path: path,
				Message: fmt.Sprintf("%s contradicts %s", found[i], found[0]), Cure: "keep one of them",
			})
		}
	}
	if len(found) == 0 {
		return written{}, false
	}
	return found[0], true
}

// sameDefault tells whether two tags give the same default, a reference to a constant among them.
func (p *planner) sameDefault(a, b written) bool {
	return a.text == b.text || p.text(a) == p.text(b) || sameValue(a.text, b.text)
}

// sameValue tells whether two texts are one value, perhaps one as JSON and one in the form of
// kubebuilder.
func sameValue(a, b string) bool {
	x, errX := tagvalue.Read(a, "")
	y, errY := tagvalue.Read(b, "")
	var this, that any
	return errX == nil && errY == nil && json.Unmarshal(x, &this) == nil && json.Unmarshal(y, &that) == nil && reflect.DeepEqual(this, that)
}

// text is what a tag gives, without quotes; of a constant, its value.
func (p *planner) text(w written) string {
	if name, ok := w.reference(); ok {
		pkg := p.model.Package(name.Package)
		if pkg == nil || pkg.Go == nil {
			return w.text
		}
		if c, ok := pkg.Go.Scope().Lookup(name.Name).(*gotypes.Const); ok {
			return unquote(c.Val().ExactString())
		}
	}
	return unquote(w.text)
}

func unquote(text string) string {
	if inner, err := strconv.Unquote(text); err == nil {
		return inner
	}
	return text
}

// fill types a default; nil if it is wrong, which is reported, or if it is what an unset value has
// anyway.
func (p *planner) fill(t *types.Type, w written, pos token.Position, path string) *fill {
	problem := func(err error) *fill {
		p.report.Add(diag.Problem{Pos: pos, Path: path, Message: fmt.Sprintf("%s: %v", w, err)})
		return nil
	}
	c := typer{model: p.model, out: p.out.Path}
	v, err := c.typed(t, w)
	if err != nil {
		return problem(err)
	}
	if v == nil {
		return nil
	}
	unset, err := c.unset(t, "")
	if err != nil {
		return problem(err)
	}
	return &fill{unset: unset, value: v}
}

// path starts the name of a field in a message.
func path(owner *types.Type) string {
	if owner.Name.Package == "" {
		return ""
	}
	return owner.Name.Name + "."
}

// named returns the type itself, or what it points to, whichever has a name first.
func named(t *types.Type) *types.Type {
	for t.Name.Package == "" && t.Kind == types.Pointer {
		t = t.Elem
	}
	return t
}

func isPointer(t *types.Type) bool { return model.Underlying(t).Kind == types.Pointer }
