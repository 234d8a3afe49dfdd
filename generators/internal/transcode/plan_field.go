package transcode

import (
	gotypes "go/types"

	"github.com/typeplane/typeplane/generators/internal/emit"
	"github.com/typeplane/typeplane/generators/internal/json"
	"github.com/typeplane/typeplane/generators/internal/protobuf"
)

const metaV1 = "k8s.io/apimachinery/pkg/apis/meta/v1"

// known are the types of apimachinery that runtime/transcode has tables for, by the names of these.
var known = map[string]string{
	metaV1 + ".Condition":                             "Condition",
	metaV1 + ".Duration":                              "Duration",
	metaV1 + ".FieldsV1":                              "FieldsV1",
	metaV1 + ".LabelSelector":                         "LabelSelector",
	metaV1 + ".LabelSelectorRequirement":              "LabelSelectorRequirement",
	metaV1 + ".ManagedFieldsEntry":                    "ManagedFieldsEntry",
	metaV1 + ".MicroTime":                             "MicroTime",
	metaV1 + ".ObjectMeta":                            "ObjectMeta",
	metaV1 + ".OwnerReference":                        "OwnerReference",
	"k8s.io/apimachinery/pkg/api/resource.Quantity":   "Quantity",
	"k8s.io/apimachinery/pkg/runtime.RawExtension":    "RawExtension",
	"k8s.io/apimachinery/pkg/util/intstr.IntOrString": "IntOrString",
}

// forms are those of values that are no messages, by their types in protobuf.
var forms = map[string]string{
	"string": "Text", "bytes": "Bytes", "bool": "Bool", "int32": "Int32", "int64": "Int64",
	"uint32": "Uint32", "uint64": "Uint64", "float": "Float32", "double": "Float64",
}

// field plans the line of a field of Go type t. It is not ok if tables have no word for it.
func (p *planner) field(said json.Field, t gotypes.Type, f protobuf.Field) (out member, ok bool) {
	out = member{number: f.Number, wire: f.Wire}
	if ok = p.value(&out, f, one(t, f)); !ok || said.Quoted {
		return out, false
	}
	optional := func(does bool) {
		if does {
			out.rule = append([]string{"Optional"}, out.rule...)
		}
	}
	omits := said.OmitEmpty || said.OmitZero
	_, pointer := t.Underlying().(*gotypes.Pointer)
	_, isStruct := t.Underlying().(*gotypes.Struct)
	switch {
	case said.OmitZero && json.HasIsZero(t):
		optional(true)
		return out, out.form == "Time"
	case f.List || f.Map:
		if json.WritesItself(t) && !isUnnamed(t) || f.Map && !mapFits(t.Underlying().(*gotypes.Map), f) {
			return out, false
		}
		out.rule = []string{"List"}
		if f.Map {
			out.rule = []string{"Map"}
		}
		optional(omits)
	case pointer:
		if isNilable(t, f) {
			return out, false
		}
		out.rule = []string{"Pointer"}
		optional(omits)
	case out.form == "Bytes" || isNilable(t, f):
		if !said.OmitEmpty {
			out.rule = []string{"Pointer"}
		}
		optional(omits)
	case isStruct:
		optional(said.OmitZero)
		return out, !said.OmitZero || out.form != "Struct" || !out.of.alone()
	default:
		optional(omits)
	}
	return out, true
}

// isUnnamed says whether a type has no name, so that it has no methods.
func isUnnamed(t gotypes.Type) bool {
	_, named := gotypes.Unalias(t).(*gotypes.Named)
	return !named
}

// isNilable says whether a single value is a message that is a slice or a map in Go.
func isNilable(t gotypes.Type, f protobuf.Field) bool {
	switch one(t, f).Underlying().(type) {
	case *gotypes.Slice, *gotypes.Map:
		return f.Proto == "" && !f.List && !f.Map
	}
	return false
}

// mapFits says whether the keys and values of a map are written as others of their types.
func mapFits(t *gotypes.Map, f protobuf.Field) bool {
	key, basic := t.Key().Underlying().(*gotypes.Basic)
	return basic && key.Info()&gotypes.IsString != 0 && !json.WritesItself(t.Key()) && !f.Pointer && !json.WantsAddress(t.Elem())
}

// one is the type of one value of a field, below the pointer if there is one.
func one(t gotypes.Type, f protobuf.Field) gotypes.Type {
	switch u := t.Underlying().(type) {
	case *gotypes.Slice:
		if f.List {
			t = u.Elem()
		}
	case *gotypes.Map:
		if f.Map {
			t = u.Elem()
		}
	}
	if pointer, ok := gotypes.Unalias(t).(*gotypes.Pointer); ok {
		t = pointer.Elem()
	}
	return gotypes.Unalias(t)
}

// value plans how one value of type t is written.
func (p *planner) value(out *member, f protobuf.Field, t gotypes.Type) (ok bool) {
	if f.Proto != "" {
		out.form = forms[f.Proto]
		if slice, ok := t.Underlying().(*gotypes.Slice); ok && !isUnnamed(slice.Elem()) {
			return false
		}
		return !isNumber(t) && (isUnnamed(t) || !json.WritesItself(t))
	}
	if t.String() == metaV1+".Time" {
		out.form = "Time"
		return true
	}
	out.form, out.of = "Struct", p.reference(f)
	return true
}

// isNumber tells of the types of encoding/json that are JSON already.
func isNumber(t gotypes.Type) bool {
	name := t.String()
	return name == "encoding/json.Number" || name == "encoding/json.RawMessage"
}

// reference finds the table of the values of a field, which are messages.
func (p *planner) reference(f protobuf.Field) *reference {
	if name, ok := known[f.Type.Name.String()]; ok {
		return &reference{ident: emit.Ident{Path: runtimePath, Name: name}}
	}
	switch t := p.tables[f.Type]; {
	case f.Access == protobuf.InFile && t != nil:
		return &reference{table: t}
	case f.Access == protobuf.InModule:
		pkg := p.pass.Model.Package(f.Type.Name.Package)
		if pkg != nil && json.Wants(p.pass, pkg) {
			return &reference{ident: emit.Ident{Path: pkg.Path, Name: tablePrefix + f.Type.Name.Name}}
		}
	}
	return &reference{decoded: f.Type}
}

// alone says whether the values are decoded, or are no structs of plain fields.
func (r *reference) alone() bool {
	switch r.ident.Name {
	case "Duration", "FieldsV1", "MicroTime", "Quantity", "RawExtension", "IntOrString":
		return r.ident.Path == runtimePath
	}
	return r.decoded != nil
}
