package tree_test

import (
	"fmt"
	"maps"
	"math/rand/v2"
	"reflect"
	"slices"
	"strings"
	"testing"

	"sigs.k8s.io/structured-merge-diff/v6/fieldpath"
	"sigs.k8s.io/structured-merge-diff/v6/typed"

	"github.com/typeplane/typeplane/internal/jsontree"
	"github.com/typeplane/typeplane/internal/ownership/tree"
	"github.com/typeplane/typeplane/runtime/fieldset"
)

// A schema with everything in it, and once more after lists and maps have become atomic.
const schemas = `types:
- name: %[1]s
  map:
    fields:
    - {name: text, type: {scalar: string}}
    - {name: number, type: {scalar: numeric}}
    - {name: truth, type: {scalar: boolean}}
    - {name: scalar, type: {scalar: untyped}}
    - {name: inner, type: {namedType: %[1]s}}
    - name: keyed
      type: {list: {elementType: {namedType: item}, elementRelationship: %[2]s, keys: %[3]s}}
    - name: set
      type: {list: {elementType: {scalar: untyped}, elementRelationship: %[2]s}}
    - name: atomicList
      type: {list: {elementType: {namedType: item}, elementRelationship: atomic}}
    - name: labels
      type: {map: {elementType: {scalar: string}, elementRelationship: %[4]s}}
    - name: items
      type: {map: {elementType: {namedType: item}}}
    - name: atomicMap
      type: {map: {elementType: {namedType: item}, elementRelationship: atomic}}
    - name: open
      type: {namedType: __untyped_deduced_}
- name: item
  map:
    fields:
    - {name: name, type: {scalar: string}}
    - {name: port, type: {scalar: numeric}, default: 1.0}
    - {name: value, type: {scalar: untyped}}
    - name: more
      type: {list: {elementType: {scalar: string}, elementRelationship: %[2]s}}
- name: __untyped_atomic_
  scalar: untyped
  list: {elementType: {namedType: __untyped_atomic_}, elementRelationship: atomic}
  map: {elementType: {namedType: __untyped_atomic_}, elementRelationship: atomic}
- name: __untyped_deduced_
  scalar: untyped
  list: {elementType: {namedType: __untyped_atomic_}, elementRelationship: atomic}
  map: {elementType: {namedType: __untyped_deduced_}, elementRelationship: separable}
`

type both struct {
	typed.ParseableType
	tree *tree.Type
}

func typeOf(t *testing.T, list, keys, object string) both {
	parser, err := typed.NewParser(typed.YAMLObject(fmt.Sprintf(schemas, "root", list, keys, object)))
	if err != nil {
		t.Fatal(err)
	}
	return both{parser.Type("root"), tree.Types(&parser.Schema)["root"]}
}

