package main

import (
	"encoding/json"
	"slices"
	"strings"
	"testing"

	appsv1 "k8s.io/api/apps/v1"
	autoscalingv1 "k8s.io/api/autoscaling/v1"
	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/api/resource"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
)

// object decodes an answer.
func object[T any](t *testing.T, answer []byte) *T {
	t.Helper()
	out := new(T)
	if err := json.Unmarshal(answer, out); err != nil {
		t.Fatalf("%v in %s", err, answer)
	}
	return out
}

func TestSubresources(t *testing.T) {
	r := run(t, t.TempDir(), nil)
	r.makeNamespace()

	// The status of a pod.
	pod := object[corev1.Pod](t, r.must("POST", path("v1", "pods"), asJSON, append(sample(t, "pod.yaml"), "status: {phase: Running}\n"...)))
	if pod.Status.Phase != corev1.PodPending || pod.Status.QOSClass != corev1.PodQOSBestEffort || pod.Status.PodIP != "" {
		t.Errorf("a new pod: %+v", pod.Status)
	}
	pod.Status.Phase, pod.Status.PodIP, pod.Labels = corev1.PodRunning, "10.0.0.1", map[string]string{"with": "status"}
	pod = object[corev1.Pod](t, r.must("PUT", path("v1", "pods", "webserver", "status"), asJSON, []byte(marshal(pod))))
	if pod.Status.PodIP != "10.0.0.1" || pod.Labels["with"] != "status" || pod.Generation != 1 {
		t.Errorf("after its status was written: %s", marshal(pod))
	}
	pod.Status, pod.Labels = corev1.PodStatus{}, map[string]string{"a": "b"}
	pod = object[corev1.Pod](t, r.must("PUT", path("v1", "pods", "webserver"), asJSON, []byte(marshal(pod))))
	if pod.Status.PodIP != "10.0.0.1" || pod.Labels["a"] != "b" {
		t.Errorf("after the pod was written: %s", marshal(pod))
	}

	// The scale of a replication controller, as kubectl writes it: without saying what it sends.
	r.must("POST", path("v1", "replicationcontrollers"), asJSON, sample(t, "rc.yaml"))
	at := path("v1", "replicationcontrollers", "rcex", "scale")
	scale := object[autoscalingv1.Scale](t, r.must("GET", at, asJSON, nil))
	if scale.Spec.Replicas != 2 || scale.Status.Selector != "app=rcex" || scale.APIVersion != "autoscaling/v1" {
		t.Errorf("scale: %+v", scale)
	}
	scale.Spec.Replicas = 3
	text := []byte(marshal(scale))
	scale = object[autoscalingv1.Scale](t, r.must("PUT", at, asJSON, text))
	rc := object[corev1.ReplicationController](t, r.must("GET", path("v1", "replicationcontrollers", "rcex"), asJSON, nil))
	if scale.Spec.Replicas != 3 || *rc.Spec.Replicas != 3 || rc.Generation != 2 || rc.ResourceVersion != scale.ResourceVersion {
		t.Errorf("scaled: %+v, %s", scale, marshal(rc))
	}
	if code, answer := r.do("PUT", at, asJSON, text); code != 409 || object[metav1.Status](t, answer).Reason != metav1.StatusReasonConflict {
		t.Errorf("scaled twice with one resourceVersion: %d %s", code, answer)
	}

	// Its pods outlive it, if a client says nothing else.
	rc.Finalizers = []string{"example.com/held"}
	r.must("PUT", path("v1", "replicationcontrollers", "rcex"), asJSON, []byte(marshal(rc)))
	rc = object[corev1.ReplicationController](t, r.must("DELETE", path("v1", "replicationcontrollers", "rcex"), asJSON, nil))
	if !slices.Contains(rc.Finalizers, metav1.FinalizerOrphanDependents) {
		t.Errorf("a deleted replication controller takes its pods with it: %s", marshal(rc))
	}
}

