package conversion

import (
	"fmt"
	"go/token"
	"slices"
	"strings"

	"k8s.io/gengo/v2/types"

	"github.com/typeplane/typeplane/generators/internal/diag"
	"github.com/typeplane/typeplane/generators/internal/model"
)

const (
	valuesName = "k8s:conversion-gen:explicit-from"
	valuesFrom = "net/url.Values"
)

// valuesFunction converts the parameters of a URL to a struct.
type valuesFunction struct {
	name    string // Convert_url_Values_To_b
	in, out *types.Type
	manual  bool // a hand-written function has the name
	fields  []valuesField
}

// valuesField sets one field from the parameter called key.
type valuesField struct {
	path    string // of the field in the struct
	typ     *types.Type
	key     string
	comment string      // stands in place of the field, if it is not set
	by      *types.Name // the function that converts the list of values; without one the values are text
}

// stringList is what a parameter of a URL is.
var stringList = &types.Type{Name: types.Name{Name: "[]string"}, Kind: types.Slice, Elem: types.String}

// values plans the functions for the types that ask for them, sorted by name.
func (p *planner) values() []valuesFunction {
	var out []valuesFunction
	for name, t := range p.version.Types.Types {
		asked := p.model.OfType(t).Values(valuesName)
		if len(asked) == 0 || t.Kind != types.Struct || !token.IsExported(name) {
			continue
		}
		if slices.ContainsFunc(asked, func(from string) bool { return from != valuesFrom }) {
			p.report.Add(diag.Problem{
				Pos: p.model.TypePos(t), Path: t.Name.Name,
				Message: fmt.Sprintf("+%s=%s: only parameters of URLs can be converted to a struct", valuesName, strings.Join(asked, ", ")),
				Cure:    "write +" + valuesName + "=" + valuesFrom,
			})
			continue
		}
		from := p.urlValues()
		if from == nil {
			continue
		}
		_, manual := p.manual(from, t)
		f := valuesFunction{name: Name(from, t), in: from, out: t, manual: manual}
		f.fields = p.valuesFields(&f, t, "")
		out = append(out, f)
	}
	slices.SortFunc(out, func(a, b valuesFunction) int { return strings.Compare(a.name, b.name) })
	return out
}

func (p *planner) urlValues() *types.Type {
	pkg := p.model.Package("net/url")
	if pkg == nil {
		return nil
	}
	return pkg.Types.Types["Values"]
}

// valuesFields plans the fields of a struct, and of structs that are part of it by embedding.
func (p *planner) valuesFields(f *valuesFunction, t *types.Type, above string) []valuesField {
	var out []valuesField
	for _, m := range t.Members {
		path := above + m.Name
		key := model.JSONOf(m).Name
		switch {
		case m.Name == "_" || !token.IsExported(m.Name):
		case p.leftOut(t, m):
			out = append(out, valuesField{comment: "INFO: in." + path + " opted out of conversion generation"})
		case m.Embedded && key == "" && m.Type.Kind == types.Struct && m.Type.Name != typeMeta:
			out = append(out, p.valuesFields(f, m.Type, path+".")...)
		case key == "":
			out = append(out, valuesField{comment: "INFO: " + path + " has no name in JSON, and so none in a URL"})
		default:
			out = append(out, p.valuesField(f, t, m, path, key))
		}
	}
	return out
}

func (p *planner) valuesField(f *valuesFunction, t *types.Type, m types.Member, path, key string) valuesField {
	out := valuesField{path: path, typ: m.Type, key: key}
	if fn, ok := p.manual(stringList, m.Type); ok {
		out.by = &fn.name
		return out
	}
	for _, pkg := range basePackages {
		name := Name(stringList, m.Type)
		if base := p.model.Package(pkg); base != nil && converts(base.Types.Functions[name], stringList, m.Type) {
			out.by = &types.Name{Package: pkg, Name: name}
			return out
		}
	}
	if !textual(m.Type) && !f.manual {
		cure := "write " + p.signature(stringList, m.Type) + ", or tag the field +" + tagName + "=false"
		if m.Type.Kind == types.Struct && m.Type.Name.Package == "" {
			cure = "give the type a name, so that a function can be written for it, or tag the field +" + tagName + "=false"
		}
		p.report.Add(diag.Problem{
			Pos: p.model.MemberPos(t, m.Name), Path: f.out.Name.Name + "." + path,
			Message: fmt.Sprintf("nothing converts parameters of a URL to %s", model.GoName(m.Type)),
			Cure:    cure,
		})
	}
	if !textual(m.Type) {
		out.comment = "WARNING: in." + path + " requires manual conversion"
	}
	return out
}

// textual tells whether a type takes text as it is: a string, or a pointer to or list of such.
func textual(t *types.Type) bool {
	u := model.Underlying(t)
	if u.Kind == types.Pointer || u.Kind == types.Slice {
		u = model.Underlying(u.Elem)
	}
	return u == types.String
}
