package apiserver

import (
	"fmt"
	"slices"

	"k8s.io/gengo/v2/types"

	"github.com/typeplane/typeplane/generators/internal/model"
	"github.com/typeplane/typeplane/generators/internal/protobuf"
)

// findStored finds out which fields of the versions can be read without decoding. A version of
// which not all can be is left as it is: then the server decodes.
func (p *planner) findStored(versions []*version) {
	for _, v := range versions {
		if len(v.fields) == 0 {
			continue
		}
		for i, f := range v.fields {
			if f.renamed && !v.functions.shared && !v.functions.append {
				p.problem(v.pos, v.goType.Name.Name, fmt.Sprintf("+%s:name=%s: a kind without protobuf is selected by what its document has at a path", tagNamedField, f.label),
					"write +"+tagProtobuf+"=package into doc.go, or +"+tagSelectableField+" with the path")
			}
			v.fields[i].stored = storedField(f, p.numbers())
		}
		v.readable = !slices.ContainsFunc(v.fields, func(f selectable) bool { return f.stored == nil })
	}
}

// storedField plans the way to one field; nil if there is none that does not decode.
func storedField(f selectable, numbers *protobuf.Numbers) *stored {
	out := &stored{form: forms[model.Underlying(f.leaf).Name.Name]}
	if out.form == "" {
		return nil
	}
	for _, s := range f.steps {
		number, ok := numbers.Field(s.parent, s.member)
		if !ok {
			return nil
		}
		out.path = append(out.path, step{number, s.member.Type.Kind == types.Pointer})
	}
	return out
}

// forms are the functions of runtime/wire by the types that they are about.
var forms = map[string]string{
	"string": "String",
	"bool":   "Bool",
	"int32":  "Int32",
	"int64":  "Int64",
	"int":    "Int64",
	"uint32": "Uint32",
	"uint64": "Uint64",
	"uint":   "Uint64",
}
