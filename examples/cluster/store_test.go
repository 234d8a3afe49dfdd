package main

import (
	"bytes"
	"encoding/json"
	"testing"

	corev1 "k8s.io/api/core/v1"

	"github.com/typeplane/typeplane"
	"github.com/typeplane/typeplane/runtime/wire"
)

const (
	asJSON     = "application/json"
	asProtobuf = "application/vnd.kubernetes.protobuf"
)

// What lies in etcd are the bytes that Kubernetes would have there, in whichever form was asked
// for; a server that is started otherwise later reads all of them.
func TestBytesInEtcd(t *testing.T) {
	dir := t.TempDir()

	r := run(t, dir, nil)
	r.makeNamespace()
	r.must("POST", path("v1", "pods"), asJSON, sample(t, "pod.yaml"))
	webserver := r.must("GET", path("v1", "pods", "webserver"), asJSON, nil)
	checkPodInEtcd(t, r)
	r.stop()

	r = run(t, dir, func(o *typeplane.Options) { o.Store.MediaType = asJSON })
	if got := r.must("GET", path("v1", "pods", "webserver"), asJSON, nil); !bytes.Equal(got, webserver) {
		t.Errorf("stored as protobuf, read by a server that stores JSON:\n%s\nwant\n%s", got, webserver)
	}
	r.must("POST", path("v1", "pods"), asJSON, bytes.Replace(sample(t, "pod.yaml"), []byte("webserver"), []byte("json"), 1))
	second := r.must("GET", path("v1", "pods", "json"), asJSON, nil)
	value := r.inEtcd("/registry/pods/apiserver-sandbox/json")
	var stored, served map[string]any
	if err := json.Unmarshal(value, &stored); err != nil || !bytes.HasPrefix(value, []byte(`{"kind":"Pod","apiVersion":"v1","metadata":{"name":"json",`)) {
		t.Fatalf("stored as JSON: %v\n%q", err, value)
	}
	if err := json.Unmarshal(second, &served); err != nil {
		t.Fatal(err)
	}
	metadata := served["metadata"].(map[string]any)
	if metadata["resourceVersion"] == "" || stored["metadata"].(map[string]any)["resourceVersion"] != nil {
		t.Errorf("the resourceVersion is not a part of what is stored:\n%s", value)
	}
	delete(metadata, "resourceVersion")
	if a, _ := json.Marshal(stored); string(a) != marshal(served) {
		t.Errorf("stored\n%s\nserved\n%s", a, marshal(served))
	}
	r.stop()

	r = run(t, dir, nil)
	if got := r.must("GET", path("v1", "pods", "json"), asJSON, nil); !bytes.Equal(got, second) {
		t.Errorf("stored as JSON, read by a server that stores protobuf:\n%s\nwant\n%s", got, second)
	}
}

// checkPodInEtcd decodes what is stored of the pod webserver with nothing but k8s.io/api.
func checkPodInEtcd(t *testing.T, r *running) {
	t.Helper()
	value := r.inEtcd("/registry/pods/apiserver-sandbox/webserver")
	if !bytes.HasPrefix(value, []byte("k8s\x00\n\t\n\x02v1\x12\x03Pod\x12")) {
		t.Fatalf("stored: %q", value)
	}
	envelope, err := wire.ParseEnvelope(value)
	if err != nil {
		t.Fatal(err)
	}
	stored, served := new(corev1.Pod), new(corev1.Pod)
	if err := stored.Unmarshal(envelope.Raw); err != nil {
		t.Fatal(err)
	}
	if stored.ResourceVersion != "" || stored.UID == "" || stored.Spec.Containers[0].Image != "nginx" || stored.Spec.DNSPolicy != corev1.DNSClusterFirst || stored.Status.Phase != corev1.PodPending {
		t.Errorf("stored: %+v", stored)
	}
	if again, err := stored.Marshal(); err != nil || !bytes.Equal(again, envelope.Raw) {
		t.Errorf("Kubernetes would write it otherwise: %v\n%q\n%q", err, again, envelope.Raw)
	}
	if envelope, err = wire.ParseEnvelope(r.must("GET", path("v1", "pods", "webserver"), asProtobuf, nil)); err != nil {
		t.Fatal(err)
	}
	if err := served.Unmarshal(envelope.Raw); err != nil || served.ResourceVersion == "" {
		t.Fatalf("%v, resourceVersion %q", err, served.ResourceVersion)
	}
	served.ResourceVersion = ""
	if marshal(stored) != marshal(served) {
		t.Errorf("stored\n%s\nserved\n%s", marshal(stored), marshal(served))
	}
}

func marshal(v any) string {
	data, err := json.Marshal(v)
	if err != nil {
		panic(err) // these are objects that were decoded
	}
	return string(data)
}

// One object, in three versions of two groups, wherever it is stored.
func TestAutoscalerInEveryVersion(t *testing.T) {
	const hpa = "horizontalpodautoscalers"
	dir := t.TempDir()
	r := run(t, dir, func(o *typeplane.Options) { o.Store.Versions = []string{"autoscaling/v1"} })
	r.makeNamespace()
	r.must("POST", path("autoscaling/v2", hpa), asJSON, []byte(`{"metadata":{"name":"rcex"},"spec":{"scaleTargetRef":{"kind":"ReplicationController","name":"rcex"},"maxReplicas":5,
		"metrics":[{"type":"Resource","resource":{"name":"cpu","target":{"type":"Utilization","averageUtilization":80}}}]}}`))
	if value := r.inEtcd("/registry/" + hpa + "/apiserver-sandbox/rcex"); !bytes.Contains(value, []byte("\x0a\x0eautoscaling/v1\x12\x17HorizontalPodAutoscaler")) {
		t.Errorf("--storage-versions=autoscaling/v1 stores %q", value)
	}
	want := map[string]string{
		"autoscaling/v2":     `"metrics":[{"type":"Resource","resource":{"name":"cpu","target":{"type":"Utilization","averageUtilization":80}}}]`,
		"autoscaling/v1":     `"targetCPUUtilizationPercentage":80`,
		"extensions/v1beta1": `"cpuUtilization":{"targetPercentage":80}`,
	}
	var first map[string]any
	check := func() {
		t.Helper()
		for version, has := range want {
			answer := r.must("GET", path(version, hpa, "rcex"), asJSON, nil)
			var obj struct{ Metadata map[string]any }
			if err := json.Unmarshal(answer, &obj); err != nil || !bytes.Contains(answer, []byte(has)) || !bytes.Contains(answer, []byte(`"apiVersion":"`+version+`"`)) {
				t.Errorf("%s: %v, want %s in\n%s", version, err, has, answer)
			}
			got := map[string]any{"uid": obj.Metadata["uid"], "resourceVersion": obj.Metadata["resourceVersion"]}
			if first == nil {
				first = got
			}
			if marshal(first) != marshal(got) {
				t.Errorf("%s is another object: %v, want %v", version, got, first)
			}
		}
	}
	check()
	r.stop()
	r = run(t, dir, nil) // which stores autoscaling/v2
	check()
}
