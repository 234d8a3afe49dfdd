package model

import (
	"cmp"
	"slices"
	"strings"

	"k8s.io/gengo/v2/types"
)

// typ reads a struct or a declared type with an enum, once.
func (r *Reader) typ(t *types.Type) *Type {
	if known := r.known[t]; known != nil {
		return known
	}
	r.comments(t.Name.Package)
	markers := r.model.OfType(t)
	out := &Type{
		Name: t.Name.Name, Path: t.Name.Package, Pos: r.model.TypePos(t), Doc: prose(r.model.Doc(t)), Go: t,
		Atomic: value(markers, "structType") == "atomic",
	}
	r.known[t] = out
	if t.Kind == types.Struct {
		out.Fields = r.fields(t, nil)
	} else {
		out.Enum = r.Enum(t)
	}
	return out
}

// fields are those of a struct, with the fields of embedded structs where they stand. A field hides
// one of the same name that is embedded.
func (r *Reader) fields(t *types.Type, within []*types.Type) []*Field {
	if slices.Contains(within, t) {
		return nil
	}
	r.comments(t.Name.Package)
	within = append(within, t)
	var out []*Field
	embedded := map[*Field]bool{}
	for _, m := range t.Members {
		name := JSONOf(m).Name
		switch s := Pointee(m.Type); {
		case LeftOut(m) || s.Name == types.Name{Package: metaV1, Name: "TypeMeta"} && name == "":
		case m.Embedded && name == "" && s.Kind == types.Struct && r.scalarName(s) == "":
			for _, f := range r.fields(s, within) {
				if !hasField(out, f.Name) {
					embedded[f] = true
					out = append(out, f)
				}
			}
		default:
			f := r.Field(t, m)
			out = slices.DeleteFunc(out, func(known *Field) bool { return embedded[known] && known.Name == f.Name })
			if !hasField(out, f.Name) {
				out = append(out, f)
			}
		}
	}
	return out
}

func hasField(list []*Field, name string) bool {
	return slices.ContainsFunc(list, func(f *Field) bool { return f.Name == name })
}

// Field reads one field of a struct, as the API of its package has it.
func (r *Reader) Field(owner *types.Type, m types.Member) *Field {
	said := JSONOf(m)
	name := cmp.Or(said.Name, m.Name)
	markers := r.model.OfField(owner, m.Name)
	f := &Field{
		Name: name, GoName: m.Name, Owner: owner.Name.Name, Pos: r.model.MemberPos(owner, m.Name), Doc: prose(r.model.DocOfField(owner, m.Name)),
		Shape:    r.shape(m.Type),
		Nullable: has(markers, "nullable"), Default: r.defaultOf(owner, m),
		ListType: value(markers, "listType", "k8s:listType"), MapType: value(markers, "mapType", "structType"),
		ListKeys: sorted(markers.Values("listMapKey"), markers.Values("k8s:listMapKey")),
		Rules:    r.rules(owner, m), Enum: r.enum(owner, m),
	}
	if said.Quoted {
		f.Shape = Shape{Text: "string"}
	}
	f.Required = required(markers, said, f.Default)
	f.PatchStrategy, f.PatchKey = patch(m, markers, "patchStrategy"), patch(m, markers, "patchMergeKey")
	f.Number, f.ProtoName = r.number(owner, m, name)
	return f
}

// required is said by a tag; else a field that JSON always holds is required, unless the server has
// a default for it.
func required(markers Markers, said JSON, defaulted string) bool {
	switch {
	case has(markers, "required", "k8s:required", "kubebuilder:validation:Required"):
		return true
	case has(markers, "optional", "k8s:optional", "kubebuilder:validation:Optional"):
		return false
	}
	return !said.Omits() && defaulted == ""
}

