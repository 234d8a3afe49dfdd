package deepcopy_test

import (
	"reflect"
	"testing"

	"github.com/typeplane/typeplane/runtime/deepcopy"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"sigs.k8s.io/randfill"
)

// TestCopies copies random values, and changes all of the original: the copy is the same as that of
// the type's own method, before and after.
func TestCopies(t *testing.T) {
	copies(t, deepcopy.ObjectMeta, (*metav1.ObjectMeta).DeepCopy)
	copies(t, deepcopy.OwnerReference, (*metav1.OwnerReference).DeepCopy)
	copies(t, deepcopy.ManagedFieldsEntry, (*metav1.ManagedFieldsEntry).DeepCopy)
	copies(t, deepcopy.ListMeta, (*metav1.ListMeta).DeepCopy)
	copies(t, deepcopy.LabelSelector, (*metav1.LabelSelector).DeepCopy)
	copies(t, deepcopy.LabelSelectorRequirement, (*metav1.LabelSelectorRequirement).DeepCopy)
}

func copies[T any](t *testing.T, into func(in, out *T), method func(*T) *T) {
	t.Helper()
	f := randfill.NewWithSeed(1).NilChance(.3).NumElements(0, 3)
	for range 500 {
		in, out := new(T), new(T)
		f.Fill(in)
		f.Fill(out) // what was there goes
		want := method(in)
		into(in, out)
		if !reflect.DeepEqual(out, want) {
			t.Fatalf("%T\ncopied %+v\nwant   %+v", in, out, want)
		}
		scramble(reflect.ValueOf(in).Elem())
		if !reflect.DeepEqual(out, want) {
			t.Fatalf("%T: the copy changed with its original\nis  %+v\nwas %+v", in, out, want)
		}
	}
}

// scramble changes all that a value holds, in place.
func scramble(v reflect.Value) {
	switch v.Kind() {
	case reflect.Pointer:
		if !v.IsNil() {
			scramble(v.Elem())
		}
	case reflect.Struct:
		for i := range v.NumField() {
			if v.Type().Field(i).IsExported() {
				scramble(v.Field(i))
			}
		}
	case reflect.Slice:
		for i := range v.Len() {
			scramble(v.Index(i))
		}
	case reflect.Map:
		v.Clear()
	case reflect.String:
		v.SetString(v.String() + "x")
	case reflect.Bool:
		v.SetBool(!v.Bool())
	case reflect.Int64:
		v.SetInt(v.Int() + 1)
	case reflect.Uint8:
		v.SetUint(v.Uint() ^ 1)
	}
}

// TestMemory takes more than was counted, and less; lists have no room for more.
func TestMemory(t *testing.T) {
	var s deepcopy.Slab[int]
	s.Want = 3
	list := s.List(2)
	if len(list) != 2 || cap(list) != 2 {
		t.Errorf("a list of 2 has length %d and room for %d", len(list), cap(list))
	}
	one, another := s.One(), s.One()
	*one, *another = 1, 2
	if list = append(list, 7); *one != 1 || *another != 2 || list[2] != 7 {
		t.Errorf("an appended item overwrote others: %d, %d", *one, *another)
	}
	if s.List(0) == nil {
		t.Error("an empty list is nil")
	}
}

// TestNewObject: the memory comes with the object where most of it is needed, in as few
// allocations.
func TestNewObject(t *testing.T) {
	in := &metav1.ObjectMeta{
		Finalizers: []string{"a", "b"}, OwnerReferences: []metav1.OwnerReference{{Controller: new(bool), BlockOwnerDeletion: new(bool)}},
		ManagedFields: []metav1.ManagedFieldsEntry{{Time: new(metav1.Time), FieldsV1: new(metav1.FieldsV1)}},
	}
	n := testing.AllocsPerRun(100, func() {
		var m deepcopy.Memory
		deepcopy.CountObjectMeta(&m, in)
		out := deepcopy.NewObject[metav1.ObjectMeta](&m)
		deepcopy.CopyObjectMeta(&m, in, out)
	})
	if n != 1 {
		t.Errorf("%v allocations, want 1", n)
	}
}
