package registry_test

import (
	"bytes"
	"testing"

	"github.com/google/go-cmp/cmp"
	autoscalingv1 "k8s.io/api/autoscaling/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/typeplane/typeplane/registry/rest"
	"github.com/typeplane/typeplane/runtime/wire"
)

func aScale(replicas int32) *autoscalingv1.Scale {
	return &autoscalingv1.Scale{ObjectMeta: metav1.ObjectMeta{Name: "w"}, Spec: autoscalingv1.ScaleSpec{Replicas: replicas}}
}

// scale writes the scale subresource of "w" in a version.
func (p parts) scale(version string, scale *autoscalingv1.Scale) (*autoscalingv1.Scale, error) {
	p.t.Helper()
	view, _, err := p.of[version+"/scale"].Update.Update(ctx, new(rest.Request), named, scale, metav1.UpdateOptions{})
	if err != nil {
		return nil, err
	}
	return read[*autoscalingv1.Scale](p.t, view), nil
}

func TestScale(t *testing.T) {
	p := serveParts(t, strategy{})
	obj := p.mustCreate(`{"metadata":{"name":"w","labels":{"a":"b"}},"spec":{"color":"green","replicas":2,"options":{"tier":"web","app":"shop"}}}`)
	seen := int64(7)
	obj.Status.Seen = &seen
	obj, err := p.updateStatus(obj)
	if err != nil {
		t.Fatal(err)
	}

	view, err := p.of["v1/scale"].Get.Get(ctx, named, metav1.GetOptions{})
	if err != nil {
		t.Fatal(err)
	}
	want := &autoscalingv1.Scale{
		TypeMeta: metav1.TypeMeta{Kind: "Scale", APIVersion: "autoscaling/v1"},
		ObjectMeta: metav1.ObjectMeta{
			Name: "w", Namespace: "ns", UID: obj.UID, ResourceVersion: obj.ResourceVersion, CreationTimestamp: obj.CreationTimestamp,
		},
		Spec:   autoscalingv1.ScaleSpec{Replicas: 2},
		Status: autoscalingv1.ScaleStatus{Replicas: 7, Selector: "app=shop,tier=web"},
	}
	got := read[*autoscalingv1.Scale](t, view)
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("read (-want +got)\n%s", diff)
	}
	var b bytes.Buffer
	if err := view.WriteTo(&b, rest.Representation{MediaType: rest.Protobuf}); err != nil {
		t.Fatal(err)
	}
	envelope, err := wire.ParseEnvelope(b.Bytes())
	decoded := new(autoscalingv1.Scale)
	if err != nil || string(envelope.APIVersion) != "autoscaling/v1" || string(envelope.Kind) != "Scale" || decoded.Unmarshal(envelope.Raw) != nil || decoded.Status != want.Status {
		t.Errorf("as protobuf: %v %+v", err, decoded)
	}

	got.Spec.Replicas, got.Status = 5, autoscalingv1.ScaleStatus{Replicas: 99, Selector: "forged=yes"}
	scaled, err := p.scale("v1", got)
	if err != nil {
		t.Fatal(err)
	}
	after := p.mustGet(named)
	want.Spec.Replicas, want.ResourceVersion = 5, after.ResourceVersion
	if diff := cmp.Diff(want, scaled); diff != "" {
		t.Errorf("scaled (-want +got)\n%s", diff)
	}
	five := int32(5)
	obj.Spec.Replicas, obj.Generation, obj.ResourceVersion = &five, 2, after.ResourceVersion
	if diff := cmp.Diff(obj, after); diff != "" {
		t.Errorf("the object after it (-want +got)\n%s", diff)
	}

	// Without a resourceVersion it is meant for whatever is there; nothing new writes nothing.
	before := p.Revision()
	if _, err := p.scale("v1", aScale(5)); err != nil || p.Revision() != before {
		t.Errorf("the same scale again: %v, revision %d, was %d", err, p.Revision(), before)
	}
	if _, err := p.scale("v1", aScale(0)); err != nil || *p.mustGet(named).Spec.Replicas != 0 {
		t.Errorf("scaled to nothing: %v, %+v", err, p.mustGet(named).Spec)
	}
	view, _, err = p.of["v1/scale"].Update.Update(ctx, new(rest.Request), named, aScale(3), metav1.UpdateOptions{DryRun: []string{"All"}})
	if err != nil || read[*autoscalingv1.Scale](t, view).Spec.Replicas != 3 || *p.mustGet(named).Spec.Replicas != 0 {
		t.Errorf("dry run: %v", err)
	}
}

func TestScaleIsGuarded(t *testing.T) {
	p := serveParts(t, strategy{AllowCreateOnUpdate: true})
	_, err := p.scale("v1", aScale(1))
	wantStatus(t, err, 404, "NotFound", `widgets.shop.example.com "w" not found`)
	_, err = p.of["v1/scale"].Get.Get(ctx, named, metav1.GetOptions{})
	wantStatus(t, err, 404, "NotFound", `widgets.shop.example.com "w" not found`)

	obj := p.mustCreate(`{"metadata":{"name":"w"}}`)
	for name, tc := range map[string]struct {
		change func(*autoscalingv1.Scale)
		code   int32
	}{
		"a negative number":    {func(s *autoscalingv1.Scale) { s.Spec.Replicas = -1 }, 422},
		"an old version":       {func(s *autoscalingv1.Scale) { s.ResourceVersion = "1000" }, 409},
		"no version":           {func(s *autoscalingv1.Scale) { s.ResourceVersion = "x" }, 422},
		"another object":       {func(s *autoscalingv1.Scale) { s.UID = "another" }, 409},
		"another name":         {func(s *autoscalingv1.Scale) { s.Name = "other" }, 400},
		"in another namespace": {func(s *autoscalingv1.Scale) { s.Namespace = "other" }, 400},
	} {
		scale := aScale(5)
		tc.change(scale)
		if _, err := p.scale("v1", scale); err == nil || status(t, err).Code != tc.code {
			t.Errorf("%s: %v, want a %d", name, err, tc.code)
		}
	}
	_, err = p.scale("v1", aScale(-1))
	wantStatus(t, err, 422, "Invalid", `Scale.autoscaling "w" is invalid: spec.replicas: Invalid value: -1: must be greater than or equal to 0`)
	if diff := cmp.Diff(obj, p.mustGet(named)); diff != "" {
		t.Errorf("a refused scale changed the object\n%s", diff)
	}
}
