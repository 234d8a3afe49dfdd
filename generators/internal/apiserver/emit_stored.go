package apiserver

import (
	"fmt"
	"strings"

	"github.com/typeplane/typeplane/generators/internal/emit"
)

// storedFields prints where the selectable fields of one version are in encoded objects.
func (p printer) storedFields(v *version) {
	p.P("// storedFields_", v.suffix, " says where the fields of selectableFields_", v.suffix, " are in an encoded object.")
	p.P("var storedFields_", v.suffix, " = ", emit.Ident{Path: wirePath, Name: "Fields"}, "{")
	for _, f := range v.fields {
		p.P(quoted(f.label), ": ", emit.Ident{Path: wirePath, Name: f.stored.form}, "(", p.path(f.stored.path), "),")
	}
	p.P("}")
}

// path lists the steps to a field.
func (p printer) path(steps []step) string {
	var out []string
	for _, s := range steps {
		if s.pointer {
			out = append(out, fmt.Sprintf("%s(%d)", p.Ident(wirePath, "Pointer"), s.number))
		} else {
			out = append(out, fmt.Sprint(s.number))
		}
	}
	return strings.Join(out, ", ")
}
