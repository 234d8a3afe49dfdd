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

// TestNamed puts a type of its own in place of the basic type of each field, and moves what the
// field says about its value to that type: what is printed is the same, but for the names.
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
		t.Errorf("only %d of %d cases had a field of a basic type", differ, len(all))
	}
}

// ofBasicTypes are the cases that have to do with basic types, and why.
var ofBasicTypes = map[string]string{
	"conversion/by-hand-elsewhere.txtar": "functions by hand convert them",
	"conversion/shapes.txtar":            "functions by hand convert them",
	"conversion/url-values.txtar":        "they are what parameters of a URL convert to",
	"validation/custom.txtar":            "functions by hand judge them",
}

// movable tells which markers mean the same on a field and on the type of its value. A default on a
// type is for each use where it is published; elsewhere for pointers and elements, as
// code-generator has it.
func movable(serves bool) func(name string) bool {
	return func(name string) bool {
		d, ok := known.Find(name)
		if !ok || d.Scope&tag.Type == 0 {
			return false
		}
		return !ofField.MatchString(name) && (d.Name != "default" || serves)
	}
}

// renamed gives each field of a basic type a type of its own, called Named_ and the basic type.
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
		basic, ok := ast.Unparen(f.field.Type).(*ast.Ident)
		if pointer, is := f.field.Type.(*ast.StarExpr); is {
			basic, ok = pointer.X.(*ast.Ident)
		}
		if !ok || !basicType.MatchString(basic.Name) || len(f.field.Names) != 1 {
			continue
		}
		name := fmt.Sprintf("Named%dx%d_%s", file, i, basic.Name)
		edits = append(edits, s.put(basic, name))
		types.WriteString("\n")
		for _, m := range markers(f.doc) {
			if move != nil && move(tag.NameOf(strings.TrimPrefix(m.Text, "//"))) {
				types.WriteString(m.Text + "\n")
				edits = append(edits, s.lines(m.Pos(), m.End()))
			}
		}
		types.WriteString("type " + name + " " + basic.Name + "\n")
	}
	return append(s.apply(edits...), types.String()...)
}

var (
	basicType = regexp.MustCompile(`^(string|bool|u?int(8|16|32|64)?|float(32|64))$`)
	// ofField are markers that say on a field whether it is there, who sees it, when it may change, or
	// what it is by default; the last is read there alone by controller-gen.
	ofField   = regexp.MustCompile(`^(k8s:(conversion-gen|openapi-gen|deprecated|immutable|update|if|alpha|beta|opaqueType|custom|validation:nullable)|kubebuilder:(default|validation:(Required|Optional|Nullable|Schemaless)))`)
	ruleCall  = regexp.MustCompile(`\b(rules|validate)\.\w+`)
	published = regexp.MustCompile(`(openapi|apiserver|fieldset|defaults).go$|yaml$|md$`)
	cast      = regexp.MustCompile(`\b(string|bool|u?int(8|16|32|64)?|float(32|64))\(|[() \t]`)
	ownName   = regexp.MustCompile(`\b(?:\w+\.)?Named\d+x\d+_([a-z0-9]+)`)
)

// unnamed is what came of a folder with the basic types for those that stand for them.
func unnamed(f *folder) map[string]string {
	said := strings.ReplaceAll(strings.Join(told(f), "\n"), f.id, "CELL")
	out := map[string]string{"problems": ownName.ReplaceAllString(said, "$1")}
	for name, text := range f.printed {
		if strings.HasSuffix(name, "validations.go") {
			calls := ruleCall.FindAllString(text, -1)
			slices.Sort(calls)
			out[name] = strings.Join(calls, "\n")
		}
		if !published.MatchString(name) {
			continue
		}
		out[name] = cast.ReplaceAllString(ownName.ReplaceAllString(text, "$1"), "")
	}
	return out
}
