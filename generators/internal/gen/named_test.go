package gen

import (
	"fmt"
	"go/ast"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"golang.org/x/tools/txtar"

	"github.com/typeplane/typeplane/generators/internal/load"
	"github.com/typeplane/typeplane/generators/internal/tag"
)

// TestNamed takes each field of a basic type, or a list or map of such, and puts a type of its own
// in place of the field's. What the field says about its value moves to that type. Then the same is
// printed, except for the names.
func TestNamed(t *testing.T) {
	var folders []*folder
	type named struct {
		name               string
		plain, named, told *folder
	}
	var all []named
	for i, c := range append(soundCases(t), exampleCases(t)...) {
		if !*every && i%8 != 0 {
			continue
		}
		serves := slices.ContainsFunc(c.source.Files, func(f txtar.File) bool { return strings.Contains(string(f.Data), "+typeplane:apiserver\n") })
		id := func(form string) string { return fmt.Sprintf("%s%04d", form, i) }
		n := named{c.name, without(c.source, id("p"), nil), without(renamed(t, c.source, nil), id("n"), nil), without(renamed(t, c.source, movable(serves)), id("m"), nil)}
		all = append(all, n)
		folders = append(folders, n.plain, n.named, n.told)
	}
	shared := new(load.Shared)
	for some := range slices.Chunk(folders, 300) {
		runFolders(t, shared, some, plugins())
	}
	differ := 0
	for _, n := range all {
		if !slices.EqualFunc(n.plain.files, n.named.files, func(a, b txtar.File) bool { return len(a.Data) == len(b.Data) }) {
			differ++
		}
		if n.plain.problems != nil || ofBasicTypes[n.name] != "" {
			continue
		}
		for form, f := range map[string]*folder{"the markers on the field": n.named, "the markers on the type": n.told} {
			if diff := cmp.Diff(unnamed(n.plain), unnamed(f)); diff != "" {
				t.Errorf("%s, %s (-basic +named):\n%.3000s", n.name, form, diff)
			}
		}
	}
	if differ < len(all)/2 {
		t.Errorf("only %d of %d cases had such a field", differ, len(all))
	}
}

// ofBasicTypes are the cases that have to do with basic types, and why.
var ofBasicTypes = map[string]string{
	"conversion/by-hand-elsewhere.txtar":  "functions by hand convert them",
	"conversion/manual.txtar":             "functions by hand convert them",
	"conversion/shapes.txtar":             "functions by hand convert them",
	"conversion/url-values.txtar":         "they are what parameters of a URL convert to",
	"validation/custom.txtar":             "functions by hand judge them",
	"validation/each_val_unchanged.txtar": "what tells items apart is said of the field, and compares them",
	"validation/list_unique.txtar":        "a function by hand looks for what is there twice, which only the field can say",
}

// movable tells which markers mean the same on a field and on the type of its value. A default on a
// type is for each use where it is published; elsewhere for pointers and elements, as
// code-generator has it. How lists and maps merge is read there as controller-gen does; elsewhere
// as kube-openapi does, of fields alone.
func movable(serves bool) func(name string) bool {
	return func(name string) bool {
		d, ok := known.Find(name)
		if !ok || d.Scope&tag.Type == 0 {
			return false
		}
		return !ofField.MatchString(name) && (serves || !asServed.MatchString(d.Name))
	}
}

// renamed gives each field of a plain type a type of its own, called Named_ and that type.
func renamed(t *testing.T, a *txtar.Archive, move func(tag string) bool) *txtar.Archive {
	out := &txtar.Archive{}
	for i, f := range a.Files {
		if !isExpectation(f.Name) && strings.HasSuffix(f.Name, ".go") && !strings.HasSuffix(f.Name, "_test.go") {
			f.Data = renamedFile(t, f.Data, i, move)
		}
		out.Files = append(out.Files, f)
	}
	return out
}

