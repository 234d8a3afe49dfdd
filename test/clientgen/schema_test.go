package clientgen

import (
	"path/filepath"
	"regexp"
	"strconv"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"sigs.k8s.io/structured-merge-diff/v6/schema"
	"sigs.k8s.io/structured-merge-diff/v6/typed"
)

// converted are types that kube-openapi converts from OpenAPI v2 in another way than from v3. gen and
// kube-apiserver convert from v3.
var converted = map[string]bool{
	"io.k8s.apimachinery.pkg.runtime.RawExtension":    true,
	"io.k8s.apimachinery.pkg.util.intstr.IntOrString": true,
}

// sameSchemas fails where the schemas of two folders with apply configurations are not about the
// same types, or say another thing of one.
func sameSchemas(t *testing.T, want, got string) {
	t.Helper()
	wanted, found := readSchemas(t, want), readSchemas(t, got)
	for _, def := range wanted.Types {
		if converted[def.Name] || strings.Contains(def.Name, notInClientset) {
			continue
		}
		other, ok := found.FindNamedType(def.Name)
		if !ok {
			t.Errorf("there is no schema of %s", def.Name)
			continue
		}
		if a, b := plain(wanted, def.Atom), plain(found, other.Atom); !a.Equals(&b) {
			t.Errorf("the schema of %s (-code-generator +gen):\n%s", def.Name, cmp.Diff(describe(a), describe(b)))
		}
	}
	t.Logf("the schemas of %d types say the same", len(wanted.Types))
}

var block = regexp.MustCompile("(?s)typed\\.YAMLObject\\((`.*`|\".*\")\\)")

func readSchemas(t *testing.T, dir string) *schema.Schema {
	t.Helper()
	found := block.FindSubmatch(read(t, filepath.Join(dir, "internal/internal.go")))
	if found == nil {
		t.Fatalf("%s has no schemas", dir)
	}
	text, err := strconv.Unquote(string(found[1]))
	if err != nil {
		t.Fatal(err)
	}
	parser, err := typed.NewParser(typed.YAMLObject(text))
	if err != nil {
		t.Fatal(err)
	}
	return &parser.Schema
}

// plain is an atom in which what may be anything is written in one way: code-generator writes it
// out, or names it.
func plain(s *schema.Schema, a schema.Atom) schema.Atom {
	if a.Map != nil {
		m := &schema.Map{ElementType: plainRef(s, a.Map.ElementType), ElementRelationship: a.Map.ElementRelationship} // unions have no effect
		for _, f := range a.Map.Fields {
			f.Type = plainRef(s, f.Type)
			m.Fields = append(m.Fields, f)
		}
		a.Map = m
	}
	if a.List != nil {
		l := *a.List
		l.ElementType = plainRef(s, l.ElementType)
		a.List = &l
	}
	return a
}

func plainRef(s *schema.Schema, ref schema.TypeRef) schema.TypeRef {
	if ref.NamedType != nil {
		if def, ok := s.FindNamedType(*ref.NamedType); ok && def.Scalar != nil && def.Map == nil && def.List == nil {
			ref.NamedType, ref.Inlined = nil, def.Atom
		}
	}
	if ref.NamedType == nil && ref.Inlined.Scalar != nil && ref.Inlined.List != nil && ref.Inlined.Map != nil {
		deduced := "__untyped_deduced_"
		return schema.TypeRef{NamedType: &deduced}
	}
	ref.Inlined = plain(s, ref.Inlined)
	return ref
}

// describe is an atom as data to be compared.
func describe(a schema.Atom) map[string]any {
	out := map[string]any{}
	if a.Scalar != nil {
		out["scalar"] = *a.Scalar
	}
	if a.List != nil {
		out["list"] = []any{describeRef(a.List.ElementType), a.List.ElementRelationship, a.List.Keys}
	}
	if a.Map != nil {
		fields := map[string]any{}
		for _, f := range a.Map.Fields {
			fields[f.Name] = []any{describeRef(f.Type), f.Default}
		}
		out["map"] = []any{fields, describeRef(a.Map.ElementType), a.Map.ElementRelationship}
	}
	return out
}

func describeRef(ref schema.TypeRef) any {
	if ref.NamedType != nil {
		return []any{*ref.NamedType, ref.ElementRelationship}
	}
	return []any{describe(ref.Inlined), ref.ElementRelationship}
}
