package registry_test

import (
	"strings"
	"testing"

	"k8s.io/apimachinery/pkg/runtime/schema"

	"github.com/typeplane/typeplane/registry"
	"github.com/typeplane/typeplane/registry/rest"
	"github.com/typeplane/typeplane/runtime/runtimetest/widget"
)

func TestServeDescribesTheResource(t *testing.T) {
	s := serve(t, strategy{})
	r := s.old
	if r.GroupVersion != widget.GVOld || r.Kind != "Widget" || r.ListKind != "WidgetList" || r.Name != "widgets" || r.Singular != "widget" || !r.Namespaced || r.StorageVersion != widget.GV1 {
		t.Errorf("%+v", r)
	}
	if r.Get == nil || r.List == nil || r.Watch == nil || r.Create == nil || r.Update == nil || r.Delete == nil {
		t.Error("a verb is missing")
	}
}

func TestKeyPrefix(t *testing.T) {
	for group, want := range map[string]string{
		"":                        "/widgets/",
		"apps":                    "/widgets/",
		"policy":                  "/widgets/",
		"coordination.k8s.io":     "/widgets/",
		"shop.example.com":        "/shop.example.com/widgets/",
		"k8s.io.shop.example.com": "/k8s.io.shop.example.com/widgets/",
		"myk8s.io":                "/myk8s.io/widgets/",
	} {
		r := registry.Define(registry.Definition[*widget.Widget]{GroupKind: schema.GroupKind{Group: group, Kind: "Widget"}, Plural: "widgets"})
		if r.KeyPrefix() != want {
			t.Errorf("group %q: %s, want %s", group, r.KeyPrefix(), want)
		}
	}
}

func TestMistakesInADefinition(t *testing.T) {
	good := registry.Definition[*widget.Widget]{GroupKind: widget.GroupKind, Plural: "widgets", StorageVersion: widget.GV1, Versions: []schema.GroupVersion{widget.GV1}}
	v9 := schema.GroupVersion{Group: "shop.example.com", Version: "v9"}
	for _, tc := range []struct {
		name   string
		change func(*registry.Definition[*widget.Widget], *registry.Options)
		want   []string
	}{
		{"nothing", func(*registry.Definition[*widget.Widget], *registry.Options) {}, nil},
		{"unknown kind", func(d *registry.Definition[*widget.Widget], _ *registry.Options) { d.GroupKind.Kind = "Gadget" },
			[]string{"the scheme has no such hub"}},
		{"several at once", func(d *registry.Definition[*widget.Widget], o *registry.Options) {
			d.Plural, d.Versions, d.StorageVersion, o.StorageMediaType = "Widgets", []schema.GroupVersion{v9, widget.GV1, widget.GV1}, v9, "application/cbor"
		}, []string{
			"the plural must be a lower-case path segment",
			"version shop.example.com/v9 is not one of its hub",
			"version shop.example.com/v1 is served twice",
			`the storage version "shop.example.com/v9" is not one of its hub: choose one of shop.example.com/v1, shop.example.com/v1beta1, legacy.example.com/v1alpha1`,
			`objects can't be stored as "application/cbor"`,
		}},
		{"no versions", func(d *registry.Definition[*widget.Widget], _ *registry.Options) { d.Versions = nil }, []string{"no version is served"}},
		{"storage without protobuf", func(_ *registry.Definition[*widget.Widget], o *registry.Options) { o.StorageVersion = widget.GVOld }, nil},
	} {
		t.Run(tc.name, func(t *testing.T) {
			d, o := good, registry.Options{StorageMediaType: rest.Protobuf}
			tc.change(&d, &o)
			_, formErr := registry.Define(d).Form(widget.Scheme(), o)
			_, err := registry.Define(d).Serve(widget.Scheme(), nil, o)
			if (err == nil) != (tc.want == nil) || (err == nil) != (formErr == nil) {
				t.Fatalf("Serve: %v, Form: %v", err, formErr)
			}
			for _, want := range tc.want {
				if !strings.Contains(err.Error(), want) {
					t.Errorf("%v\nlacks %s", err, want)
				}
			}
			if err != nil && strings.Count(err.Error(), "\n")+1 != len(tc.want) {
				t.Errorf("want %d mistakes:\n%v", len(tc.want), err)
			}
		})
	}
	wrong := registry.Define(registry.Definition[*widget.V1]{GroupKind: widget.GroupKind, Plural: "widgets", StorageVersion: widget.GV1, Versions: []schema.GroupVersion{widget.GV1}})
	if _, err := wrong.Form(widget.Scheme(), registry.Options{}); err == nil || !strings.Contains(err.Error(), "its hub type is *widget.Widget, the definition is for *widget.V1") {
		t.Errorf("another hub type: %v", err)
	}
}
