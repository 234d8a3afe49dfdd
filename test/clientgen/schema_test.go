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

// Types that kube-openapi converts from OpenAPI v2 in another way than from v3. gen and
// kube-apiserver convert from v3.
const (
	rawExtension = "io.k8s.apimachinery.pkg.runtime.RawExtension"
	intOrString  = "io.k8s.apimachinery.pkg.util.intstr.IntOrString"
)

// sameSchemas fails where the schemas of two folders with apply configurations are not about the
// same types, or say another thing of one.
func sameSchemas(t *testing.T, want, got string) {
	t.Helper()
	wanted, found := readSchemas(t, want), readSchemas(t, got)
	for _, def := range wanted.Types {
		if def.Name == rawExtension || def.Name == intOrString || strings.Contains(def.Name, notInClientset) {
			continue
		}
		other, ok := found.FindNamedType(def.Name)
		if !ok {
			t.Errorf("there is no schema of %s", def.Name)
			continue
		}
		if diff := cmp.Diff(describe(plain(wanted, def.Atom)), describe(plain(found, other.Atom))); diff != "" {
			t.Errorf("the schema of %s (-code-generator +gen):\n%s", def.Name, diff)
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

// plain is an atom in which the same is written in one way: types that may be anything, and scalars,
// are written out or named, as it comes.
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
	name := ""
	if ref.NamedType != nil {
		name = *ref.NamedType
	}
	scalar := schema.String
	a, _ := s.Resolve(ref)
	switch {
	case name == intOrString, a.Scalar != nil && a.Map == nil && a.List == nil && *a.Scalar != schema.Numeric && *a.Scalar != schema.Boolean:
		// A string with a format is untyped in OpenAPI v3, and a string in v2.
		return schema.TypeRef{Inlined: schema.Atom{Scalar: &scalar}}
	case name == rawExtension, a.Scalar != nil && a.Map != nil && a.List != nil:
		anything := "anything"
		return schema.TypeRef{NamedType: &anything}
	}
	if name == "" {
		ref.Inlined = plain(s, ref.Inlined)
	}
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