func renamedFile(t *testing.T, data []byte, file int, move func(tag string) bool) []byte {
	if strings.Contains(string(data), "''") { // of which gofmt makes another sign in a comment
		return data
	}
	s := parse(t, data)
	var edits []edit
	var types strings.Builder
	for i, f := range s.fields() {
		plain, text := plainType(f.field.Type)
		if text == "" || len(f.field.Names) != 1 {
			continue
		}
		name := fmt.Sprintf("Named%dx%d_%s", file, i, spelledOut.Replace(text))
		edits = append(edits, s.put(plain, name))
		types.WriteString("\n")
		for _, m := range markers(f.doc) {
			if move != nil && move(tag.NameOf(strings.TrimPrefix(m.Text, "//"))) {
				types.WriteString(m.Text + "\n")
				edits = append(edits, s.lines(m.Pos(), m.End()))
			}
		}
		types.WriteString("type " + name + " " + text + "\n")
	}
	return append(s.apply(edits...), types.String()...)
}

// plainType is the type of a field, or what it points to, if that is basic or a list or map of
// basic types; its text is "" for others.
func plainType(field ast.Expr) (plain ast.Expr, text string) {
	plain = ast.Unparen(field)
	if pointer, is := plain.(*ast.StarExpr); is {
		plain = pointer.X
	}
	basic := func(e ast.Expr) string {
		if name, ok := e.(*ast.Ident); ok && basicType.MatchString(name.Name) {
			return name.Name
		}
		return ""
	}
	switch t := plain.(type) {
	case *ast.ArrayType:
		if elem := basic(t.Elt); elem != "" && t.Len == nil && plain == field {
			return plain, "[]" + elem
		}
	case *ast.MapType:
		if key, value := basic(t.Key), basic(t.Value); key != "" && value != "" && plain == field {
			return plain, "map[" + key + "]" + value
		}
	}
	return plain, basic(plain)
}

// spelledOut makes a part of a name of a list or a map, and back is the way back.
var (
	spelledOut = strings.NewReplacer("[]", "listof_", "map[", "mapof_", "]", "_to_")
	back       = strings.NewReplacer("listof_", "[]", "mapof_", "map[", "_to_", "]")
)

var (
	basicType = regexp.MustCompile(`^(string|bool|u?int(8|16|32|64)?|float(32|64))$`)
	// ofField are markers that say on a field whether it is there, who sees it, when it may change,
	// or what it is by default. Of these, controller-gen reads the default there alone.
	ofField   = regexp.MustCompile(`^(k8s:(conversion-gen|openapi-gen|deprecated|immutable|update|if|alpha|beta|opaqueType|custom|validation:nullable)|kubebuilder:(default|validation:(Required|Optional|Nullable|Schemaless)))`)
	asServed  = regexp.MustCompile(`^(default|(k8s:)?list(Type|MapKey)|mapType)$`)
	ruleCall  = regexp.MustCompile(`\b(rules|validate)\.\w+`)
	published = regexp.MustCompile(`(openapi|apiserver|fieldset|defaults).go$|yaml$|md$`)
	cast      = regexp.MustCompile(`(\b(string|bool|u?int(8|16|32|64)?|float(32|64))|\[\]\w+|map\[\w+\]\w+)\(|[() \t]`)
	ownName   = regexp.MustCompile(`\b(?:\w+\.)?Named\d+x\d+_([a-z0-9_]+)`)
)

// unnamed is what came of a folder with the basic types for those that stand for them.
func unnamed(f *folder) map[string]string {
	said := strings.ReplaceAll(strings.Join(told(f), "\n"), f.id, "CELL")
	plain := func(text string) string {
		return ownName.ReplaceAllStringFunc(text, func(name string) string { return back.Replace(ownName.FindStringSubmatch(name)[1]) })
	}
	out := map[string]string{"problems": plain(said)}
	for name, text := range f.printed {
		if strings.HasSuffix(name, "validations.go") {
			calls := ruleCall.FindAllString(text, -1)
			slices.Sort(calls)
			out[name] = strings.Join(calls, "\n")
		}
		if !published.MatchString(name) {
			continue
		}
		out[name] = cast.ReplaceAllString(plain(text), "")
	}
	return out
}