// defaultOf is the default of a field, or of its type.
func (r *Reader) defaultOf(owner *types.Type, m types.Member) string {
	if v := r.defaultIn(r.model.OfField(owner, m.Name), owner.Name.Package); v != "" {
		return v
	}
	for t := range Layers(m.Type) {
		r.comments(t.Name.Package)
		if v := r.defaultIn(r.model.OfType(t), t.Name.Package); v != "" {
			return v
		}
	}
	return ""
}

// defaultIn is the default of markers in a package. ref(Constant) gives the constant.
func (r *Reader) defaultIn(markers Markers, pkgPath string) string {
	text := value(markers, "default", "k8s:default", "kubebuilder:default")
	name, ok := strings.CutPrefix(text, "ref(")
	if !ok {
		return text
	}
	ref := types.ParseFullyQualifiedName(strings.TrimSuffix(name, ")"))
	if pkg := r.model.Package(cmp.Or(ref.Package, pkgPath)); pkg != nil {
		if c := pkg.Types.Constants[ref.Name]; c != nil && c.ConstValue != nil {
			return constant(c)
		}
	}
	return text
}

func patch(m types.Member, markers Markers, name string) string {
	if v := value(markers, name); v != "" {
		return v
	}
	text, _ := StructTag(m, name)
	return text
}

func sorted(lists ...[]string) []string {
	out := slices.Concat(lists...)
	slices.Sort(out)
	return slices.Compact(out)
}

// shape is what the wire shows of a type.
func (r *Reader) shape(t *types.Type) Shape {
	t = Pointee(t)
	if text := r.scalarName(t); text != "" {
		return Shape{Text: text}
	}
	r.comments(t.Name.Package)
	switch t.Kind {
	case types.Struct:
		return Shape{Struct: r.typ(t)}
	case types.Alias:
		s := r.shape(t.Underlying)
		if len(r.Enum(t)) > 0 {
			s.Named = r.typ(t)
		}
		return s
	case types.Slice, types.Array:
		if t.Elem.Name.Name == "byte" || t.Elem.Name.Name == "uint8" {
			return Shape{Text: "bytes"}
		}
		elem := r.shape(t.Elem)
		return Shape{Text: "list", Elem: &elem}
	case types.Map:
		key, elem := r.shape(t.Key), r.shape(t.Elem)
		return Shape{Text: "map", Key: &key, Elem: &elem}
	case types.Builtin:
		return Shape{Text: builtin(t.Name.Name)}
	default:
		return Shape{Text: "any value"}
	}
}

func builtin(name string) string {
	switch name {
	case "int", "uint":
		return name + "64"
	case "byte":
		return "uint8"
	case "float64", "float32":
		return "number"
	case "bool":
		return "boolean"
	}
	return name
}

// scalarName is the name of a value that is not sent as its Go type looks, "" for all others.
func (r *Reader) scalarName(t *types.Type) string {
	switch t.Name.String() {
	case metaV1 + ".Time":
		return "time"
	case metaV1 + ".MicroTime":
		return "time with microseconds"
	case metaV1 + ".Duration":
		return "duration"
	case "k8s.io/apimachinery/pkg/api/resource.Quantity":
		return "quantity"
	case "k8s.io/apimachinery/pkg/util/intstr.IntOrString":
		return "integer or string"
	case "k8s.io/apimachinery/pkg/runtime.RawExtension", "k8s.io/apimachinery/pkg/apis/meta/v1/unstructured.Unstructured":
		return "any object"
	case metaV1 + ".FieldsV1":
		return "any value"
	case metaV1 + ".ObjectMeta":
		return "metadata"
	case metaV1 + ".ListMeta":
		return "list metadata"
	case "time.Time":
		return "time"
	}
	if kind := value(r.model.OfType(t), "kubebuilder:validation:Type"); kind != "" {
		return kind
	}
	if t.Methods["MarshalJSON"] != nil && t.Kind == types.Struct {
		return t.Name.Name + " (in a form of its own)"
	}
	return ""
}
