package registry_test

import (
	"fmt"
	"testing"

	autoscalingv1 "k8s.io/api/autoscaling/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/apimachinery/pkg/types"

	"github.com/typeplane/typeplane/registry"
	"github.com/typeplane/typeplane/registry/rest"
	"github.com/typeplane/typeplane/runtime/runtimetest/widget"
	"github.com/typeplane/typeplane/storage/memory"
)

// serveStored serves widgets in the version without protobuf and in v1, and creates "w". It returns
// the resources by version and subresource.
func serveStored(t *testing.T, stored schema.GroupVersion, s strategy) map[string]rest.Resource {
	t.Helper()
	def, opts := definition(s), registry.Options{StorageVersion: stored, Schemas: widgetSchemas(t)}
	def.Versions, def.CopyStatus = []schema.GroupVersion{widget.GVOld, widget.GV1}, widget.CopyStatus
	resource := registry.Define(def)
	form, err := resource.Form(widget.Scheme(), opts)
	if err != nil {
		t.Fatal(err)
	}
	served, err := resource.Serve(widget.Scheme(), memory.New(memory.Config{Database: memory.NewDatabase(), Root: "/registry", Form: form}), opts)
	if err != nil {
		t.Fatal(err)
	}
	out := map[string]rest.Resource{}
	for _, r := range served {
		out[r.GroupVersion.Version+"/"+r.Subresource] = r
	}
	if _, err := out["v1/"].Create.Create(ctx, new(rest.Request), rest.Name{Namespace: "ns"}, parse(t, widget.GV1, `{"metadata":{"name":"w"},"spec":{"color":"green","replicas":2}}`), metav1.CreateOptions{}); err != nil {
		t.Fatal(err)
	}
	return out
}

// An update of a kind that is stored as a document names the resourceVersion, as that of a custom
// resource, unless the strategy allows it to leave it out. Others may leave it out, unless the
// strategy forbids it. A patch has the stored one, and a Scale needs none.
func TestUnconditionalUpdates(t *testing.T) {
	for _, tc := range []struct {
		stored  schema.GroupVersion
		allowed *bool
		want    bool
	}{
		{widget.GVOld, nil, false}, {widget.GVOld, new(true), true}, {widget.GVOld, new(false), false},
		{widget.GV1, nil, true}, {widget.GV1, new(true), true}, {widget.GV1, new(false), false},
	} {
		served := serveStored(t, tc.stored, strategy{AllowUnconditionalUpdate: tc.allowed})
		check := func(name string, err error, allowed bool, resource string) {
			t.Helper()
			name = fmt.Sprintf("%s, stored in %s, allowed %v", name, tc.stored, tc.want)
			if allowed {
				if err != nil {
					t.Errorf("%s: %v", name, err)
				}
				return
			}
			if err == nil {
				t.Errorf("%s is accepted", name)
				return
			}
			wantStatus(t, err, 422, "Invalid", resource+` "w" is invalid: metadata.resourceVersion: Invalid value: 0: must be specified for an update`)
		}
		current := func() string {
			view, err := served["v1/"].Get.Get(ctx, named, metav1.GetOptions{})
			if err != nil {
				t.Fatal(err)
			}
			return read[*widget.V1](t, view).ResourceVersion
		}
		put := func(r rest.Resource, gv schema.GroupVersion, text string) error {
			body := rest.Document{Body: parse(t, gv, text), JSON: []byte(text)}
			_, _, err := r.Update.Update(ctx, new(rest.Request), named, body, metav1.UpdateOptions{})
			return err
		}
		for _, revision := range []string{``, `,"resourceVersion":""`, `,"resourceVersion":"0"`} {
			meta := `{"metadata":{"name":"w"` + revision + `}`
			check("update in v1"+revision, put(served["v1/"], widget.GV1, meta+`,"spec":{"color":"red"}}`), tc.want, "widgets.shop.example.com")
			check("update without protobuf"+revision, put(served["v1alpha1/"], widget.GVOld, meta+`,"paint":"blue","count":1}`), tc.want, "widgets.legacy.example.com")
			check("status"+revision, put(served["v1/status"], widget.GV1, meta+`,"status":{"phase":"Ready"}}`), tc.want, "widgets.shop.example.com")
		}
		check("update with it", put(served["v1/"], widget.GV1, `{"metadata":{"name":"w","resourceVersion":"`+current()+`"},"spec":{"color":"red"}}`), true, "")
		for _, sub := range []string{"v1/", "v1/status"} {
			for typ, text := range map[types.PatchType]string{
				types.MergePatchType:          `{"metadata":{"labels":{"a":"b"}},"status":{"phase":"x"}}`,
				types.StrategicMergePatchType: `{"metadata":{"labels":{"a":"c"}},"status":{"phase":"y"}}`,
				types.JSONPatchType:           `[{"op":"add","path":"/metadata/labels","value":{"a":"d"}}]`,
				types.ApplyYAMLPatchType:      `{"apiVersion":"shop.example.com/v1","kind":"Widget","metadata":{"name":"w"},"status":{"phase":"z"}}`,
			} {
				opts := metav1.PatchOptions{}
				if typ == types.ApplyYAMLPatchType {
					opts.FieldManager, opts.Force = "me", new(true)
				}
				_, _, err := served[sub].Patch.Patch(ctx, new(rest.Request), named, rest.Patch{Type: typ, Bytes: []byte(text)}, opts)
				check(fmt.Sprintf("%s of %q", typ, sub), err, true, "")
			}
			_, _, err := patchAs(served[sub], types.MergePatchType, `{"metadata":{"resourceVersion":null}}`, metav1.PatchOptions{})
			check("a patch that takes it out", err, tc.want, "widgets.shop.example.com")
		}
		scale := &autoscalingv1.Scale{ObjectMeta: metav1.ObjectMeta{Name: "w"}, Spec: autoscalingv1.ScaleSpec{Replicas: 4}}
		_, _, err := served["v1/scale"].Update.Update(ctx, new(rest.Request), named, scale, metav1.UpdateOptions{})
		check("scale", err, true, "")
		scale.ResourceVersion = "1"
		_, _, err = served["v1/scale"].Update.Update(ctx, new(rest.Request), named, scale, metav1.UpdateOptions{})
		if err == nil || status(t, err).Code != 409 {
			t.Errorf("a Scale of another version: %v", err)
		}
	}
}
