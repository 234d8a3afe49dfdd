package runtime_test

import (
	"strings"
	"testing"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	apiruntime "k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/runtime/schema"

	"github.com/typeplane/typeplane/runtime"
	"github.com/typeplane/typeplane/runtime/runtimetest/widget"
	"github.com/typeplane/typeplane/runtime/wire"
)

// untyped has no TypeMeta.
type untyped struct{ metav1.ObjectMeta }

func (*untyped) GetObjectKind() schema.ObjectKind    { return schema.EmptyObjectKind }
func (u *untyped) DeepCopyObject() apiruntime.Object { c := *u; return &c }

// uncopied has the deep copy of what it embeds.
type uncopied struct{ widget.V1 }

// unmeta has other metadata.
type unmeta struct {
	metav1.TypeMeta
	metav1.Object
}

func (*unmeta) GetObjectMeta() metav1.Object        { return nil }
func (u *unmeta) DeepCopyObject() apiruntime.Object { c := *u; return &c }

// ownMeta has a method in place of that of metav1.ObjectMeta, which returns another type.
type ownMeta struct{ widget.V1 }

func (o *ownMeta) GetObjectMeta() *metav1.ObjectMeta { return &o.ObjectMeta }
func (o *ownMeta) DeepCopyObject() apiruntime.Object { c := *o; return &c }

// unlist is not of the form of a list.
type unlist struct {
	metav1.TypeMeta `json:",inline"`
	Things          []widget.V1 `json:"things"`
}

func (u *unlist) DeepCopyObject() apiruntime.Object { c := *u; return &c }

// cheating says that it has another size than it has.
type cheating struct{ widget.V1 }

func (c *cheating) DeepCopyObject() apiruntime.Object { d := *c; return &d }
func (c *cheating) Size() int                         { return c.V1.Size() + 1 }

func hubOf(b *runtime.Builder) *runtime.Hub[*widget.Widget] {
	return runtime.AddHub(b, widget.GroupKind, func() *widget.Widget { return new(widget.Widget) })
}

// good is a version that is as it should be.
func good() runtime.Version[*widget.V1, *widget.Widget] {
	return runtime.Version[*widget.V1, *widget.Widget]{
		GroupVersion: widget.GV1,
		New:          func() *widget.V1 { return new(widget.V1) },
		NewList:      func() apiruntime.Object { return new(widget.V1List) },
		ToHub:        widget.V1ToHub,
		FromHub:      widget.HubToV1,
	}
}

// colored is good with one selectable field.
func colored(stored wire.Fields) runtime.Version[*widget.V1, *widget.Widget] {
	v := good()
	v.SelectableFields = func(in *widget.V1) map[string]string { return map[string]string{"spec.color": in.Spec.Color} }
	v.StoredFields = stored
	return v
}

// alone declares a hub type that is its own only version.
func alone[T runtime.Object](b *runtime.Builder, new func() T) {
	h := runtime.AddHub(b, widget.GroupKind, new)
	runtime.AddVersion(h, runtime.Version[T, T]{GroupVersion: widget.GV1, New: new, NewList: func() apiruntime.Object { return &widget.V1List{} }})
}

// columns declares the kind with columns of strings, which cells are for.
func columns(b *runtime.Builder, cells []any, names ...string) {
	v := good()
	for _, name := range names {
		v.Columns = append(v.Columns, metav1.TableColumnDefinition{Name: name, Type: "string"})
	}
	v.Cells = func(*widget.V1) []any { return cells }
	runtime.AddVersion(hubOf(b), v)
}

