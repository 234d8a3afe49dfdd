package main

import (
	"testing"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"sigs.k8s.io/yaml"

	"github.com/typeplane/typeplane/runtime/runtimetest"
)

// BenchmarkAttributes is what a selector pays for one stored pod: by decoding it, and by reading
// what it asks for.
func BenchmarkAttributes(b *testing.B) {
	pod := new(corev1.Pod)
	if err := yaml.Unmarshal(sample(b, "pod.yaml"), pod); err != nil {
		b.Fatal(err)
	}
	s := scheme(b)
	s.Default(pod)
	pod.Labels = map[string]string{"app": "webserver", "pod-template-hash": "5d4f8c7b9"}
	pod.Namespace, pod.UID, pod.CreationTimestamp = "default", "7b3f6f2e-5a53-4c1c-9f0e-7b6a3f1c2d4e", metav1.Unix(1_790_000_000, 0)
	fields := &metav1.FieldsV1{}
	fields.SetRawString(`{"f:metadata":{"f:labels":{"f:app":{}}},"f:spec":{"f:containers":{"k:{\"name\":\"webserver\"}":{".":{},"f:image":{},"f:name":{}}}}}`)
	pod.ManagedFields = []metav1.ManagedFieldsEntry{{
		Manager: "kubectl", Operation: metav1.ManagedFieldsOperationApply, APIVersion: "v1", Time: &pod.CreationTimestamp, FieldsType: "FieldsV1", FieldsV1: fields,
	}}
	pod.Spec.NodeName = "node-17"
	pod.Status = corev1.PodStatus{
		Phase: corev1.PodRunning, PodIP: "10.0.0.1", HostIP: "192.168.1.17", QOSClass: corev1.PodQOSBestEffort,
		Conditions: []corev1.PodCondition{
			{Type: corev1.PodInitialized, Status: corev1.ConditionTrue}, {Type: corev1.PodReady, Status: corev1.ConditionTrue},
		},
		ContainerStatuses: []corev1.ContainerStatus{{Name: "webserver", Ready: true, Image: "nginx", ContainerID: "containerd://abc"}},
	}
	runtimetest.BenchAttributes(b, s, pod)
}
