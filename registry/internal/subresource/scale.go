package subresource

import (
	"encoding/json"
	"fmt"
	"reflect"

	autoscalingv1 "k8s.io/api/autoscaling/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/apimachinery/pkg/util/validation/field"

	"github.com/typeplane/typeplane/internal/ownership"
	"github.com/typeplane/typeplane/registry/internal/view"
	"github.com/typeplane/typeplane/registry/rest"
	"github.com/typeplane/typeplane/runtime"
	"github.com/typeplane/typeplane/runtime/serializer"
)

// ScaleKind is what the subresource scale takes and answers, of every kind.
var ScaleKind = schema.GroupVersionKind{Group: "autoscaling", Version: "v1", Kind: "Scale"}

// NewScale makes an empty one for a body.
func NewScale() rest.Body { return new(autoscalingv1.Scale) }

// Replicas are the field of a kind that spec.replicas of its Scale stands for.
type Replicas struct {
	kind *runtime.Kind
	path ownership.Path
}

// ReplicasOf finds the field that SetReplicas of a kind sets, by setting it.
func ReplicasOf(kind *runtime.Kind) (*Replicas, error) {
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
	return &Replicas{kind, path}, nil
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

// Scale shows an object of the version.
func (r *Replicas) Scale(obj runtime.Object) *autoscalingv1.Scale {
	meta, scale := runtime.Meta(obj), r.kind.Scale(obj)
	return &autoscalingv1.Scale{
		TypeMeta: metav1.TypeMeta{Kind: ScaleKind.Kind, APIVersion: ScaleKind.GroupVersion().String()},
		ObjectMeta: metav1.ObjectMeta{
			Name:              meta.Name,
			Namespace:         meta.Namespace,
			UID:               meta.UID,
			ResourceVersion:   meta.ResourceVersion,
			CreationTimestamp: meta.CreationTimestamp,
		},
		Spec:   autoscalingv1.ScaleSpec{Replicas: scale.Replicas},
		Status: autoscalingv1.ScaleStatus{Replicas: scale.Current, Selector: scale.Selector},
	}
}

// Content is what the content of a Scale says about the object behind it.
func (r *Replicas) Content(scale map[string]any) map[string]any {
	kind := r.kind.GroupVersionKind()
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
		put(content, r.path, replicas)
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

// ValidateScale says what is wrong with a Scale, as an API status.
func ValidateScale(scale *autoscalingv1.Scale) error {
	if scale.Spec.Replicas >= 0 {
		return nil
	}
	return rest.Invalid(ScaleKind.GroupKind(), scale.Name, field.ErrorList{
		field.Invalid(field.NewPath("spec", "replicas"), scale.Spec.Replicas, "must be greater than or equal to 0"),
	})
}

// ScaleColumns are what Kubernetes prints of a Scale.
var ScaleColumns = view.ColumnsOf([]metav1.TableColumnDefinition{
	view.NameColumn,
	{Name: "Desired", Type: "integer", Description: "Desired is how many replicas are asked for."},
	{Name: "Available", Type: "integer", Description: "Available is how many replicas there are."},
	view.AgeColumn,
}, func(obj runtime.Object) ([]any, error) {
	scale := obj.(*autoscalingv1.Scale)
	return []any{scale.Name, int64(scale.Spec.Replicas), int64(scale.Status.Replicas), scale.CreationTimestamp}, nil
})