func TestMistakes(t *testing.T) {
	for _, tc := range []struct {
		name    string
		declare func(*runtime.Builder)
		want    []string
	}{
		{"none", func(b *runtime.Builder) { runtime.AddVersion(hubOf(b), good()) }, nil},
		{"a hub without versions", func(b *runtime.Builder) { hubOf(b) },
			[]string{"hub Widget.shop.example.com: it has no version: add at least one with AddVersion"}},
		{"a hub twice", func(b *runtime.Builder) {
			runtime.AddVersion(hubOf(b), good())
			v := good()
			v.GroupVersion.Version = "v2"
			runtime.AddVersion(hubOf(b), v)
		}, []string{"hub Widget.shop.example.com: it is declared twice", "Widget in shop.example.com/v2: its Go type *widget.V1 is already that of Widget in shop.example.com/v1: declare a type for each version"}},
		{"a type for two hubs", func(b *runtime.Builder) {
			runtime.AddVersion(hubOf(b), good())
			h := runtime.AddHub(b, schema.GroupKind{Group: "g", Kind: "Gadget"}, func() *widget.Widget { return new(widget.Widget) })
			runtime.AddVersion(h, runtime.Version[*widget.V1beta1, *widget.Widget]{
				GroupVersion: schema.GroupVersion{Group: "g", Version: "v1"}, New: func() *widget.V1beta1 { return new(widget.V1beta1) },
				NewList: func() apiruntime.Object { return new(widget.V1beta1List) }, ToHub: widget.V1beta1ToHub, FromHub: widget.HubToV1beta1})
		}, []string{"hub Gadget.g: its Go type *widget.Widget is also that of hub Widget.shop.example.com: declare a type for each"}},
		{"a hub without kind or constructor", func(b *runtime.Builder) {
			runtime.AddVersion(runtime.AddHub[*widget.Widget](b, schema.GroupKind{}, nil), good())
		}, []string{"hub : it has no kind", "hub : it can't be made: give AddHub a function that returns a new object"}},
		{"a version twice", func(b *runtime.Builder) {
			h := hubOf(b)
			runtime.AddVersion(h, good())
			runtime.AddVersion(h, good())
		}, []string{"Widget in shop.example.com/v1: it is declared twice: remove one AddVersion"}},
		{"nothing but a name", func(b *runtime.Builder) {
			runtime.AddVersion(hubOf(b), runtime.Version[*widget.V1, *widget.Widget]{GroupVersion: widget.GV1})
		}, []string{"Widget in shop.example.com/v1: its list can't be made: set Version.NewList", "Widget in shop.example.com/v1: it can't be made: set Version.New"}},
		{"no version", func(b *runtime.Builder) {
			v := good()
			v.GroupVersion.Version = ""
			runtime.AddVersion(hubOf(b), v)
		}, []string{"it has no version: set GroupVersion.Version, like v1"}},
		{"no conversion", func(b *runtime.Builder) {
			v := good()
			v.ToHub, v.FromHub = nil, nil
			runtime.AddVersion(hubOf(b), v)
		}, []string{"it does not convert to its hub *widget.Widget: set ToHub", "its hub *widget.Widget does not convert to it: set FromHub"}},
		{"a conversion to itself", func(b *runtime.Builder) {
			h := runtime.AddHub(b, widget.GroupKind, func() *widget.V1 { return new(widget.V1) })
			runtime.AddVersion(h, runtime.Version[*widget.V1, *widget.V1]{
				GroupVersion: widget.GV1, New: func() *widget.V1 { return new(widget.V1) }, NewList: func() apiruntime.Object { return new(widget.V1List) },
				ToHub: func(in, out *widget.V1) error { return nil }})
		}, []string{"it is its own hub (*widget.V1): leave ToHub and FromHub out"}},
		{"a conversion by JSON beside another", func(b *runtime.Builder) {
			v := good()
			v.SameJSON = true
			runtime.AddVersion(hubOf(b), v)
		}, []string{"Widget in shop.example.com/v1: SameJSON takes the place of ToHub and FromHub", "Widget in shop.example.com/v1: it has SameJSON, and its hub *widget.Widget is no version"}},
		{"metadata by a method of another form", func(b *runtime.Builder) { alone(b, func() *ownMeta { return new(ownMeta) }) }, nil},
		{"a constructor of nothing", func(b *runtime.Builder) { alone(b, func() *widget.V1 { return nil }) },
			[]string{"hub Widget.shop.example.com: its constructor returns nil", "Widget in shop.example.com/v1: its constructor returns nil"}},
		{"a constructor of one", func(b *runtime.Builder) {
			one := new(widget.V1)
			alone(b, func() *widget.V1 { return one })
		}, []string{"hub Widget.shop.example.com: its constructor returns the same object twice", "Widget in shop.example.com/v1: its constructor returns the same object twice"}},
		{"no TypeMeta", func(b *runtime.Builder) { alone(b, func() *untyped { return new(untyped) }) },
			[]string{"its Go type *runtime_test.untyped has no metav1.TypeMeta: embed it", "its Go type *runtime_test.untyped has no metav1.TypeMeta: embed it"}},
		{"no ObjectMeta", func(b *runtime.Builder) { alone(b, func() *unmeta { return new(unmeta) }) },
			[]string{"has no metav1.ObjectMeta: embed it", "has no metav1.ObjectMeta: embed it"}},
		{"the deep copy of another type", func(b *runtime.Builder) { alone(b, func() *uncopied { return new(uncopied) }) },
			[]string{"the DeepCopyObject method of *runtime_test.uncopied returns a *widget.V1: run gen for its package, with +k8s:deepcopy-gen:interfaces=", "the DeepCopyObject method of"}},
		{"another kind of list", func(b *runtime.Builder) {
			v := good()
			v.NewList = func() apiruntime.Object { return new(unlist) }
			runtime.AddVersion(hubOf(b), v)
		}, []string{`its list is not of TypeMeta`}},
		{"columns that are not filled", func(b *runtime.Builder) {
			v := good()
			v.Columns = []metav1.TableColumnDefinition{{Name: "Color", Type: "string"}}
			runtime.AddVersion(hubOf(b), v)
		}, []string{"it has Columns and nothing to fill them: set Cells too"}},
		{"cells without columns", func(b *runtime.Builder) {
			v := good()
			v.Cells = func(*widget.V1) []any { return nil }
			runtime.AddVersion(hubOf(b), v)
		}, []string{"it has Cells for no columns: set Columns too"}},
		{"too few cells", func(b *runtime.Builder) { columns(b, []any{"red"}, "Color", "Age") },
			[]string{"Cells returns 1 cells for 2 columns: return one for each"}},
		{"a cell that can't be shown", func(b *runtime.Builder) { columns(b, []any{int16(1), []int{}}, "Count", "") },
			[]string{`its column "" of type "string" needs both a name and a type; Cells returns a int16 for column Count: return a string, a bool, an int, int32 or int64, a float64, a metav1.Time or nil; Cells returns a []int for column `}},
		{"a column of its own for the name", func(b *runtime.Builder) { columns(b, []any{"w"}, "Name") },
			[]string{"its Columns have a Name, which every table begins with: leave it out"}},
		{"a column without a name", func(b *runtime.Builder) { columns(b, []any{"a"}, "") },
			[]string{`its column "" of type "string" needs both a name and a type`}},
		{"cells that panic", func(b *runtime.Builder) {
			v := good()
			v.Columns = []metav1.TableColumnDefinition{{Name: "Seen", Type: "integer"}}
			v.Cells = func(in *widget.V1) []any { return []any{*in.Status.Seen} }
			runtime.AddVersion(hubOf(b), v)
		}, []string{"Cells panics for an empty object (runtime error: invalid memory address or nil pointer dereference): it must return the cells of every object"}},
		{"broken protobuf", func(b *runtime.Builder) { alone(b, func() *cheating { return new(cheating) }) },
			[]string{"its protobuf methods don't work (the method Size says"}},
		{"fields that every kind has", func(b *runtime.Builder) {
			v := good()
			v.SelectableFields = func(*widget.V1) map[string]string { return map[string]string{"metadata.name": ""} }
			runtime.AddVersion(hubOf(b), v)
		}, []string{"SelectableFields has metadata.name, which every kind has by itself: leave it out"}},
		{"fields of nothing", func(b *runtime.Builder) {
			v := good()
			v.SelectableFields = func(in *widget.V1) map[string]string { return map[string]string{"a": string(rune(*in.Spec.Replicas))} }
			runtime.AddVersion(hubOf(b), v)
		}, []string{"SelectableFields panics for an empty object"}},
		{"fields of nothing that are stored", func(b *runtime.Builder) {
			v := colored(wire.Fields{"spec.color": wire.String(2, 1)})
			v.SelectableFields = func(in *widget.V1) map[string]string { return map[string]string{"a": string(rune(*in.Spec.Replicas))} }
			runtime.AddVersion(hubOf(b), v)
		}, []string{"SelectableFields panics for an empty object"}},
		{"stored fields", func(b *runtime.Builder) {
			runtime.AddVersion(hubOf(b), colored(wire.Fields{"spec.color": wire.String(2, 1)}))
		}, nil},
		{"stored fields that nobody can select", func(b *runtime.Builder) {
			v := good()
			v.StoredFields = wire.Fields{"spec.color": wire.String(2, 1)}
			runtime.AddVersion(hubOf(b), v)
		}, []string{"it has StoredFields and no SelectableFields: set both"}},
		{"a stored field of another name", func(b *runtime.Builder) {
			runtime.AddVersion(hubOf(b), colored(wire.Fields{"spec.colour": wire.String(2, 1)}))
		}, []string{"StoredFields has spec.colour, which SelectableFields has not: run gen"}},
		{"a stored field of another type", func(b *runtime.Builder) {
			runtime.AddVersion(hubOf(b), colored(wire.Fields{"spec.color": wire.Bool(2, 1)}))
		}, []string{"StoredFields can't read spec.color of an empty object (wire: a field has another wire type than its Go type): run gen"}},
		{"a stored field of another default", func(b *runtime.Builder) {
			runtime.AddVersion(hubOf(b), colored(wire.Fields{"spec.color": wire.Bool(2, 9)}))
		}, []string{`StoredFields reads "false" as spec.color of an empty object, SelectableFields returns "": run gen`}},
		{"stored fields without protobuf", func(b *runtime.Builder) {
			runtime.AddVersion(hubOf(b), runtime.Version[*widget.Old, *widget.Widget]{
				GroupVersion: widget.GVOld, New: func() *widget.Old { return new(widget.Old) }, NewList: func() apiruntime.Object { return new(widget.OldList) },
				ToHub: widget.OldToHub, FromHub: widget.HubToOld,
				SelectableFields: func(in *widget.Old) map[string]string { return map[string]string{"paint": in.Paint} },
				StoredFields:     wire.Fields{"paint": wire.String(2)},
			})
		}, []string{"it has StoredFields and no protobuf methods: put +k8s:protobuf-gen=package into its doc.go and run gen"}},
	} {
		t.Run(tc.name, func(t *testing.T) {
			b := runtime.NewBuilder()
			tc.declare(b)
			s, err := b.Build()
			if (err == nil) != (tc.want == nil) || (s == nil) != (err != nil) {
				t.Fatalf("scheme %v, error %v", s, err)
			}
			if err == nil {
				return
			}
			lines := strings.Split(err.Error(), "\n")
			if len(lines) != len(tc.want) {
				t.Fatalf("want %d mistakes:\n%v", len(tc.want), err)
			}
			for i, want := range tc.want {
				if !strings.Contains(lines[i], want) {
					t.Errorf("%s\nlacks %s", lines[i], want)
				}
			}
		})
	}
}

func TestABuilderIsBuiltOnce(t *testing.T) {
	b := runtime.NewBuilder()
	widget.AddToScheme(b)
	if _, err := b.Build(); err != nil {
		t.Fatal(err)
	}
	if _, err := b.Build(); err == nil {
		t.Error("no error the second time")
	}
}
