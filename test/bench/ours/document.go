package main

import (
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	pkgruntime "k8s.io/apimachinery/pkg/runtime"

	v1 "github.com/typeplane/typeplane/examples/cluster/api/core/v1"
	"github.com/typeplane/typeplane/runtime"
	runtimejson "github.com/typeplane/typeplane/runtime/json"
	"github.com/typeplane/typeplane/test/bench/pods"
)

// document is a pod without protobuf.
type document corev1.Pod

func (d *document) DeepCopyObject() pkgruntime.Object {
	return (*document)(v1.DeepCopy_Pod((*corev1.Pod)(d)))
}

type documentList struct {
	metav1.TypeMeta `json:",inline"`
	metav1.ListMeta `json:"metadata,omitempty"`
	Items           []document `json:"items"`
}

func (*documentList) DeepCopyObject() pkgruntime.Object { panic("nobody copies it") }

// addDocuments is addToScheme for pods as documents.
func addDocuments(b *runtime.Builder) {
	hub := runtime.AddHub(b, podKind, func() *document { return new(document) })
	runtime.AddVersion(hub, runtime.Version[*document, *document]{
		GroupVersion:     corev1.SchemeGroupVersion,
		New:              func() *document { return new(document) },
		NewList:          func() pkgruntime.Object { return new(documentList) },
		Default:          func(in *document) { pods.Default((*corev1.Pod)(in)) },
		AppendJSON:       func(dst []byte, in *document) ([]byte, error) { return v1.AppendJSON_Pod(dst, (*corev1.Pod)(in)) },
		ReadJSON:         func(r *runtimejson.Reader, in *document) { v1.ReadJSON_Pod(r, (*corev1.Pod)(in)) },
		DeepCopy:         func(in *document) *document { return (*document)(v1.DeepCopy_Pod((*corev1.Pod)(in))) },
		SelectableFields: func(in *document) map[string]string { return pods.SelectableFields((*corev1.Pod)(in)) },
	})
}
