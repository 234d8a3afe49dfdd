package conversion

import (
	"strconv"
	"strings"
	"unicode"
	"unicode/utf8"

	"k8s.io/gengo/v2/types"

	"github.com/typeplane/typeplane/generators/internal/copied"
	"github.com/typeplane/typeplane/generators/internal/emit"
	"github.com/typeplane/typeplane/generators/internal/model"
	"github.com/typeplane/typeplane/runtime/lossless"
)

// runtimePackage is what printed code leans on; runtime is the same as text.
const runtimePackage = "github.com/typeplane/typeplane/runtime/lossless"

var runtime = copied.New("runtime/lossless", lossless.Source, inlined)

// inlined is the name that a declaration of the runtime has in a copy.
func inlined(name string) string {
	first, size := utf8.DecodeRuneInString(name)
	return "lossless" + string(unicode.ToUpper(first)) + name[size:]
}

// keeperFile is a zz_generated.lossless.go that is being printed.
type keeperFile struct {
	*emit.File
	inline bool // it may not import the runtime
}

// runtime returns how the printed code names what package runtime/lossless declares.
func (f *keeperFile) runtime(name string) string { return f.Ident(runtimePackage, name) }

// method returns the name of a method of what package runtime/lossless declares.
func (f *keeperFile) method(name string) string {
	if f.inline {
		f.Copied(runtimePackage)[name] = true
	}
	return name
}

// printKeepers prints zz_generated.lossless.go: the functions of the kinds, then what all of them
// use.
func printKeepers(out *emit.File, keepers []keeper, equalities []*structEquality, inline bool) error {
	f := &keeperFile{File: out, inline: inline}
	if inline {
		f.Copy(runtimePackage, inlined)
	}
	f.Reserve("a", "b", "h", "v", "in", "out", "s", "to", "from")
	for _, k := range keepers {
		f.keeper(k)
	}
	for _, e := range equalities {
		f.equality(e)
	}
	if inline {
		return runtime.Print(out, f.Copied(runtimePackage), func(string) bool { return false })
	}
	return nil
}

func (f *keeperFile) keeper(k keeper) {
	scope := emit.Ident{Path: scopePackage, Name: "Scope"}
	variable := "lossless_" + k.Version.Name.Name
	f.P("// ", k.toHub, " converts as ", k.ToHub, " does, and restores what ", k.fromHub, " kept.")
	f.P("func ", k.toHub, "(in *", k.Version, ", out *", k.Hub, ", s ", scope, ") error {")
	f.P("return ", variable, ".", f.method("ToHub"), "(in, out, s)")
	f.P("}")
	f.P()
	f.P("// ", k.fromHub, " converts as ", k.FromHub, " does, and keeps in an annotation what that loses.")
	f.P("func ", k.fromHub, "(in *", k.Hub, ", out *", k.Version, ", s ", scope, ") error {")
	f.P("return ", variable, ".", f.method("FromHub"), "(in, out, s)")
	f.P("}")
	f.P()
	f.P("// ", variable, " has the fields that conversion may lose.")
	f.P("var ", variable, " = &", f.runtime("Kind"), "[", k.Hub, ", ", k.Version, "]{")
	f.P("Up: ", k.ToHub, ",")
	f.P("Down: ", k.FromHub, ",")
	f.P("Meta: func(v *", k.Version, ") *", emit.Ident{Path: typeMeta.Package, Name: "ObjectMeta"}, " { return &v.ObjectMeta },")
	f.P("Fields: []", f.runtime("Field"), "[", k.Hub, "]{")
	for _, field := range k.fields {
		at := strings.Join(field.path, ".")
		f.P("{")
		f.P("Path: ", strconv.Quote(at), ",")
		f.P("At: func(h *", k.Hub, ") any { return &h.", at, " },")
		f.P("Same: func(a, b *", k.Hub, ") bool { return ", f.compare(field.same, "a."+at, "b."+at), " },")
		f.P("Take: func(to, from *", k.Hub, ") { to.", at, " = from.", at, " },")
		if field.shape != nil {
			f.P("Shape: &", f.runtime("Shape"), "{")
			f.shape(field.shape)
			f.P("},")
		}
		f.P("},")
	}
	f.P("},")
	f.P("}")
	f.P()
}

// printShape prints the inside of a shape's literal.
func (f *keeperFile) shape(s *shape) {
	for _, flag := range []struct {
		name string
		on   bool
	}{{"IsMap", s.isMap}, {"IsList", s.isList}, {"Aligned", s.aligned}} {
		if flag.on {
			f.P(flag.name, ": true,")
		}
	}
	if len(s.keys) > 0 {
		quoted := make([]string, len(s.keys))
		for i, key := range s.keys {
			quoted[i] = strconv.Quote(key)
		}
		f.P("Keys: []string{", strings.Join(quoted, ", "), "},")
	}
	if s.elem != nil {
		f.P("Elem: &", f.runtime("Shape"), "{")
		f.shape(s.elem)
		f.P("},")
	}
	if len(s.fields) == 0 {
		return
	}
	f.P("Fields: map[string]*", f.runtime("Shape"), "{")
	for _, field := range s.fields {
		f.P(strconv.Quote(field.key), ": {")
		f.shape(field.shape)
		f.P("},")
	}
	f.P("},")
}

func (f *keeperFile) equality(e *structEquality) {
	f.P("func ", e.name, "(a, b *", e.typ, ") bool {")
	conditions := make([]string, len(e.fields))
	for i, field := range e.fields {
		conditions[i] = f.compare(field.equality, "a."+field.name, "b."+field.name)
	}
	f.P("return ", strings.Join(conditions, " &&\n"))
	f.P("}")
	f.P()
}

// compare is an expression that compares two addressable ones.
func (f *keeperFile) compare(e equality, a, b string) string {
	switch e.by {
	case byGo:
		return a + " == " + b
	case byValue:
		return a + ".Equal(" + b + ")"
	case byPointer:
		return a + ".Equal(&" + b + ")"
	case byFunc:
		return e.name + "(&" + a + ", &" + b + ")"
	case byElements:
		if kind := model.Underlying(e.typ).Kind; kind != types.Array {
			return f.runtime(map[types.Kind]string{
				types.Pointer: "SamePointer", types.Slice: "SameSlice", types.Map: "SameMap",
			}[kind]) + "(" + a + ", " + b + ", " + f.comparer(*e.elem) + ")"
		}
		return f.runtime("SameSlice") + "(" + a + "[:], " + b + "[:], " + f.comparer(*e.elem) + ")"
	}
	return f.runtime("SameJSON") + "(&" + a + ", &" + b + ")"
}

// comparer is a function that compares what two pointers point to.
func (f *keeperFile) comparer(e equality) string {
	switch e.by {
	case byGo:
		return f.runtime("Equal") + "[" + f.Type(e.typ) + "]"
	case byFunc:
		return e.name
	case byJSON:
		return f.runtime("SameJSON") + "[" + f.Type(e.typ) + "]"
	}
	expression := f.compare(e, "(*a)", "(*b)")
	switch e.by {
	case byValue:
		expression = "a.Equal(*b)"
	case byPointer:
		expression = "a.Equal(b)"
	}
	return "func(a, b *" + f.Type(e.typ) + ") bool { return " + expression + " }"
}
