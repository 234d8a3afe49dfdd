package main

import (
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	pkgruntime "k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/runtime/schema"

	v1 "github.com/typeplane/typeplane/examples/cluster/api/core/v1"
	"github.com/typeplane/typeplane/runtime"
	runtimejson "github.com/typeplane/typeplane/runtime/json"
	"github.com/typeplane/typeplane/test/bench/pods"
)

// olderVersion is a version of pods that is not stored, so that its objects are decoded, converted
// and printed.
var olderVersion = schema.GroupVersion{Version: "v1beta1"}

// older is a pod of that version. It has the same fields.
type older corev1.Pod

func (o *older) DeepCopyObject() pkgruntime.Object {
	return (*older)(v1.DeepCopy_Pod((*corev1.Pod)(o)))
}

type olderList struct {
	metav1.TypeMeta `json:",inline"`
	metav1.ListMeta `json:"metadata,omitempty"`
	Items           []older `json:"items"`
}

func (*olderList) DeepCopyObject() pkgruntime.Object { panic("nobody copies it") }

func addOlder(hub *runtime.Hub[*corev1.Pod]) {
	runtime.AddVersion(hub, runtime.Version[*older, *corev1.Pod]{
		GroupVersion:     olderVersion,
		New:              func() *older { return new(older) },
		NewList:          func() pkgruntime.Object { return new(olderList) },
		Default:          func(in *older) { pods.Default((*corev1.Pod)(in)) },
		ToHub:            func(in *older, out *corev1.Pod) error { *out = corev1.Pod(*in); return nil },
		FromHub:          func(in *corev1.Pod, out *older) error { *out = older(*in); return nil },
		AppendJSON:       func(dst []byte, in *older) ([]byte, error) { return v1.AppendJSON_Pod(dst, (*corev1.Pod)(in)) },
		ReadJSON:         func(r *runtimejson.Reader, in *older) { v1.ReadJSON_Pod(r, (*corev1.Pod)(in)) },
		DeepCopy:         func(in *older) *older { return (*older)(v1.DeepCopy_Pod((*corev1.Pod)(in))) },
		SelectableFields: func(in *older) map[string]string { return pods.SelectableFields((*corev1.Pod)(in)) },
	})
}
