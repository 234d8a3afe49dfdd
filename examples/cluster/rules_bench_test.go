package main

import (
	"context"
	"os"
	"testing"

	appsv1 "k8s.io/api/apps/v1"
	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/api/operation"
	"k8s.io/apimachinery/pkg/util/validation/field"
	"sigs.k8s.io/yaml"

	apps "github.com/typeplane/typeplane/examples/cluster/api/apps/v1"
	core "github.com/typeplane/typeplane/examples/cluster/api/core/v1"
)

// BenchmarkValidate is what the rules of a new pod and a new deployment cost, by hand and in tags.
// test/kuberules has the same for a kube-apiserver's.
func BenchmarkValidate(b *testing.B) {
	ctx := context.Background()
	op := operation.Operation{Type: operation.Create}
	run := func(name string, validate func() field.ErrorList) {
		b.Run(name, func(b *testing.B) {
			b.ReportAllocs()
			for b.Loop() {
				if errs := validate(); len(errs) > 0 {
					b.Fatal(errs)
				}
			}
		})
	}
	pod := ruled[corev1.Pod](b, "v1_pods.yaml")
	core.SetObjectDefaults_Pod(pod)
	run("pods/by hand", func() field.ErrorList { return PodStrategy{}.Validate(ctx, pod) })
	run("pods/tags", func() field.ErrorList { return core.Validate_Pod(ctx, op, nil, pod, nil) })
	deployment := ruled[appsv1.Deployment](b, "apps_v1_deployments.yaml")
	apps.SetObjectDefaults_Deployment(deployment)
	run("deployments/by hand", func() field.ErrorList { return DeploymentStrategy{}.Validate(ctx, deployment) })
	run("deployments/tags", func() field.ErrorList { return apps.Validate_Deployment(ctx, op, nil, deployment, nil) })
}

// ruled is the object that test/kuberules has of a kind.
func ruled[T any](b *testing.B, file string) *T {
	b.Helper()
	text, err := os.ReadFile("../../test/kuberules/testdata/" + file)
	if err != nil {
		b.Fatal(err)
	}
	out := new(T)
	if err := yaml.UnmarshalStrict(text, out); err != nil {
		b.Fatal(err)
	}
	return out
}