// TestAgainstTyped compares all that a Type does with typed values of structured-merge-diff.
func TestAgainstTyped(t *testing.T) {
	granular, whole := typeOf(t, "associative", "[name, port]", "separable"), typeOf(t, "atomic", "[]", "atomic")
	r := maker{rand.New(rand.NewPCG(3, 4))}
	valid := 0
	for range 10_000 {
		old, obj := r.root(0), r.root(0)
		if r.IntN(2) == 0 {
			obj = r.like(old).(map[string]any)
		}
		was, err := granular.FromUnstructured(old, typed.AllowDuplicates)
		if got := granular.tree.Check(old, true); !alike(got, err) {
			t.Fatalf("%s\n%v\nwant %v", text(old), got, err)
		}
		is, err2 := granular.FromUnstructured(obj)
		if got := granular.tree.Check(obj, false); !alike(got, err2) {
			t.Fatalf("%s\n%v\nwant %v", text(obj), got, err2)
		}
		if err != nil || err2 != nil {
			continue
		}
		valid++
		about := fmt.Sprintf("%s\n%s", text(old), text(obj))

		owned, err := is.ToFieldSet()
		if got := granular.tree.Fields(obj).FieldSet(); err != nil || !got.Equals(owned) {
			t.Fatalf("%s\nfields %v, want %v, %v", about, got, owned, err)
		}
		merged, err := was.Merge(is)
		if err != nil {
			t.Fatal(err)
		}
		mine := granular.tree.Merge(old, obj)
		if want := merged.AsValue().Unstructured(); len(mine) > 0 && !reflect.DeepEqual(any(mine), want) {
			t.Fatalf("%s\nmerged %s\nwant %s", about, text(mine), text(want))
		}
		compared, err := was.Compare(is)
		if err != nil {
			t.Fatal(err)
		}
		c := new(fieldset.Comparison)
		granular.tree.Compare(c, old, obj)
		if !c.Changed().FieldSet().Equals(compared.Modified.Union(compared.Added)) || !c.Removed().FieldSet().Equals(compared.Removed) {
			t.Fatalf("%s\nchanged %v\nremoved %v\nwant\n%v", about, c.Changed().FieldSet(), c.Removed().FieldSet(), compared)
		}
		all, err := was.ToFieldSet()
		if err != nil {
			t.Fatal(err)
		}
		parents := all.EnsureNamedFieldsAreMembers(was.Schema(), was.TypeRef())
		if got := granular.tree.WithParents(all); !got.Equals(parents) {
			t.Fatalf("%s\nwith parents %v, want %v", about, got, parents)
		}
		some := r.some(parents)
		left := granular.tree.Remove(old, some)
		if want := was.RemoveItems(some).AsValue().Unstructured(); len(left) > 0 && !reflect.DeepEqual(any(left), want) {
			t.Fatalf("%s\nwithout %v\nleft %s\nwant %s", about, some, text(left), text(want))
		}

		now, err := whole.FromUnstructured(old, typed.AllowDuplicates)
		if err != nil {
			t.Fatal(err)
		}
		some = r.some(all)
		settled, err := typed.ReconcileFieldSetWithSchema(some, now)
		if err != nil {
			t.Fatal(err)
		}
		data, err := some.ToJSON()
		if err != nil {
			t.Fatal(err)
		}
		if settled == nil {
			settled = some
		} else if whole.tree.Settled(data) {
			t.Fatalf("%s is not settled: want %v", data, settled)
		}
		if got := whole.tree.Settle(some); !got.Equals(settled) {
			t.Fatalf("%s\nsettled %v\nwant %v", data, got, settled)
		}
		if !granular.tree.Settled(data) {
			t.Fatalf("%s is settled", data)
		}
	}
	if valid < 2_000 {
		t.Errorf("only %d pairs were valid", valid)
	}
}

// alike says whether two errors say the same. Of several faults not all need to be found.
func alike(got, want error) bool {
	if got == nil || want == nil {
		return got == nil && want == nil
	}
	a, b := got.Error(), want.Error()
	return a == b || strings.HasPrefix(a, "errors:") || strings.HasPrefix(b, "errors:")
}

func text(v any) string { return string(jsontree.Append(nil, v)) }

// maker makes random values of the schema.
type maker struct{ *rand.Rand }

var names = []string{"text", "number", "truth", "scalar", "inner", "keyed", "set", "atomicList", "labels", "items", "atomicMap", "open"}

func (r maker) root(depth int) map[string]any {
	out := map[string]any{}
	for _, name := range names {
		if r.IntN(3) == 0 {
			out[name] = r.member(name, depth)
		}
	}
	if r.IntN(200) == 0 {
		out["unknown"] = "a"
	}
	return out
}

