package main

import (
	"context"
	"encoding/json"
	"fmt"
	"io"
	"testing"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"

	"github.com/typeplane/typeplane/internal/ownership"
	"github.com/typeplane/typeplane/registry"
	"github.com/typeplane/typeplane/registry/rest"
	"github.com/typeplane/typeplane/runtime"
	"github.com/typeplane/typeplane/runtime/serializer"
	"github.com/typeplane/typeplane/storage/memory"
	"github.com/typeplane/typeplane/test/bench/pods"
)

// writer serves pods from memory, so that nothing of a store, a network and a client is measured.
type writer struct {
	*testing.B
	scheme *runtime.Scheme
	rest.Resource
	body []byte // of the pod that is there, as protobuf
}

var there = rest.Name{Namespace: pods.Namespace(0), Name: pods.Name(0)}

func newWriter(b *testing.B) *writer {
	builder := runtime.NewBuilder()
	addToScheme(builder)
	scheme, err := builder.Build()
	if err != nil {
		b.Fatal(err)
	}
	server := newServer()
	served, err := server.Resources[0].Serve(scheme, memory.New(memory.Config{}), registry.Options{Schemas: ownership.New(server.OpenAPI)})
	if err != nil {
		b.Fatal(err)
	}
	w := &writer{B: b, scheme: scheme, Resource: served[0]}
	// Two managers, as the pods of the other rows have.
	pod := pods.Stored(0)
	w.create(protobufOf(b, pod), "kube-controller-manager")
	pod = pods.Stored(0)
	pod.UID = ""
	pod.Annotations["kubectl.kubernetes.io/restartedAt"] = "2026-01-02T03:04:05Z"
	w.body = w.update(protobufOf(b, pod), "kubelet")
	b.ReportAllocs()
	return w
}

func protobufOf(b *testing.B, pod *corev1.Pod) []byte {
	pod.SetGroupVersionKind(corev1.SchemeGroupVersion.WithKind("Pod"))
	body, err := serializer.Append(nil, pod, serializer.Protobuf, false)
	if err != nil {
		b.Fatal(err)
	}
	return body
}

func jsonOf(b *testing.B, pod *corev1.Pod) []byte {
	pod.SetGroupVersionKind(corev1.SchemeGroupVersion.WithKind("Pod"))
	body, err := json.Marshal(pod)
	if err != nil {
		b.Fatal(err)
	}
	return body
}

func (w *writer) read(body []byte, form serializer.MediaType) runtime.Object {
	decoded, err := serializer.DecodeBody(w.scheme, body, form, corev1.SchemeGroupVersion.WithKind("Pod"))
	if err != nil {
		w.Fatal(err)
	}
	return decoded.Object
}

func (w *writer) write(view rest.View, err error, to io.Writer) {
	if err == nil {
		err = view.WriteTo(to, rest.Representation{MediaType: rest.Protobuf})
	}
	if err != nil {
		w.Fatal(err)
	}
}

func (w *writer) create(body []byte, manager string) {
	form := serializer.FormOf(body)
	obj := w.read(body, form)
	view, err := w.Create.Create(context.Background(), new(rest.Request), rest.Name{Namespace: runtime.Meta(obj).Namespace}, obj, metav1.CreateOptions{FieldManager: manager})
	w.write(view, err, io.Discard)
}

// answer keeps the last answer.
type answer struct{ body []byte }

func (a *answer) Write(data []byte) (int, error) {
	a.body = append(a.body, data...)
	return len(data), nil
}

func (w *writer) update(body []byte, manager string) []byte {
	var a answer
	view, _, err := w.Update.Update(context.Background(), new(rest.Request), there, w.read(body, serializer.Protobuf), metav1.UpdateOptions{FieldManager: manager})
	w.write(view, err, &a)
	return a.body
}

func (w *writer) patch(kind types.PatchType, text []byte, manager string) {
	view, _, err := w.Patch.Patch(context.Background(), new(rest.Request), there, rest.Patch{Type: kind, Bytes: text}, metav1.PatchOptions{FieldManager: manager})
	w.write(view, err, io.Discard)
}

func BenchmarkWrite(b *testing.B) {
	b.Run("create, protobuf", func(b *testing.B) {
		w := newWriter(b)
		for i := 0; b.Loop(); i++ {
			b.StopTimer()
			body := protobufOf(b, pods.New("scratch", fmt.Sprint("made-", i)))
			b.StartTimer()
			w.create(body, "bench")
		}
	})
	b.Run("create, JSON", func(b *testing.B) {
		w := newWriter(b)
		for i := 0; b.Loop(); i++ {
			b.StopTimer()
			body := jsonOf(b, pods.New("scratch", fmt.Sprint("made-", i)))
			b.StartTimer()
			w.create(body, "bench")
		}
	})
	b.Run("update", func(b *testing.B) {
		w := newWriter(b)
		for i := 0; b.Loop(); i++ {
			b.StopTimer()
			pod := w.read(w.body, serializer.Protobuf).(*corev1.Pod)
			pod.Annotations[pods.Round] = fmt.Sprint(i)
			body := protobufOf(b, pod)
			b.StartTimer()
			w.body = w.update(body, "bench")
		}
	})
	b.Run("merge patch", func(b *testing.B) {
		w := newWriter(b)
		for i := 0; b.Loop(); i++ {
			w.patch(types.MergePatchType, fmt.Appendf(nil, `{"metadata":{"annotations":{%q:"%d"}}}`, pods.Round, i), "bench")
		}
	})
	b.Run("apply, changed", func(b *testing.B) {
		w := newWriter(b)
		for i := 0; b.Loop(); i++ {
			b.StopTimer()
			text := pods.Applied(i + 1)
			b.StartTimer()
			w.patch(types.ApplyYAMLPatchType, text, "bench")
		}
	})
	b.Run("apply, no change", func(b *testing.B) {
		w := newWriter(b)
		text := pods.Applied(1)
		for b.Loop() {
			w.patch(types.ApplyYAMLPatchType, text, "bench")
		}
	})
}
