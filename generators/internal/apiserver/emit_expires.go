package apiserver

import (
	"strings"

	"github.com/typeplane/typeplane/generators/internal/emit"
)

// expires prints the function that says when an object of a kind ends.
func (p printer) expires(h *hub) {
	f, value := *h.expires, "&"+h.expires.value
	if field, pointer := strings.CutPrefix(f.value, "*"); pointer {
		value, f.guards = field, f.guards[:len(f.guards)-1] // nil is said as it is
	}
	p.P()
	p.P("// expires_", h.storage.suffix, " says when an object of kind ", h.groupKind.Kind, " ends by itself; nil: it does not.")
	p.P("func expires_", h.storage.suffix, "(in *", h.ident(), ") *", emit.Ident{Path: metaV1, Name: "Time"}, " {")
	for _, g := range f.guards {
		p.P("if ", g.value, " == nil {")
		p.P("return nil")
		p.P("}")
	}
	p.P("return ", value)
	p.P("}")
}
