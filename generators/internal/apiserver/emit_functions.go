package apiserver

import "github.com/typeplane/typeplane/generators/internal/emit"

// functions prints the fields of a runtime.Version that name functions beside its type.
func (p printer) functions(v *version) {
	field := func(name string, has bool) {
		if has {
			p.P(name, ": ", emit.Ident{Path: v.pkg.Path, Name: name + "_" + v.goType.Name.Name}, ",")
		}
	}
	field("AppendJSON", v.functions.json)
	field("ReadJSON", v.functions.json)
	field("AppendProtobuf", v.functions.append)
	field("UnmarshalShared", v.functions.shared)
	field("Recycler", v.functions.shared)
	if v.functions.table != nil {
		p.P("JSONTable: &", *v.functions.table, ",")
	}
	field("DeepCopy", v.functions.deepCopy)
	field("Validate", v.functions.validate)
	if v.publishes {
		p.P("CompareFields: ", v.compareFields(p.s.pkg), ",")
	}
}
