package registry

import (
	"encoding/json"
	"fmt"
	"reflect"

	autoscalingv1 "k8s.io/api/autoscaling/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/typeplane/typeplane/registry/internal/patch"
	"github.com/typeplane/typeplane/registry/ownership"
	"github.com/typeplane/typeplane/registry/rest"
	"github.com/typeplane/typeplane/runtime"
	"github.com/typeplane/typeplane/runtime/serializer"
	"github.com/typeplane/typeplane/storage"
)

// An apply patch of a Scale is one of the object behind it, of the field with the replicas: so
// whoever owns that field there is asked, and who applies owns it by the subresource scale and in
// the object's version, as in Kubernetes. One that leaves the replicas out gives them up. What it
// says of the status has no effect.

// readApplied reads an apply patch of a Scale, and makes it one of the object.
func (s *scaleEndpoint) readApplied(notes *rest.Notes, text []byte, opts metav1.PatchOptions) (appliedPatch, error) {
	return readApplied(notes, text, opts, s.readContent)
}

// readContent is endpoint.readContent for a Scale.
func (s *scaleEndpoint) readContent(data []byte) (applied appliedPatch, strict []error, err error) {
	if strict, err = patch.ReadObject(data, &applied.content); err != nil {
		return applied, nil, err
	}
	if err := checkApplied(applied.content, scaleKind); err != nil {
		return applied, nil, err
	}
	plain, err := json.Marshal(applied.content) // without fields that are there twice
	if err != nil {
		return applied, nil, apierrors.NewInternalError(err)
	}
	_, unknown, err := serializer.DecodeInto(plain, serializer.JSON, scaleKind, new(autoscalingv1.Scale))
	if err == nil && len(unknown) > 0 {
		err = unknown[0]
	}
	if err != nil {
		return applied, nil, patch.Bad(err)
	}
	applied.content = s.parentContent(applied.content)
	return applied, strict, nil
}

// parentContent is what the content of a Scale says about the object behind it.
func (s *scaleEndpoint) parentContent(scale map[string]any) map[string]any {
	kind := s.of.kind.GroupVersionKind()
	content := map[string]any{"apiVersion": kind.GroupVersion().String(), "kind": kind.Kind}
	sent, _ := scale["metadata"].(map[string]any)
	meta := map[string]any{}
	for _, field := range []string{"name", "namespace", "uid", "resourceVersion"} {
		if value, ok := sent[field]; ok {
			meta[field] = value
		}
	}
	content["metadata"] = meta
	spec, _ := scale["spec"].(map[string]any)
	if replicas, ok := spec["replicas"]; ok {
		put(content, s.replicas, replicas)
	}
	return content
}

// put sets a field, and makes the objects around it.
func put(in map[string]any, path ownership.Path, value any) {
	for _, name := range path[:len(path)-1] {
		inner, ok := in[name].(map[string]any)
		if !ok {
			inner = map[string]any{}
			in[name] = inner
		}
		in = inner
	}
	in[path[len(path)-1]] = value
}

// applied makes the next Scale of a stored object by an apply patch of the object.
func (s *scaleEndpoint) applied(patch appliedPatch, name rest.Name, opts metav1.PatchOptions, current storage.Entry, old runtime.Object) (wanted, error) {
	e := s.of
	live, err := e.live(old, current)
	if err != nil {
		return wanted{}, apierrors.NewInternalError(err)
	}
	runtime.Meta(live).ResourceVersion = storage.FormatRevision(current.Revision)
	hub, _, err := e.applyTo(live, patch, name, opts)
	if err != nil {
		return wanted{}, err
	}
	next, err := e.fromHub(hub)
	if err != nil {
		return wanted{}, apierrors.NewInternalError(err)
	}
	return wanted{scale: s.scaleOf(next), applied: true, owners: runtime.Meta(hub).ManagedFields}, nil
}

// replicasPath finds the field that SetReplicas of a kind sets, by setting it.
func replicasPath(kind *runtime.Kind) (ownership.Path, error) {
	with := func(replicas int32) (fields map[string]any, err error) {
		obj := kind.New()
		kind.SetReplicas(obj, replicas)
		text, err := serializer.AppendKind(nil, kind, obj, serializer.JSON, false)
		if err != nil {
			return nil, err
		}
		return fields, json.Unmarshal(text, &fields)
	}
	one, err := with(1)
	if err != nil {
		return nil, err
	}
	two, err := with(2)
	if err != nil {
		return nil, err
	}
	path := difference(one, two)
	if path == nil {
		return nil, fmt.Errorf("SetReplicas of %s sets no field that its JSON shows", kind.GroupVersionKind())
	}
	return path, nil
}

// difference is the path of the field that b has and a has not, or with another value; nil if there
// is none.
func difference(a, b map[string]any) ownership.Path {
	for name, value := range b {
		was, _ := a[name].(map[string]any)
		is, ok := value.(map[string]any)
		switch {
		case reflect.DeepEqual(a[name], value):
		case was != nil && ok:
			return append(ownership.Path{name}, difference(was, is)...)
		default:
			return ownership.Path{name}
		}
	}
	return nil
}
