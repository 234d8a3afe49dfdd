package registry_test

import (
	"encoding/json"
	"fmt"
	"io"
	"reflect"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	apiruntime "k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/runtime/schema"

	"github.com/typeplane/typeplane/registry"
	"github.com/typeplane/typeplane/registry/rest"
	"github.com/typeplane/typeplane/runtime"
	"github.com/typeplane/typeplane/runtime/runtimetest/widget"
	"github.com/typeplane/typeplane/storage/memory"
)

// as is a view in another form.
type as struct {
	rest.View
	transform rest.Transform
}

func (a as) WriteTo(w io.Writer, form rest.Representation) error {
	form.As = a.transform
	return a.View.WriteTo(w, form)
}

// shown is the rows of a table as lines, with its columns as the first one if it has them.
func shown(t *testing.T, view rest.View) string {
	t.Helper()
	table := read[metav1.Table](t, as{view, rest.AsTable})
	var lines []string
	if table.ColumnDefinitions != nil {
		var names []string
		for _, c := range table.ColumnDefinitions {
			names = append(names, c.Name)
		}
		lines = append(lines, strings.Join(names, " "))
	}
	for _, row := range table.Rows {
		cells, err := json.Marshal(row.Cells)
		if err != nil {
			t.Fatal(err)
		}
		lines = append(lines, string(cells))
	}
	return strings.Join(lines, "\n")
}

// columnsOf gives version v1 columns of its own, and leaves v1beta1 without; the stored version is
// v1.
func columnsOf(t testing.TB) (stored, other rest.Resource) {
	t.Helper()
	b := runtime.NewBuilder()
	hub := runtime.AddHub(b, widget.GroupKind, func() *widget.Widget { return new(widget.Widget) })
	runtime.AddVersion(hub, runtime.Version[*widget.V1, *widget.Widget]{
		GroupVersion: widget.GV1, Default: widget.DefaultV1, ToHub: widget.V1ToHub, FromHub: widget.HubToV1,
		New: func() *widget.V1 { return new(widget.V1) }, NewList: func() apiruntime.Object { return new(widget.V1List) },
		Columns: []metav1.TableColumnDefinition{
			{Name: "Color", Type: "string", Description: "color of it"},
			{Name: "Replicas", Type: "integer", Format: "int32"},
			{Name: "Seen", Type: "integer", Priority: 1},
			{Name: "Changed", Type: "date"},
		},
		Cells: func(in *widget.V1) []any {
			cells := []any{in.Spec.Color, nil, nil, in.CreationTimestamp}
			if in.Spec.Replicas != nil {
				cells[1] = int64(*in.Spec.Replicas)
			}
			if in.Status.Seen != nil {
				cells[2] = *in.Status.Seen
			}
			return cells
		},
	})
	runtime.AddVersion(hub, runtime.Version[*widget.V1beta1, *widget.Widget]{
		GroupVersion: widget.GV1beta1, Default: widget.DefaultV1beta1, ToHub: widget.V1beta1ToHub, FromHub: widget.HubToV1beta1,
		New: func() *widget.V1beta1 { return new(widget.V1beta1) }, NewList: func() apiruntime.Object { return new(widget.V1beta1List) },
	})
	scheme, err := b.Build()
	if err != nil {
		t.Fatal(err)
	}
	def := registry.Definition[*widget.Widget]{
		GroupKind: widget.GroupKind, Plural: "widgets", Namespaced: true, StorageVersion: widget.GV1,
		Versions: []schema.GroupVersion{widget.GV1, widget.GV1beta1},
	}
	served, err := registry.Define(def).Serve(scheme, memory.New(memory.Config{}), registry.Options{})
	if err != nil {
		t.Fatal(err)
	}
	return served[0], served[1]
}

