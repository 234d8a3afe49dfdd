package main

import (
	"bytes"
	"context"
	"fmt"
	"testing"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"
	"sigs.k8s.io/yaml"

	"github.com/typeplane/typeplane/registry"
	"github.com/typeplane/typeplane/registry/rest"
	"github.com/typeplane/typeplane/storage/memory"
)

// BenchmarkWrites is what writes of a pod cost between the decoded request and the encoded answer:
// no HTTP, no etcd. With "owned" the server tracks who owns which field.
func BenchmarkWrites(b *testing.B) {
	for _, owned := range []bool{false, true} {
		for _, form := range []rest.MediaType{rest.Protobuf, rest.JSON} {
			name := string(form)
			if owned {
				name += ",owned"
			}
			benchWrites(b, name, owned, form)
		}
	}
}

func benchWrites(b *testing.B, name string, owned bool, form rest.MediaType) {
	server, ctx, opts := newServer(), context.Background(), registry.Options{}
	if owned {
		opts.Schemas = registry.NewSchemas(server.OpenAPI)
	}
	var pods rest.Resource
	for _, r := range server.Resources {
		served, err := r.Serve(scheme(b), memory.New(memory.Config{}), opts)
		if err != nil {
			b.Fatal(err)
		}
		if served[0].Name == "pods" {
			pods = served[0]
		}
	}
	sent := new(corev1.Pod)
	if err := yaml.Unmarshal(sample(b, "pod.yaml"), sent); err != nil {
		b.Fatal(err)
	}
	namespace := rest.Name{Namespace: "default"}
	pod := rest.Name{Namespace: "default", Name: "written"}
	sent.Name, sent.Namespace = pod.Name, pod.Namespace
	sent.Annotations = map[string]string{"round": "first"}
	if _, err := pods.Create.Create(ctx, new(rest.Request), namespace, sent.DeepCopy(), metav1.CreateOptions{FieldManager: "bench"}); err != nil {
		b.Fatal(err)
	}
	var answer bytes.Buffer
	stage := func(verb string, write func(i int) (rest.View, error)) {
		b.Run(name+"/"+verb, func(b *testing.B) {
			b.ReportAllocs()
			for i := 0; b.Loop(); i++ {
				view, err := write(i)
				if err == nil {
					answer.Reset()
					err = view.WriteTo(&answer, rest.Representation{MediaType: form})
				}
				if err != nil {
					b.Fatal(err)
				}
			}
		})
	}
	stage("create", func(int) (rest.View, error) {
		next := sent.DeepCopy()
		next.Name = "new"
		return pods.Create.Create(ctx, new(rest.Request), namespace, next, metav1.CreateOptions{FieldManager: "bench", DryRun: []string{"All"}})
	})
	stage("update", func(i int) (rest.View, error) {
		next := sent.DeepCopy()
		next.Annotations["round"] = fmt.Sprint(i)
		view, _, err := pods.Update.Update(ctx, new(rest.Request), pod, next, metav1.UpdateOptions{FieldManager: "bench"})
		return view, err
	})
	stage("merge patch", func(i int) (rest.View, error) {
		patch := rest.Patch{Type: types.MergePatchType, Bytes: fmt.Appendf(nil, `{"metadata":{"annotations":{"round":"%d"}}}`, i)}
		view, _, err := pods.Patch.Patch(ctx, new(rest.Request), pod, patch, metav1.PatchOptions{FieldManager: "bench"})
		return view, err
	})
}
