package kubernetes

import (
	"reflect"
	"testing"

	"k8s.io/apimachinery/pkg/api/equality"
	"k8s.io/apimachinery/pkg/api/resource"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	apiruntime "k8s.io/apimachinery/pkg/runtime"
	"sigs.k8s.io/randfill"

	"github.com/typeplane/typeplane/runtime/semantic"
)

// TestSemanticEqual: whether two objects mean the same is decided as the library decides it, for
// every kind, whichever part of them differs.
func TestSemanticEqual(t *testing.T) {
	filler := randfill.NewWithSeed(1).NilChance(0.2).NumElements(1, 2).MaxDepth(20).Funcs(
		func(f *metav1.FieldsV1, _ randfill.Continue) { f.SetRawBytes([]byte("{}")) },
		func(q *resource.Quantity, c randfill.Continue) { q.Set(c.Int63n(3)) },
		func(*apiruntime.Object, randfill.Continue) {},
	)
	scheme, compared := newScheme(t), 0
	for _, group := range scheme.Groups() {
		for _, gv := range scheme.VersionsOf(group) {
			for _, kind := range scheme.KindsOf(gv) {
				obj, other := kind.New(), kind.New()
				filler.Fill(obj)
				filler.Fill(other)
				changed := obj.DeepCopyObject()
				eachPart(reflect.ValueOf(changed).Elem(), reflect.ValueOf(other).Elem(), 4, func() {
					compared++
					if got, want := semantic.Equal[any](obj, changed), equality.Semantic.DeepEqual(obj, changed); got != want {
						t.Fatalf("it says %v, and the library %v, of\n%+v\n%+v", got, want, obj, changed)
					}
				})
				if !semantic.Equal[any](obj, changed) {
					t.Errorf("a %s does not equal its copy", kind.GroupVersionKind().Kind)
				}
			}
		}
	}
	if compared < 2000 {
		t.Errorf("only %d objects were compared", compared)
	}
}

// eachPart puts each part of another value into this one, calls with, and puts back what was there.
func eachPart(v, other reflect.Value, depth int, with func()) {
	before := reflect.New(v.Type()).Elem()
	before.Set(v)
	v.Set(other)
	with()
	v.Set(before)
	if depth == 0 {
		return
	}
	switch v.Kind() {
	case reflect.Struct:
		for i := range v.NumField() {
			if v.Type().Field(i).IsExported() {
				eachPart(v.Field(i), other.Field(i), depth-1, with)
			}
		}
	case reflect.Pointer:
		if !v.IsNil() && !other.IsNil() {
			eachPart(v.Elem(), other.Elem(), depth, with)
		}
	case reflect.Slice:
		for i := range min(v.Len(), other.Len()) {
			eachPart(v.Index(i), other.Index(i), depth-1, with)
		}
	}
}
