package apimachinery_test

import (
	"bytes"
	"testing"

	"github.com/google/go-cmp/cmp"
	"sigs.k8s.io/randfill"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/typeplane/typeplane/runtime/protobuf"
	"github.com/typeplane/typeplane/runtime/protobuf/apimachinery"
)

// codec is a type with the methods that Kubernetes ships, which its own generator made.
type codec[T any] interface {
	*T
	Marshal() ([]byte, error)
	Unmarshal([]byte) error
}

// functions are those of this package for a type.
type functions[T any] struct {
	reads func() *protobuf.Type[T]
	put   func(*protobuf.Writer, int, *T) int
}

func (f functions[T]) read(data []byte, shared bool) (*T, error) {
	var err error
	var slabs [apimachinery.FirstSlab]protobuf.Slab
	m, r := new(T), protobuf.Reader{Shared: shared, Err: &err, Slabs: slabs[:]}
	apimachinery.Start(&r, data)
	protobuf.Read(&r, f.reads(), func() { f.reads() }, data, m)
	return m, err
}

func (f functions[T]) write(m *T) ([]byte, error) {
	w := protobuf.NewWriter()
	n := f.put(&w, 0, m)
	if w.Again(n) {
		n = f.put(&w, 0, m)
	}
	return w.Finish(nil, n)
}

// check compares what is written of m, and what is read of that, with what the methods of the type
// do.
func check[T any, M codec[T]](t *testing.T, f functions[T], m *T) {
	t.Helper()
	want, err := M(m).Marshal()
	if err != nil {
		t.Fatal(err)
	}
	got, err := f.write(m)
	if err != nil || !bytes.Equal(got, want) {
		t.Errorf("%T is written as (%v)\n%x\nits own method\n%x", m, err, got, want)
	}
	compare[T, M](t, f, want)
}

// compare compares reading with the method of the type. That method goes on reading after some
// errors, which this package does not.
func compare[T any, M codec[T]](t *testing.T, f functions[T], data []byte) {
	t.Helper()
	want := new(T)
	wantErr := M(want).Unmarshal(data)
	for _, shared := range []bool{false, true} {
		got, err := f.read(bytes.Clone(data), shared)
		switch {
		case (err == nil) != (wantErr == nil):
			t.Fatalf("%T of %x: %v, its own method %v", got, data, err, wantErr)
		case err == nil && !cmp.Equal(got, want):
			t.Fatalf("%T of %x (-its own method, +this package)\n%s", got, data, cmp.Diff(want, got))
		}
	}
}

var (
	objectMeta = functions[metav1.ObjectMeta]{apimachinery.ObjectMeta, apimachinery.PutObjectMeta}
	listMeta   = functions[metav1.ListMeta]{apimachinery.ListMeta, apimachinery.PutListMeta}
	condition  = functions[metav1.Condition]{apimachinery.Condition, apimachinery.PutCondition}
	selector   = functions[metav1.LabelSelector]{apimachinery.LabelSelector, apimachinery.PutLabelSelector}
)

// TestAsKubernetes writes and reads random values both ways. It fails when apimachinery has a field
// that is not here.
func TestAsKubernetes(t *testing.T) {
	fill := randfill.NewWithSeed(1).NilChance(0.2).NumElements(0, 3).Funcs(
		func(to *metav1.Time, c randfill.Continue) { *to = metav1.Unix(c.Int63n(1<<33), 0) },
		func(to *metav1.FieldsV1, c randfill.Continue) { to.SetRawString(`{"f:a":{}}`) },
	)
	for range 500 {
		var (
			o metav1.ObjectMeta
			l metav1.ListMeta
			c metav1.Condition
			s metav1.LabelSelector
		)
		fill.Fill(&o)
		fill.Fill(&l)
		fill.Fill(&c)
		fill.Fill(&s)
		check(t, objectMeta, &o)
		check(t, listMeta, &l)
		check(t, condition, &c)
		check(t, selector, &s)
	}
}

// FuzzObjectMeta reads bytes of strangers as Kubernetes' own code does.
func FuzzObjectMeta(f *testing.F) {
	data, err := (&metav1.ObjectMeta{
		Name: "n", Labels: map[string]string{"a": "b"}, Finalizers: []string{"x"},
		OwnerReferences: []metav1.OwnerReference{{Name: "o", Controller: new(bool)}},
		ManagedFields:   []metav1.ManagedFieldsEntry{{Manager: "m", Time: &metav1.Time{}, FieldsV1: &metav1.FieldsV1{}}},
	}).Marshal()
	if err != nil {
		f.Fatal(err)
	}
	f.Add(data)
	f.Add([]byte("\x0b\x0c"))
	f.Fuzz(func(t *testing.T, data []byte) { compare(t, objectMeta, data) })
}

// TestUnmarshalSharedObjectMeta: whoever has metadata alone reads it as its own method does.
func TestUnmarshalSharedObjectMeta(t *testing.T) {
	want := &metav1.ObjectMeta{
		Name: "a", Labels: map[string]string{"b": "c"}, CreationTimestamp: metav1.Unix(1, 0), Finalizers: []string{"d"},
		ManagedFields: []metav1.ManagedFieldsEntry{{Manager: "m", FieldsV1: metav1.NewFieldsV1(`{"f:spec":{}}`)}},
	}
	data, err := want.Marshal()
	if err != nil {
		t.Fatal(err)
	}
	got := new(metav1.ObjectMeta)
	if err := apimachinery.UnmarshalShared_ObjectMeta(data, got); err != nil || !cmp.Equal(got, want) {
		t.Errorf("%v\n%s", err, cmp.Diff(want, got))
	}
	if err := apimachinery.UnmarshalShared_ObjectMeta(data[:len(data)-1], got); err == nil {
		t.Error("half of it is read")
	}
}
