package document

import (
	"fmt"
	"reflect"
	"strings"
	"testing"
	"time"

	apiruntime "k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/util/validation/field"
)

func TestLookup(t *testing.T) {
	doc, _, err := Read([]byte(`{"spec":{"zero":0,"empty":{},"list":[{"a":false},null,[]],"labels":{"a.b/c]":"","a].b":"","x":""},"gone":null},"top":""}`), nil)
	if err != nil {
		t.Fatal(err)
	}
	tree, err := doc.Tree()
	if err != nil {
		t.Fatal(err)
	}
	for path, want := range map[string]bool{
		"spec": true, "spec.zero": true, "spec.empty": true, "spec.empty.x": false, "spec.list[0].a": true, "spec.list[0]": true, "spec.list[0].b": false,
		"spec.list[1]": false, "spec.list[2]": true, "spec.list[3]": false, "spec.list[x]": false, "spec.list[]": false, "spec.list[-1]": false,
		"spec.list[99999999999999999999]": false, "spec.labels[x]": true, "spec.labels[y]": false, "spec.labels[a.b/c]]": true, "spec.gone": false,
		"spec.labels[a].b]": true, "spec.labels[a]": false,
		"status": false, "status.x": false, "spec.zero.x": false, "top": true, "Embedded.top": true, "Embedded.spec.zero": true, "Embedded.none": false, "<nil>": false, "": true,
	} {
		if value, _, _ := NewLookup(tree).at(path); (value != nil) != want {
			t.Errorf("%s: %v", path, value)
		}
	}
	spec := field.NewPath("spec")
	for path, want := range map[*field.Path]bool{spec.Child("gone"): true, spec.Child("list").Index(1): true, spec: false, spec.Child("none"): false, spec.Child("gone", "x"): false, nil: false} {
		if got := NewLookup(tree).Null(path); got != want {
			t.Errorf("%s is null: %v", path, got)
		}
	}
}

func TestLookupBefore(t *testing.T) {
	spec := field.NewPath("spec")
	tree := map[string]any{"spec": map[string]any{"zero": int64(0), "gone": nil, "list": []any{map[string]any{"a": ""}}, "labels": map[string]any{"x": ""}}}
	type answer struct{ there, known bool }
	for path, want := range map[*field.Path]answer{
		nil: {true, true}, spec.Child("zero"): {true, true}, spec.Child("gone"): {false, true}, spec.Child("none", "x"): {false, true},
		spec.Child("labels").Key("x"): {true, true}, spec.Child("labels").Key("y"): {false, true},
		spec.Child("list"): {true, true}, spec.Child("list").Index(0).Child("a"): {true, false}, spec.Child("list").Index(7): {false, false},
	} {
		if there, known := NewLookup(tree).Had(path); (answer{there, known}) != want {
			t.Errorf("%s: %v, known %v, want %v", path, there, known, want)
		}
	}
	if _, known := NewLookup(nil).Had(spec); known {
		t.Error("what there was in a tree that can't be read is known")
	}
}

// What a Lookup costs grows with the number of paths, not with its square, and ends at a bound.
func TestLookupIsBounded(t *testing.T) {
	many := map[string]any{}
	for i := range 100_000 {
		many[fmt.Sprint("key", i)] = map[string]any{"x": ""}
	}
	long := strings.Repeat("].", 700_000)
	fields := map[string]any{}
	for i := range 100_000 {
		fields[fmt.Sprint("f", i)] = ""
	}
	l, spec := NewLookup(map[string]any{"spec": many}), field.NewPath("spec")
	begun := time.Now()
	for key := range many {
		if !l.Has(spec.Key(key).Child("x")) || l.Has(spec.Key(key).Child("y")) {
			t.Fatalf("%s is not found, or what is not there", key)
		}
	}
	if l.Exhausted() {
		t.Error("100,000 keys are too many")
	}
	l = NewLookup(map[string]any{"spec": map[string]any{long: fields}})
	for name := range fields {
		l.Has(spec.Key(long).Child(name))
	}
	if !l.Exhausted() {
		t.Error("100,000 paths of 1.4 MB are not too many")
	}
	if took := time.Since(begun); took > 5*time.Second {
		t.Errorf("it took %v", took)
	}
}

// What does not fit is told in its order, and no more than is wanted.
func TestMisfits(t *testing.T) {
	type part struct {
		List  []string                           `json:"list"`
		Map   map[string][]*int                  `json:"map"`
		Raw   *apiruntime.RawExtension           `json:"raw"`
		Raws  []apiruntime.RawExtension          `json:"raws"`
		Named map[string]apiruntime.RawExtension `json:"named"`
		Open  []apiruntime.RawExtension          `json:"open"`
	}
	shape := ShapeOf(reflect.TypeFor[part](), Said{Open: map[string]bool{reflect.TypeFor[part]().PkgPath() + ".part.open": true}})
	for text, want := range map[string]string{
		`{"list":["a"],"map":{"null":[1]}}`:                                     "",
		`{"list":[null,"a",null],"map":{"b":[null],"a":[null]}}`:                "list[0] list[2] map[a][0]",
		`{"list":null,"map":{"a":null}}`:                                        "",
		`{"raw":{"a":[null]},"raws":[{}],"named":{"a":{}},"open":["a",1,null]}`: "",
		`{"raw":"a","raws":[{},1,null],"named":{"a":[]}}`:                       "named[a] raw raws[1]",
		`{"raw":null,"raws":[null],"named":{"a":null},"unknown":{"raw":"a"}}`:   "raws[0]",
	} {
		errs, err := Misfits([]byte(text), shape, 3)
		var paths []string
		for _, e := range errs {
			paths = append(paths, e.Field)
		}
		if got := strings.Join(paths, " "); err != nil || got != want {
			t.Errorf("%s: %s, %v", text, got, err)
		}
	}
	text := `{"list":[null` + strings.Repeat(",null", 600_000) + `],"map":{"` + strings.Repeat("k", 1<<20) + `":[` + strings.Repeat("1,", 400_000) + `null]}}`
	begun := time.Now()
	if errs, err := Misfits([]byte(text), shape, 100); err != nil || len(errs) != 100 {
		t.Errorf("%d errors, %v", len(errs), err)
	}
	if took := time.Since(begun); took > 5*time.Second {
		t.Errorf("it took %v", took)
	}
}

func TestLookupValue(t *testing.T) {
	tree := map[string]any{"spec": map[string]any{"list": []any{int64(1), nil}, "none": nil}}
	l := NewLookup(tree)
	for _, tc := range []struct {
		path *field.Path
		want any
		ok   bool
	}{
		{nil, any(tree), true},
		{field.NewPath("spec", "list").Index(0), int64(1), true},
		{field.NewPath("spec", "list").Index(1), nil, false},
		{field.NewPath("spec", "none"), nil, false},
		{field.NewPath("status"), nil, false},
	} {
		got, ok := l.Value(tc.path)
		if !reflect.DeepEqual(got, tc.want) || ok != tc.ok {
			t.Errorf("%v: %v, %v", tc.path, got, ok)
		}
	}
	if _, ok := NewLookup(nil).Value(field.NewPath("spec")); ok {
		t.Error("nothing is known, and a value is")
	}
}
