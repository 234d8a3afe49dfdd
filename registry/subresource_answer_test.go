package registry_test

import (
	"bytes"
	"context"
	"strings"
	"testing"

	autoscalingv1 "k8s.io/api/autoscaling/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	apiruntime "k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"sigs.k8s.io/yaml"

	"github.com/typeplane/typeplane/registry"
	"github.com/typeplane/typeplane/registry/rest"
	"github.com/typeplane/typeplane/runtime/runtimetest/widget"
	"github.com/typeplane/typeplane/runtime/wire"
)

// TestKindOfAnswers has functions of subresources return objects without kind and apiVersion.
func TestKindOfAnswers(t *testing.T) {
	var answer apiruntime.Object
	anything := registry.Getter("anything", paintKind, func(context.Context, *widget.Widget) (apiruntime.Object, error) { return answer, nil })
	act := registry.Action("act", paintKind, paintKind, func(context.Context, *registry.Parent[*widget.Widget], *paint) (apiruntime.Object, error) {
		return answer, nil
	})
	s, parts := serveAuthored(t, strategy{}, nil, anything, act)
	s.mustCreate(`{"metadata":{"name":"w"},"spec":{"color":"green"}}`)
	verbs := map[string]func() (rest.View, error){
		"get": func() (rest.View, error) {
			return parts["anything"].Get.Get(ctx, named, metav1.GetOptions{})
		},
		"create": func() (rest.View, error) {
			return parts["act"].Create.Create(ctx, new(rest.Request), named, new(paint), metav1.CreateOptions{})
		},
		"a verb of one's own": func() (rest.View, error) { return registry.Answer(answer), nil },
	}
	meta := metav1.SchemeGroupVersion
	other := paintKind.GroupVersion().WithKind("Named")
	for _, tc := range []struct {
		make func() apiruntime.Object
		want schema.GroupVersionKind // empty: it is an error
	}{
		{func() apiruntime.Object { return new(metav1.Status) }, schema.GroupVersionKind{Version: "v1", Kind: "Status"}},
		{func() apiruntime.Object { return new(metav1.Table) }, meta.WithKind("Table")},
		{func() apiruntime.Object { return new(metav1.PartialObjectMetadata) }, meta.WithKind("PartialObjectMetadata")},
		{func() apiruntime.Object { return new(metav1.PartialObjectMetadataList) }, meta.WithKind("PartialObjectMetadataList")},
		{func() apiruntime.Object { return new(autoscalingv1.Scale) }, autoscalingv1.SchemeGroupVersion.WithKind("Scale")},
		{func() apiruntime.Object { return new(widget.V1) }, widget.GV1.WithKind("Widget")},
		{func() apiruntime.Object { return new(widget.V1beta1) }, widget.GV1beta1.WithKind("Widget")},
		{func() apiruntime.Object {
			p := new(paint)
			p.SetGroupVersionKind(other)
			return p
		}, other},
		{func() apiruntime.Object { return new(paint) }, schema.GroupVersionKind{}},
		{func() apiruntime.Object { return new(widget.Widget) }, schema.GroupVersionKind{}}, // a hub has no version
	} {
		for verb, do := range verbs {
			for _, form := range []rest.MediaType{rest.JSON, rest.YAML, rest.Protobuf} {
				answer = tc.make()
				if verb == "a verb of one's own" && tc.want.Kind == "Widget" {
					continue // it knows no registered kinds
				}
				view, err := do()
				var out bytes.Buffer
				if err == nil {
					err = view.WriteTo(&out, rest.Representation{MediaType: form})
				}
				if tc.want.Empty() {
					if !apierrors.IsInternalError(err) || !strings.Contains(err.Error(), "without kind and apiVersion") {
						t.Errorf("%s of %T as %s: %v", verb, answer, form, err)
					}
					continue
				}
				if err != nil {
					if form == rest.Protobuf && strings.Contains(err.Error(), "has no protobuf form") {
						continue
					}
					t.Errorf("%s of %T as %s: %v", verb, answer, form, err)
					continue
				}
				if got := kindIn(t, out.Bytes(), form); got != tc.want {
					t.Errorf("%s of %T as %s: %s, want %s", verb, answer, form, got, tc.want)
				}
			}
		}
	}
}

// kindIn reads the kind of an answer.
func kindIn(t *testing.T, data []byte, form rest.MediaType) schema.GroupVersionKind {
	t.Helper()
	var of metav1.TypeMeta
	if form == rest.Protobuf {
		envelope, err := wire.ParseEnvelope(data)
		if err != nil {
			t.Fatal(err)
		}
		of = metav1.TypeMeta{APIVersion: string(envelope.APIVersion), Kind: string(envelope.Kind)}
	} else if err := yaml.Unmarshal(data, &of); err != nil {
		t.Fatal(err)
	}
	return of.GroupVersionKind()
}

// A function that returns nothing and no error is at fault, and not the client.
func TestMissingAnswer(t *testing.T) {
	typed := registry.Getter("typed", paintKind, func(context.Context, *widget.Widget) (*paint, error) { return nil, nil })
	untyped := registry.Getter("untyped", paintKind, func(context.Context, *widget.Widget) (apiruntime.Object, error) { return nil, nil })
	s, parts := serveAuthored(t, strategy{}, nil, typed, untyped)
	s.mustCreate(`{"metadata":{"name":"w"},"spec":{"color":"green"}}`)
	for name, r := range parts {
		if name != "typed" && name != "untyped" {
			continue
		}
		_, err := r.Get.Get(ctx, named, metav1.GetOptions{})
		if want := "subresource " + name + ": there is no answer and no error"; !apierrors.IsInternalError(err) || !strings.Contains(err.Error(), want) {
			t.Errorf("%v, want %s", err, want)
		}
	}
}
