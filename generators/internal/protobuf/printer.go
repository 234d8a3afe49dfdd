package protobuf

import (
	"fmt"
	"strings"

	"k8s.io/gengo/v2/types"

	"github.com/typeplane/typeplane/generators/internal/emit"
)

// printer prints generated.pb.go of one package.
type printer struct {
	*emit.File
	pkg  string
	file *file
	// others are the types that are read, but are no messages of the file; types has them all.
	others []*types.Type
	types  map[*types.Type]bool
}

// receiver is how methods that do not change a message name it: slices and maps by value.
func (p *printer) receiver(m *message) string {
	if m.items {
		return "m " + p.Type(m.typ)
	}
	return "m *" + p.Type(m.typ)
}

// helper returns how the printed code names what runtime/protobuf declares: by its package, or as
// its copy in the file.
func (p *printer) helper(name string) string { return p.Ident(runtimePackage, name) }

// method returns the name of a method of what runtime/protobuf declares, and sees to it that a copy
// in the file has it.
func (p *printer) method(name string) string {
	if p.file.inline {
		p.Copied(runtimePackage)[name] = true
	}
	return name
}

// function is the name of the function that reads or writes a message; types of other packages are
// named with theirs.
func (p *printer) function(verb string, m *message) string {
	return verb + "_" + strings.ReplaceAll(p.Type(m.typ), ".", "_")
}

// f prints a formatted line.
func (p *printer) f(format string, args ...any) { p.P(fmt.Sprintf(format, args...)) }

// access is how a field is reached from m.
func (f *field) access() string {
	if f.goName == "" {
		return "m"
	}
	return "m." + f.goName
}

// convert writes expr as the Go type that the helpers take, if it is of another one.
func (v *value) convert(expr string) string {
	if !v.named() || v.isMessage() {
		return expr
	}
	return v.goes + "(" + expr + ")"
}

// element is one value of a field: item i of a list, or the field itself without its pointer.
func (f *field) element() string {
	switch {
	case f.shape == list:
		return f.access() + "[i]"
	case f.value.pointer && !f.value.isMessage():
		return "*" + f.access()
	}
	return f.access()
}

// mayBeNil tells whether a single value is left out when it is nil.
func (f *field) mayBeNil() bool {
	return f.shape == one && (f.value.pointer || f.value.kind == bytesKind || f.value.nilable)
}

// locals are the names of variables in the printed code; no import may have one of them.
var locals = []string{
	"m", "n", "err", "data", "i", "k", "v", "entry", "keys", "room", "value", "key", "r", "w",
	"before", "t", "slabs", "first",
}