func TestTable(t *testing.T) {
	v1, beta := columnsOf(t)
	for i, data := range []string{`{"metadata":{"name":"a"}}`, `{"metadata":{"name":"b"},"spec":{"color":"<green>","replicas":3},"status":{"seen":7}}`} {
		if _, err := v1.Create.Create(ctx, new(rest.Request), rest.Name{Namespace: "ns"}, parse(t, widget.GV1, data), metav1.CreateOptions{}); err != nil {
			t.Fatal(i, err)
		}
	}
	list := func(r rest.Resource) rest.View {
		view, err := r.List.List(ctx, "ns", metav1.ListOptions{})
		if err != nil {
			t.Fatal(err)
		}
		return view
	}
	get := func(r rest.Resource) rest.View {
		view, err := r.Get.Get(ctx, rest.Name{Namespace: "ns", Name: "b"}, metav1.GetOptions{})
		if err != nil {
			t.Fatal(err)
		}
		return view
	}
	for _, tc := range []struct {
		name string
		view rest.View
		want string
	}{
		{"a list", list(v1), "Name Color Replicas Seen Changed\n[\"a\",\"red\",1,null,\"0s\"]\n[\"b\",\"\\u003cgreen\\u003e\",3,7,\"0s\"]"},
		{"one", get(v1), "Name Color Replicas Seen Changed\n[\"b\",\"\\u003cgreen\\u003e\",3,7,\"0s\"]"},
		{"another version has its own columns", list(beta), "Name Age\n[\"a\",\"0s\"]\n[\"b\",\"0s\"]"},
	} {
		if diff := cmp.Diff(tc.want, young.ReplaceAllString(shown(t, tc.view), "0s")); diff != "" {
			t.Errorf("%s (-want +got):\n%s", tc.name, diff)
		}
	}

	items := read[widget.V1List](t, list(v1))
	one := metav1.Table{
		TypeMeta: metav1.TypeMeta{Kind: "Table", APIVersion: "meta.k8s.io/v1"},
		ListMeta: metav1.ListMeta{ResourceVersion: items.Items[1].ResourceVersion},
		ColumnDefinitions: []metav1.TableColumnDefinition{
			{Name: "Name", Type: "string", Format: "name", Description: "Name must be unique among the objects of a kind, within a namespace if the kind has them."},
			{Name: "Age", Type: "date", Description: "Age is the time since the object was created."},
		},
		Rows: []metav1.TableRow{{Cells: []any{"b", "0s"}}},
	}
	for include, object := range map[metav1.IncludeObjectPolicy]apiruntime.Object{
		metav1.IncludeNone:     nil,
		metav1.IncludeMetadata: ptr(partialOf(items.Items[1].ObjectMeta)),
		metav1.IncludeObject:   read[*widget.V1beta1](t, get(beta)),
	} {
		one.Rows[0].Object.Object = object
		wantForms(t, get(beta), rest.Representation{As: rest.AsTable, IncludeObject: include}, one, "", nil)
	}
	one.Rows[0].Object.Object, one.ColumnDefinitions = nil, nil
	wantForms(t, get(beta), rest.Representation{As: rest.AsTable, IncludeObject: metav1.IncludeNone, NoHeaders: true}, one, "", nil)

	// Clients of long ago get everything in their version.
	text := written(t, get(v1), rest.Representation{MediaType: rest.JSON, As: rest.AsTable, AsVersion: "v1beta1"})
	for _, want := range []string{`{"kind":"Table","apiVersion":"meta.k8s.io/v1beta1"`, `"object":{"kind":"PartialObjectMetadata","apiVersion":"meta.k8s.io/v1beta1"`} {
		if !strings.Contains(text, want) {
			t.Errorf("%s lacks %s", text, want)
		}
	}
}

func ptr[T any](v T) *T { return &v }

func TestTableOfAnEmptyList(t *testing.T) {
	s := serve(t, strategy{})
	view, err := s.v1.List.List(ctx, "", metav1.ListOptions{})
	if err != nil {
		t.Fatal(err)
	}
	want := `"rows":[]}` + "\n"
	if got := written(t, view, rest.Representation{MediaType: rest.JSON, As: rest.AsTable}); !strings.HasSuffix(got, want) {
		t.Errorf("%s does not end in %s", got, want)
	}
	if err := view.WriteTo(io.Discard, rest.Representation{MediaType: rest.Protobuf, As: rest.AsTable}); err == nil {
		t.Error("a Table was written as protobuf, which no client could read")
	}
}

// Columns of a strategy are about the hub and hold in every version.
func TestColumnsOfAStrategy(t *testing.T) {
	s := serve(t, strategy{
		Columns: []metav1.TableColumnDefinition{{Name: "Ready", Type: "string"}, {Name: "Since", Type: "date"}},
		Cells: func(w *widget.Widget) []any {
			return []any{fmt.Sprintf("%d/%d", len(w.Spec.Parts), w.Spec.Replicas), metav1.Time{Time: w.CreationTimestamp.Add(-5 * time.Hour)}}
		},
	})
	s.mustCreate(`{"metadata":{"name":"w"},"spec":{"replicas":4,"parts":[{"name":"p"}]}}`)
	for _, r := range []rest.Resource{s.v1, s.beta} {
		view, err := r.Get.Get(ctx, named, metav1.GetOptions{})
		if err != nil {
			t.Fatal(err)
		}
		if got, want := shown(t, view), "Name Ready Since\n[\"w\",\"1/4\",\"5h\"]"; got != want {
			t.Errorf("%s: %s, want %s", r.GroupVersion, got, want)
		}
	}
}

func TestMistakesInColumns(t *testing.T) {
	for want, s := range map[string]strategy{
		"it has Columns and nothing to fill them: set Cells too": {
			Columns: []metav1.TableColumnDefinition{{Name: "Ready", Type: "string"}},
		},
		"it has Cells for no columns: set Columns too": {Cells: func(*widget.Widget) []any { return nil }},
	} {
		if _, err := define(s).Form(widget.Scheme(), registry.Options{}); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%v, want %s", err, want)
		}
	}
}

