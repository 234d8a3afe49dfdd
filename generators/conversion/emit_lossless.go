package conversion

import (
	"embed"
	"go/parser"
	"go/token"
	"path"
	"regexp"
	"strconv"
	"strings"

	"github.com/typeplane/typeplane/generators/emit"
	"k8s.io/gengo/v2/types"
)

//go:embed lossless/kind.go lossless/delta.go lossless/apply.go lossless/same.go
var templates embed.FS

// printKeepers prints zz_generated.lossless.go: the functions of the kinds, then what all of them use.
func printKeepers(f *emit.File, keepers []keeper, equalities []*structEquality) {
	f.Reserve("a", "b", "h", "v", "in", "out", "s", "to", "from")
	for _, k := range keepers {
		printKeeper(f, k)
	}
	for _, e := range equalities {
		printEquality(f, e)
	}
	for _, name := range []string{"kind.go", "delta.go", "apply.go", "same.go"} {
		printTemplate(f, name)
	}
}

func printKeeper(f *emit.File, k keeper) {
	scope := emit.Ident{Path: scopePackage, Name: "Scope"}
	variable := "lossless_" + k.Version.Name.Name
	f.P("// ", k.toHub, " converts as ", k.ToHub, " does, and restores what ", k.fromHub, " kept.")
	f.P("func ", k.toHub, "(in *", k.Version, ", out *", k.Hub, ", s ", scope, ") error {")
	f.P("return ", variable, ".toHub(in, out, s)")
	f.P("}")
	f.P()
	f.P("// ", k.fromHub, " converts as ", k.FromHub, " does, and keeps in an annotation what that loses.")
	f.P("func ", k.fromHub, "(in *", k.Hub, ", out *", k.Version, ", s ", scope, ") error {")
	f.P("return ", variable, ".fromHub(in, out, s)")
	f.P("}")
	f.P()
	f.P("// ", variable, " has the fields that conversion may lose.")
	f.P("var ", variable, " = &losslessKind[", k.Hub, ", ", k.Version, "]{")
	f.P("up: ", k.ToHub, ",")
	f.P("down: ", k.FromHub, ",")
	f.P("meta: func(v *", k.Version, ") *", emit.Ident{Path: typeMeta.Package, Name: "ObjectMeta"}, " { return &v.ObjectMeta },")
	f.P("fields: []losslessField[", k.Hub, "]{")
	for _, field := range k.fields {
		at := strings.Join(field.path, ".")
		f.P("{")
		f.P("path: ", strconv.Quote(at), ",")
		f.P("at: func(h *", k.Hub, ") any { return &h.", at, " },")
		f.P("same: func(a, b *", k.Hub, ") bool { return ", compare(f, field.same, "a."+at, "b."+at), " },")
		f.P("take: func(to, from *", k.Hub, ") { to.", at, " = from.", at, " },")
		if field.shape != nil {
			f.P("shape: ", "&losslessShape{")
			printShape(f, field.shape)
			f.P("},")
		}
		f.P("},")
	}
	f.P("},")
	f.P("}")
	f.P()
}

// printShape prints the inside of a shape's literal.
func printShape(f *emit.File, s *shape) {
	for _, flag := range []struct {
		name string
		on   bool
	}{{"isMap", s.isMap}, {"isList", s.isList}, {"aligned", s.aligned}} {
		if flag.on {
			f.P(flag.name, ": true,")
		}
	}
	if len(s.keys) > 0 {
		quoted := make([]string, len(s.keys))
		for i, key := range s.keys {
			quoted[i] = strconv.Quote(key)
		}
		f.P("keys: []string{", strings.Join(quoted, ", "), "},")
	}
	if s.elem != nil {
		f.P("elem: &losslessShape{")
		printShape(f, s.elem)
		f.P("},")
	}
	if len(s.fields) == 0 {
		return
	}
	f.P("fields: map[string]*losslessShape{")
	for _, field := range s.fields {
		f.P(strconv.Quote(field.key), ": {")
		printShape(f, field.shape)
		f.P("},")
	}
	f.P("},")
}

func printEquality(f *emit.File, e *structEquality) {
	f.P("func ", e.name, "(a, b *", e.typ, ") bool {")
	conditions := make([]string, len(e.fields))
	for i, field := range e.fields {
		conditions[i] = compare(f, field.equality, "a."+field.name, "b."+field.name)
	}
	f.P("return ", strings.Join(conditions, " &&\n"))
	f.P("}")
	f.P()
}

// compare is an expression that compares two addressable ones.
func compare(f *emit.File, e equality, a, b string) string {
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
		if kind := underlying(e.typ).Kind; kind != types.Array {
			return map[types.Kind]string{
				types.Pointer: "losslessSamePointer", types.Slice: "losslessSameSlice", types.Map: "losslessSameMap",
			}[kind] + "(" + a + ", " + b + ", " + comparer(f, *e.elem) + ")"
		}
		return "losslessSameSlice(" + a + "[:], " + b + "[:], " + comparer(f, *e.elem) + ")"
	}
	return "losslessSameJSON(&" + a + ", &" + b + ")"
}

// comparer is a function that compares what two pointers point to.
func comparer(f *emit.File, e equality) string {
	switch e.by {
	case byGo:
		return "losslessEqual[" + f.Type(e.typ) + "]"
	case byFunc:
		return e.name
	case byJSON:
		return "losslessSameJSON[" + f.Type(e.typ) + "]"
	}
	expression := compare(f, e, "(*a)", "(*b)")
	switch e.by {
	case byValue:
		expression = "a.Equal(*b)"
	case byPointer:
		expression = "a.Equal(b)"
	}
	return "func(a, b *" + f.Type(e.typ) + ") bool { return " + expression + " }"
}

// printTemplate prints what stands below the imports of a template, with the names that the packages have in this file.
func printTemplate(f *emit.File, name string) {
	source, err := templates.ReadFile("lossless/" + name)
	if err != nil {
		panic(err) // it is part of this program
	}
	fset := token.NewFileSet()
	file, err := parser.ParseFile(fset, name, source, parser.ImportsOnly)
	if err != nil {
		panic(err)
	}
	end := file.Name.End()
	for _, decl := range file.Decls {
		end = decl.End()
	}
	text := string(source[fset.Position(end).Offset:])
	for _, spec := range file.Imports {
		importPath := strings.Trim(spec.Path.Value, `"`)
		own := path.Base(importPath)
		if spec.Name != nil {
			own = spec.Name.Name
		}
		if alias := f.Import(importPath); alias != own {
			text = regexp.MustCompile(`\b`+own+`\.`).ReplaceAllString(text, alias+".")
		}
	}
	f.P(text)
}