func (r maker) member(name string, depth int) any {
	if r.IntN(20) == 0 {
		return nil
	}
	switch name {
	case "text":
		return r.text()
	case "number":
		return int64(r.IntN(3))
	case "truth":
		return r.IntN(2) == 0
	case "scalar":
		return r.scalar()
	case "inner":
		if depth < 2 {
			return r.root(depth + 1)
		}
		return map[string]any{}
	case "keyed", "atomicList":
		return r.list(func() any { return r.item() })
	case "set":
		return r.list(r.scalar)
	case "labels":
		return r.object(func() any { return r.text() })
	case "items", "atomicMap":
		return r.object(func() any { return r.item() })
	}
	return r.open(0)
}

func (r maker) text() string { return []string{"", "a", "b", `c"`}[r.IntN(4)] }

func (r maker) scalar() any {
	return []any{"", "a", "1", int64(0), int64(1), float64(1), 0.5, true}[r.IntN(8)]
}

func (r maker) list(item func() any) []any {
	out := []any{}
	for range r.IntN(4) {
		out = append(out, item())
	}
	return out
}

func (r maker) object(value func() any) map[string]any {
	out := map[string]any{}
	for range r.IntN(3) {
		out[r.text()] = value()
	}
	return out
}

func (r maker) item() map[string]any {
	out := map[string]any{}
	if r.IntN(8) > 0 {
		out["name"] = r.text()
	}
	if r.IntN(3) == 0 {
		out["port"] = int64(r.IntN(3))
	}
	if r.IntN(2) == 0 {
		out["value"] = r.scalar()
	}
	if r.IntN(3) == 0 {
		out["more"] = r.list(func() any { return r.text() })
	}
	return out
}

func (r maker) open(depth int) any {
	switch n := r.IntN(4); {
	case n == 0 || depth > 2:
		return r.scalar()
	case n == 1:
		return r.list(func() any { return r.open(depth + 1) })
	}
	return r.object(func() any { return r.open(depth + 1) })
}

// like is a value like another one, with some things left out, moved or changed.
func (r maker) like(v any) any {
	switch v := v.(type) {
	case map[string]any:
		out := map[string]any{}
		for _, name := range slices.Sorted(maps.Keys(v)) {
			if r.IntN(5) > 0 {
				out[name] = r.like(v[name])
			}
		}
		return out
	case []any:
		out := []any{}
		for _, item := range v {
			if r.IntN(5) > 0 {
				out = append(out, r.like(item))
			}
		}
		r.Shuffle(len(out), func(i, j int) {
			if r.IntN(3) == 0 {
				out[i], out[j] = out[j], out[i]
			}
		})
		return out
	case string:
		if r.IntN(6) == 0 {
			return r.text()
		}
	}
	return v
}

// some are some of the fields of a set.
func (r maker) some(fields *fieldpath.Set) *fieldpath.Set {
	out := fieldpath.NewSet()
	fields.Iterate(func(path fieldpath.Path) {
		if r.IntN(3) == 0 {
			out.Insert(path.Copy())
		}
	})
	return out
}

// What clients are told of a tree is no multiple of it, however long the name is that many faults
// are below of.
func TestTextIsBounded(t *testing.T) {
	granular := typeOf(t, "associative", "[name, port]", "separable")
	name, same, lists := strings.Repeat("n", 100_000), make([]any, 2_000), map[string]any{}
	for i := range same {
		same[i] = "a"
		lists[fmt.Sprint(i)] = []any{}
	}
	for what, v := range map[string]any{
		"below a member": map[string]any{"items": map[string]any{name: map[string]any{"name": "a", "more": same}}},
		"below an item":  map[string]any{"keyed": []any{map[string]any{"name": name, "more": same}}},
	} {
		err := granular.tree.Check(v, false)
		if err == nil || len(err.Error()) > 1<<20 {
			t.Errorf("%s: it takes %d bytes to say what is wrong", what, len(err.Error()))
		}
	}
	size := 0
	for _, path := range granular.tree.Atomic(map[string]any{"open": map[string]any{name: lists}}) {
		size += len(path)
	}
	if size == 0 || size > 1<<20 {
		t.Errorf("%d bytes of paths", size)
	}
}