// What writes answer with, and what watches send, is turned into tables too; a Status never is.
func TestTablesOfWritesAndWatches(t *testing.T) {
	s := serve(t, strategy{})
	view, err := s.v1.Create.Create(ctx, new(rest.Request), rest.Name{Namespace: "ns"}, parse(t, widget.GV1, `{"metadata":{"name":"w"}}`), metav1.CreateOptions{})
	if err != nil {
		t.Fatal(err)
	}
	if got := shown(t, view); !strings.HasPrefix(got, "Name Age\n[\"w\",") {
		t.Errorf("a create answers %s", got)
	}
	stream, err := s.v1.Watch.Watch(ctx, "ns", metav1.ListOptions{AllowWatchBookmarks: true, SendInitialEvents: ptr(true)})
	if err != nil {
		t.Fatal(err)
	}
	defer stream.Close()
	var events []rest.Event
	for len(events) < 2 {
		batch, err := stream.Next(ctx)
		if err != nil {
			t.Fatal(err)
		}
		events = append(events, batch...)
	}
	if got := shown(t, events[0].Object); events[0].Type != rest.Added || !strings.HasPrefix(got, "Name Age\n[\"w\",") {
		t.Errorf("the first event is %s %s", events[0].Type, got)
	}
	mark := read[metav1.Table](t, as{events[1].Object, rest.AsTable})
	var meta metav1.PartialObjectMetadata
	if err := json.Unmarshal(mark.Rows[0].Object.Raw, &meta); err != nil {
		t.Fatal(err)
	}
	if mark.ResourceVersion != meta.ResourceVersion || meta.ResourceVersion == "" || meta.Annotations[metav1.InitialEventsAnnotationKey] != "true" ||
		len(mark.ColumnDefinitions) != 2 || mark.Rows[0].Cells[1] != "<unknown>" {
		t.Errorf("the bookmark is %+v with %+v", mark, meta)
	}
	meta = read[metav1.PartialObjectMetadata](t, as{events[1].Object, rest.AsPartialObjectMetadata})
	if meta.Kind != "PartialObjectMetadata" || meta.Annotations[metav1.InitialEventsAnnotationKey] != "true" {
		t.Errorf("the bookmark's metadata is %+v", meta)
	}
	for _, transform := range []rest.Transform{rest.AsTable, rest.AsPartialObjectMetadata} {
		if status := read[metav1.Status](t, as{s.mustDelete(), transform}); status.Kind != "Status" {
			t.Errorf("a deletion answers %+v", status)
		}
		s.mustCreate(`{"metadata":{"name":"w"}}`)
	}
}

func BenchmarkTable(b *testing.B) {
	for name, serve := range map[string]func() rest.Resource{
		"name and age": func() rest.Resource { served, _ := benchServer(b, 0); return served[0] },
		"columns":      func() rest.Resource { v1, _ := columnsOf(b); return v1 },
	} {
		b.Run(name, func(b *testing.B) {
			r := serve()
			for i := range 1000 {
				if _, err := r.Create.Create(ctx, new(rest.Request), rest.Name{Namespace: "ns"}, largeWidget(fmt.Sprintf("w%06d", i)), metav1.CreateOptions{}); err != nil {
					b.Fatal(err)
				}
			}
			b.ReportAllocs()
			for b.Loop() {
				view, err := r.List.List(ctx, "ns", metav1.ListOptions{})
				if err == nil {
					err = view.WriteTo(io.Discard, rest.Representation{MediaType: rest.JSON, As: rest.AsTable})
				}
				if err != nil {
					b.Fatal(err)
				}
			}
		})
	}
}

// TestKeptRows: a row out of the cache is the row that was made, with the metadata that the object
// has.
func TestKeptRows(t *testing.T) {
	s := serve(t, strategy{})
	for i := range 3 {
		s.mustCreate(fmt.Sprintf(`{"metadata":{"name":"w%d","labels":{"a":"b"},"annotations":{"c":"],\"object\":{}}}"}}}`, i))
	}
	list := func() rest.View {
		view, err := s.v1.List.List(ctx, "ns", metav1.ListOptions{})
		if err != nil {
			t.Fatal(err)
		}
		return view
	}
	objects := read[metav1.PartialObjectMetadataList](t, list()).Items
	for _, include := range []metav1.IncludeObjectPolicy{"", metav1.IncludeMetadata, metav1.IncludeObject} {
		for range 3 {
			table := read[metav1.Table](t, includes{list(), include})
			if len(table.Rows) != len(objects) {
				t.Fatalf("%d rows of %d objects", len(table.Rows), len(objects))
			}
			for i, row := range table.Rows {
				var got metav1.PartialObjectMetadata
				if err := json.Unmarshal(row.Object.Raw, &got); err != nil {
					t.Fatal(err)
				}
				if row.Cells[0] != objects[i].Name || got.Kind == "" || !reflect.DeepEqual(got.ObjectMeta, objects[i].ObjectMeta) {
					t.Errorf("%q: %v %s of %+v", include, row.Cells, row.Object.Raw, objects[i])
				}
			}
		}
	}
}

// includes is a view as a Table, whose rows have what the policy says.
type includes struct {
	rest.View
	policy metav1.IncludeObjectPolicy
}

func (v includes) WriteTo(w io.Writer, form rest.Representation) error {
	form.As, form.IncludeObject = rest.AsTable, v.policy
	return v.View.WriteTo(w, form)
}
