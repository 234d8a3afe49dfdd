package registry_test

import (
	"bytes"
	"encoding/json"
	"fmt"
	"regexp"
	"strings"
	"testing"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"sigs.k8s.io/yaml"

	"github.com/typeplane/typeplane/registry/rest"
	"github.com/typeplane/typeplane/runtime/wire"
)

func partialOf(meta metav1.ObjectMeta) metav1.PartialObjectMetadata {
	return metav1.PartialObjectMetadata{
		TypeMeta:   metav1.TypeMeta{Kind: "PartialObjectMetadata", APIVersion: "meta.k8s.io/v1"},
		ObjectMeta: meta,
	}
}

// written is what a view writes in a form.
func written(t *testing.T, view rest.View, form rest.Representation) string {
	t.Helper()
	var out bytes.Buffer
	if err := view.WriteTo(&out, form); err != nil {
		t.Fatalf("%+v: %v", form, err)
	}
	return out.String()
}

// young are the ages of objects that a test made.
var young = regexp.MustCompile(`\b\ds\b`)

// wantForms checks that a view writes itself as if value, whose protobuf is raw, were encoded as a
// whole.
func wantForms(t *testing.T, view rest.View, form rest.Representation, value any, kind string, raw []byte) {
	t.Helper()
	compact, err := json.Marshal(value)
	if err != nil {
		t.Fatal(err)
	}
	pretty, err := json.MarshalIndent(value, "", "  ")
	if err != nil {
		t.Fatal(err)
	}
	asYAML, err := yaml.JSONToYAML(compact)
	if err != nil {
		t.Fatal(err)
	}
	check := func(name string, form rest.Representation, want string) {
		t.Helper()
		if got := young.ReplaceAllString(written(t, view, form), "0s"); got != want {
			t.Errorf("%s:\n%s\nwant\n%s", name, got, want)
		}
	}
	form.MediaType = rest.JSON
	check("JSON", form, string(compact)+"\n")
	form.MediaType = rest.YAML
	check("YAML", form, string(asYAML))
	form.MediaType, form.Pretty = rest.JSON, true
	check("pretty JSON", form, string(pretty)+"\n")
	if raw != nil {
		check("protobuf", rest.Representation{MediaType: rest.Protobuf, As: form.As}, string(wire.AppendEnvelope(nil, "meta.k8s.io/v1", kind, raw)))
	}
}

// The metadata alone is that of the object in the asked version, whether that is the stored one or
// has no protobuf.
func TestPartialObjectMetadata(t *testing.T) {
	s := serve(t, strategy{})
	form := rest.Representation{As: rest.AsPartialObjectMetadata}
	list := metav1.PartialObjectMetadataList{TypeMeta: metav1.TypeMeta{Kind: "PartialObjectMetadataList", APIVersion: "meta.k8s.io/v1"}}
	for i := range 3 {
		w := s.mustCreate(fmt.Sprintf(`{"metadata":{"name":"w%d","labels":{"app":"shop"},"annotations":{"html":"<&>"},"finalizers":["example.com/f"]},"spec":{"color":"green"}}`, i))
		list.Items = append(list.Items, partialOf(w.ObjectMeta))
	}
	list.ResourceVersion = fmt.Sprint(s.Revision())
	raw, err := list.Items[1].Marshal()
	if err != nil {
		t.Fatal(err)
	}
	rawList, err := list.Marshal()
	if err != nil {
		t.Fatal(err)
	}
	for name, r := range map[string]rest.Resource{"stored": s.v1, "converted": s.beta, "converted, without protobuf": s.old} {
		t.Run(name, func(t *testing.T) {
			view, err := r.Get.Get(ctx, rest.Name{Namespace: "ns", Name: "w1"}, metav1.GetOptions{})
			if err != nil {
				t.Fatal(err)
			}
			wantForms(t, view, form, list.Items[1], "PartialObjectMetadata", raw)
			wantBeta(t, view, "PartialObjectMetadata", raw)
			view, err = r.List.List(ctx, "ns", metav1.ListOptions{})
			if err != nil {
				t.Fatal(err)
			}
			wantForms(t, view, form, list, "PartialObjectMetadataList", rawList)
			wantBeta(t, view, "PartialObjectMetadataList", rawList)
		})
	}
}

// wantBeta checks that a view writes the metadata as v1beta1, which has the fields of v1.
func wantBeta(t *testing.T, view rest.View, kind string, raw []byte) {
	t.Helper()
	form := rest.Representation{MediaType: rest.JSON, As: rest.AsPartialObjectMetadata}
	want := strings.ReplaceAll(written(t, view, form), `"meta.k8s.io/v1"`, `"meta.k8s.io/v1beta1"`)
	form.AsVersion = "v1beta1"
	if got := written(t, view, form); got != want {
		t.Errorf("JSON: got\n%s\nwant\n%s", got, want)
	}
	form.MediaType = rest.Protobuf
	if got, want := written(t, view, form), string(wire.AppendEnvelope(nil, "meta.k8s.io/v1beta1", kind, raw)); got != want {
		t.Errorf("protobuf: got\n%q\nwant\n%q", got, want)
	}
}

func TestPartialListInPieces(t *testing.T) {
	s := serve(t, strategy{})
	for i := range 400 {
		s.mustCreate(fmt.Sprintf(`{"metadata":{"name":"w%03d","annotations":{"x":%q}}}`, i, strings.Repeat("x", i*3)))
	}
	view, err := s.v1.List.List(ctx, "", metav1.ListOptions{Limit: 350})
	if err != nil {
		t.Fatal(err)
	}
	for _, form := range []rest.Representation{
		{MediaType: rest.JSON, As: rest.AsPartialObjectMetadata}, {MediaType: rest.Protobuf, As: rest.AsPartialObjectMetadata}, {MediaType: rest.JSON, As: rest.AsTable},
	} {
		var got countingWriter
		if err := view.WriteTo(&got, form); err != nil {
			t.Fatal(err)
		}
		if got.writes < 3 || got.largest > 80<<10 {
			t.Errorf("%+v: %d bytes in %d writes, the largest of %d", form, got.Len(), got.writes, got.largest)
		}
	}
	page := read[metav1.PartialObjectMetadataList](t, as{view, rest.AsPartialObjectMetadata})
	if len(page.Items) != 350 || page.Continue == "" || page.RemainingItemCount == nil || *page.RemainingItemCount != 50 {
		t.Errorf("%d items and %+v, want a page of 350", len(page.Items), page.ListMeta)
	}
}
