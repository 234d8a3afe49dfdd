package protobuf

import (
	"k8s.io/gengo/v2/types"

	"github.com/typeplane/typeplane/generators/internal/emit"
)

// printFile prints the methods of all messages of a package, and, where the runtime is not to be
// imported, a copy of what they need of it.
func printFile(out *emit.File, f *file) error {
	p := &printer{File: out, pkg: f.pkg.Path, file: f, types: map[*types.Type]bool{}}
	if f.inline {
		p.Copy(runtimePackage, inlined)
	}
	p.Unconstrained()
	if len(f.messages) > 0 {
		p.Preamble("source: " + f.pkg.Path + "/" + protoFile)
	}
	p.Reserve(locals...)
	if len(f.foreign) > 0 {
		p.P("//lint:file-ignore SA1019 deprecated fields are read and written like others")
		p.P()
	}
	for _, m := range f.messages {
		p.message(m)
	}
	for _, a := range f.aliases {
		p.alias(a)
	}
	for _, m := range f.foreign {
		p.unmarshal(m)
		p.marshal(m)
	}
	if len(f.codecs()) > 0 {
		p.otherTypes()
		p.first()
	}
	has := func(name string) bool { return f.pkg.Go.Scope().Lookup(name) != nil }
	if f.inline {
		return runtime.Print(out, p.Copied(runtimePackage), has)
	}
	return runtime.Print(out, calledByHand(f.pkg), has)
}

func (p *printer) message(m *message) {
	if m.reset {
		p.P("// Reset empties m.")
		p.P("func (m *", m.typ, ") Reset() { *m = ", m.typ, "{} }")
		p.P()
	}
	if m.protoMessage {
		p.P("// ProtoMessage says that m is a message of protobuf.")
		p.P("func (*", m.typ, ") ProtoMessage() {}")
		p.P()
	}
	if m.codec {
		p.size(m)
		p.methods(m)
		p.unmarshal(m)
		p.marshal(m)
	}
	if m.stringer {
		p.string(m)
	}
}