// The kinds of the control plane and those of this program make one small world, with a namespace
// around most of it.
func TestSamples(t *testing.T) {
	r := run(t, t.TempDir(), nil)
	r.makeNamespace()
	for _, o := range []struct{ file, at string }{
		{"pod.yaml", path("v1", "pods")}, {"rc.yaml", path("v1", "replicationcontrollers")}, {"deployment.yaml", path("apps/v1", "deployments")},
		{"hpa-v1beta1.yaml", path("extensions/v1beta1", "horizontalpodautoscalers")}, {"hpa-v1.yaml", path("autoscaling/v1", "horizontalpodautoscalers")},
		{"hpa-v2.yaml", path("autoscaling/v2", "horizontalpodautoscalers")}, {"storageclass.yaml", "/apis/storage.k8s.io/v1/storageclasses"},
		{"pv.yaml", "/api/v1/persistentvolumes"}, {"pvc.yaml", path("v1", "persistentvolumeclaims")}, {"serviceaccount.yaml", path("v1", "serviceaccounts")},
		{"../walkthrough/binding.yaml", path("v1", "bindings")}, {"limitrange.yaml", path("v1", "limitranges")}, {"quota.yaml", path("v1", "resourcequotas")},
	} {
		if code, answer := r.do("POST", o.at, asJSON, sample(t, o.file)); code != 201 {
			t.Errorf("%s: %d %s", o.file, code, answer)
		}
	}
	d := object[appsv1.Deployment](t, r.must("GET", path("apps/v1", "deployments", "web"), asJSON, nil))
	if d.Spec.Template.Spec.DNSPolicy != corev1.DNSClusterFirst || d.Spec.Strategy.RollingUpdate.MaxSurge.StrVal != "25%" || *d.Spec.RevisionHistoryLimit != 10 || d.Generation != 1 {
		t.Errorf("defaults: %s", marshal(d))
	}
	scale := object[autoscalingv1.Scale](t, r.must("GET", path("apps/v1", "deployments", "web", "scale"), asJSON, nil))
	if scale.Spec.Replicas != 3 || scale.Status.Selector != "app=web" {
		t.Errorf("scale: %+v", scale)
	}
	pv := object[corev1.PersistentVolume](t, r.must("GET", "/api/v1/persistentvolumes/disk-1", asJSON, nil))
	if pv.Status.Phase != corev1.VolumePending || pv.Spec.PersistentVolumeReclaimPolicy != corev1.PersistentVolumeReclaimRetain || pv.Generation != 0 {
		t.Errorf("a volume: %s", marshal(pv))
	}
}

// Somebody finds a volume for a claim; then it may grow.
func TestClaimIsBound(t *testing.T) {
	r := run(t, t.TempDir(), nil)
	r.makeNamespace()
	at := path("v1", "persistentvolumeclaims", "data")
	claim := object[corev1.PersistentVolumeClaim](t, r.must("POST", path("v1", "persistentvolumeclaims"), asJSON, sample(t, "pvc.yaml")))
	if claim.Status.Phase != corev1.ClaimPending || *claim.Spec.VolumeMode != corev1.PersistentVolumeFilesystem {
		t.Errorf("a claim: %s", marshal(claim))
	}
	claim.Spec.VolumeName = "disk-1"
	claim = object[corev1.PersistentVolumeClaim](t, r.must("PUT", at, asJSON, []byte(marshal(claim))))
	grown := claim.DeepCopy()
	grown.Spec.Resources.Requests[corev1.ResourceStorage] = resource.MustParse("6Gi")
	if code, answer := r.do("PUT", at, asJSON, []byte(marshal(grown))); code != 422 || !strings.Contains(string(answer), "spec is immutable after creation") {
		t.Errorf("a claim grows before it has a volume: %d %s", code, answer)
	}
	claim.Status = corev1.PersistentVolumeClaimStatus{Phase: corev1.ClaimBound, Capacity: corev1.ResourceList{corev1.ResourceStorage: resource.MustParse("5Gi")}}
	claim = object[corev1.PersistentVolumeClaim](t, r.must("PUT", at+"/status", asJSON, []byte(marshal(claim))))
	claim.Spec.Resources.Requests[corev1.ResourceStorage] = resource.MustParse("6Gi")
	r.must("PUT", at, asJSON, []byte(marshal(claim)))
}

func TestObjectsNeedTheirNamespace(t *testing.T) {
	r := run(t, t.TempDir(), nil)
	post := func(namespace string) (int, *metav1.Status) {
		code, answer := r.do("POST", "/api/v1/namespaces/"+namespace+"/pods", asJSON, sample(t, "pod.yaml"))
		return code, object[metav1.Status](t, answer)
	}
	if code, status := post("nowhere"); code != 404 || status.Message != `namespaces "nowhere" not found` || status.Details.Kind != "namespaces" {
		t.Errorf("%d %+v", code, status)
	}
	r.must("POST", "/api/v1/namespaces/default/pods", asJSON, sample(t, "pod.yaml")) // which is always there
	r.must("POST", "/api/v1/namespaces", asJSON, []byte(`{"metadata":{"name":"dying","finalizers":["example.com/f"]}}`))
	r.must("DELETE", "/api/v1/namespaces/dying", asJSON, nil)
	if code, status := post("dying"); code != 403 || !strings.HasSuffix(status.Message, "unable to create new content in namespace dying because it is being terminated") {
		t.Errorf("%d %+v", code, status)
	}
	if code, answer := r.do("POST", "/api/v1/namespaces", asJSON, []byte(`{"metadata":{"name":"a.b"}}`)); code != 422 {
		t.Errorf("a namespace that is no label: %d %s", code, answer)
	}
}
