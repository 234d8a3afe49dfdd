package lossless

import (
	"reflect"
	"strings"
	"testing"

	"k8s.io/apimachinery/pkg/api/resource"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/conversion"
)

// store is a hub whose version can't say anything.
type store struct {
	metav1.ObjectMeta
	Size    *resource.Quantity
	Shelves []shelf
}

type shelf struct {
	Name  string             `json:"name"`
	Limit *resource.Quantity `json:"limit"`
	Large [1000]byte         `json:"-"`
	Inner []shelf            `json:"inner"`
	Sizes map[string]resource.Quantity
}

// What anybody may have written into the annotation takes neither long nor much memory to be
// restored.
func TestFits(t *testing.T) {
	stores := &Kind[store, version]{
		Down: func(in *store, out *version, _ conversion.Scope) error { out.ObjectMeta = in.ObjectMeta; return nil },
		Up:   func(in *version, out *store, _ conversion.Scope) error { out.ObjectMeta = in.ObjectMeta; return nil },
		Meta: func(v *version) *metav1.ObjectMeta { return &v.ObjectMeta },
		Fields: []Field[store]{
			{
				Path: "Size",
				At:   func(h *store) any { return &h.Size },
				Same: func(a, b *store) bool { return SameJSON(&a.Size, &b.Size) },
				Take: func(to, from *store) { to.Size = from.Size },
			},
			{
				Path: "Shelves",
				At:   func(h *store) any { return &h.Shelves },
				Same: func(a, b *store) bool { return SameJSON(&a.Shelves, &b.Shelves) },
				Take: func(to, from *store) { to.Shelves = from.Shelves },
			},
		},
	}
	for fields, want := range map[string]int{
		`"Size":{"kept":"1e3"},"Shelves":{"kept":[{"name":"7e12345"}]}`:            2,
		`"Size":{"kept":"1e-30000000"},"Shelves":{"kept":[{}]}`:                    1,
		`"Size":{"kept":1e-30000000}`:                                              0,
		`"Size":{"kept":"` + strings.Repeat("1", 20_000) + `"}`:                    0,
		`"Shelves":{"kept":[{"limit":"1e-30000000"}]}`:                             0,
		`"Shelves":{"kept":[{"inner":[{"LIMIT":" 1e-30000000"}]}]}`:                0,
		`"Shelves":{"kept":[{"Sizes":{"a":"1E+30000000"}}]}`:                       0,
		`"Shelves":{"kept":[{"inner":[` + strings.Repeat("{},", 70_000) + `{}]}]}`: 0,
	} {
		v := &version{ObjectMeta: metav1.ObjectMeta{Name: "n", Annotations: map[string]string{annotation: `{"name":"n","fields":{` + fields + `}}`}}}
		var got store
		if err := stores.ToHub(v, &got, nil); err != nil {
			t.Fatal(err)
		}
		restored := len(got.Shelves)
		if got.Size != nil {
			restored++
		}
		if restored != want {
			t.Errorf("%.80s: %d are restored, want %d", fields, restored, want)
		}
	}
}

func TestLong(t *testing.T) {
	for text, want := range map[string]bool{
		"": false, "1e999": false, "1E": false, "1Ei": false, "e1000": false, "2024-01-02T03:04:05Z": false, "1000": false, "1.5Gi": false,
		"1e1000": true, " -1.5E-1000": true, "1e1000Gi": true, strings.Repeat("1", 10_001): true,
	} {
		if long(text) != want {
			t.Errorf("%.20q: %v", text, !want)
		}
	}
	r := room{maxMemory, map[reflect.Type][]reflect.StructField{}}
	if !r.fits(reflect.TypeFor[[]string](), []any{"1e1000"}) {
		t.Error("a string is no quantity")
	}
}
