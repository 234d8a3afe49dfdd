package main

import (
	"context"
	"fmt"
	"io"
	"slices"
	"testing"
	"time"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/typeplane/typeplane/internal/ownership"
	"github.com/typeplane/typeplane/registry"
	"github.com/typeplane/typeplane/registry/rest"
	"github.com/typeplane/typeplane/runtime"
	"github.com/typeplane/typeplane/runtime/serializer"
	"github.com/typeplane/typeplane/storage/memory"
	"github.com/typeplane/typeplane/test/bench/pods"
)

// BenchmarkLists makes lists of pods in each form, in the version that is stored and in one that is
// not. Nothing of a cache and a network is measured. What counts is the fastest twentieth of the
// lists, which is what a calm machine shows.
func BenchmarkLists(b *testing.B) {
	for _, n := range []int{100, 5000} {
		for _, s := range serveMany(b, n) {
			if s.Subresource != "" {
				continue
			}
			list, err := s.List.List(context.Background(), "", metav1.ListOptions{})
			if err != nil {
				b.Fatal(err)
			}
			for _, form := range []struct {
				name string
				rep  rest.Representation
			}{
				{"protobuf", rest.Representation{MediaType: rest.Protobuf}},
				{"json", rest.Representation{MediaType: rest.JSON}},
				{"table", rest.Representation{MediaType: rest.JSON, As: rest.AsTable}},
				{"table without objects", rest.Representation{MediaType: rest.JSON, As: rest.AsTable, IncludeObject: metav1.IncludeNone}},
				{"metadata", rest.Representation{MediaType: rest.JSON, As: rest.AsPartialObjectMetadata}},
			} {
				b.Run(fmt.Sprint(s.GroupVersion, "/", n, "/", form.name), func(b *testing.B) {
					if err := list.WriteTo(io.Discard, form.rep); apierrors.IsNotAcceptable(err) {
						b.Skip(err)
					}
					b.ReportAllocs()
					var turns []time.Duration
					for b.Loop() {
						start := time.Now()
						if err := list.WriteTo(io.Discard, form.rep); err != nil {
							b.Fatal(err)
						}
						turns = append(turns, time.Since(start))
					}
					slices.Sort(turns)
					b.ReportMetric(float64(turns[len(turns)/20].Nanoseconds())/float64(n), "ns/pod")
				})
			}
		}
	}
}

// serveMany serves n pods with two managers each.
func serveMany(b *testing.B, n int) []rest.Resource {
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
	for i := range n {
		pod := pods.Stored(i)
		w.create(protobufOf(b, pod), "kube-controller-manager")
		pod = pods.Stored(i)
		pod.UID = ""
		pod.Annotations["kubectl.kubernetes.io/restartedAt"] = "2026-01-02T03:04:05Z"
		obj := w.read(protobufOf(b, pod), serializer.Protobuf)
		view, _, err := w.Update.Update(context.Background(), new(rest.Request), rest.Name{Namespace: pod.Namespace, Name: pod.Name}, obj, metav1.UpdateOptions{FieldManager: "kubelet"})
		w.write(view, err, io.Discard)
	}
	return served
}
