package features_test

import (
	"bytes"
	"strings"
	"testing"

	corev1 "k8s.io/api/core/v1"
	eventsv1 "k8s.io/api/events/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/typeplane/typeplane"
	"github.com/typeplane/typeplane/internal/features/servertest"
	"github.com/typeplane/typeplane/runtime/wire"
)

// What limits others is served as Kubernetes has it; that it limits is the business of admission,
// which says what is used.
func TestLimits(t *testing.T) {
	c := servertest.Start(t)
	const room = servertest.Namespaces + "/default"
	c.Want(201, `"status":{"hard":{"pods":"4"},"used":{"pods":"0"}}`, "POST", room+"/resourcequotas", `{"metadata":{"name":"q"},"spec":{"hard":{"pods":"4"}},"status":{"used":{"pods":"3"}}}`)
	c.Want(200, `"used":{"pods":"0"}`, "PATCH", room+"/resourcequotas/q/status", `{"spec":{"hard":{"pods":"9"}},"status":{"hard":{"pods":"4"},"used":{"pods":"1"}}}`)
	c.Want(200, `"spec":{"hard":{"pods":"4"}}`, "GET", room+"/resourcequotas/q", "")
	c.Want(422, "status.used[pods]: Invalid value", "PATCH", room+"/resourcequotas/q/status", `{"status":{"used":{"pods":"-1"}}}`)
	c.Want(422, "spec.hard[pods]: Invalid value", "PATCH", room+"/resourcequotas/q", `{"spec":{"hard":{"pods":"1m"}}}`)
	c.Want(201, `"defaultRequest":{"cpu":"1"}`, "POST", room+"/limitranges", `{"metadata":{"name":"l"},"spec":{"limits":[{"type":"Container","max":{"cpu":1}}]}}`)
	c.Want(422, "spec.limits[0].type", "PATCH", room+"/limitranges/l", `{"spec":{"limits":[{"type":"Node"}]}}`)

	const classes = "/apis/storage.k8s.io/v1/storageclasses"
	c.Want(201, `"reclaimPolicy":"Delete","volumeBindingMode":"Immediate"`, "POST", classes, `{"metadata":{"name":"fast"},"provisioner":"example.com/disk"}`)
	c.Want(422, "reclaimPolicy: Invalid value: null: field is immutable", "PATCH", classes+"/fast", `{"reclaimPolicy":"Retain"}`)
	c.Want(200, `"allowVolumeExpansion":true`, "PATCH", classes+"/fast", `{"allowVolumeExpansion":true}`)
}

// Typed clients send protobuf.
func TestProtobuf(t *testing.T) {
	c := servertest.Start(t)
	send := func(version, kind, path string, obj interface{ Marshal() ([]byte, error) }) wire.Envelope {
		t.Helper()
		message, err := obj.Marshal()
		if err != nil {
			t.Fatal(err)
		}
		body := wire.AppendEnvelope(nil, version, kind, message)
		answer := c.Want(201, "", "POST", path, string(body))
		envelope, err := wire.ParseEnvelope([]byte(answer))
		if err != nil {
			t.Fatal(err)
		}
		return envelope
	}
	secret := &corev1.Secret{Data: map[string][]byte{"a": {0, 1, 2}}, StringData: map[string]string{"b": "c"}}
	secret.Name = "s"
	got := new(corev1.Secret)
	if err := got.Unmarshal(send("v1", "Secret", servertest.Namespaces+"/default/secrets", secret).Raw); err != nil || !bytes.Equal(got.Data["a"], []byte{0, 1, 2}) ||
		string(got.Data["b"]) != "c" || got.StringData != nil || got.Type != corev1.SecretTypeOpaque || got.UID == "" || got.Generation != 0 {
		t.Errorf("%v, %+v", err, got)
	}
	event := &eventsv1.Event{EventTime: metav1.NowMicro(), ReportingController: "example.com/me", ReportingInstance: "me", Action: "a", Reason: "r", Type: "Normal"}
	event.Name, event.Regarding.Namespace = "e", "default"
	answer := new(eventsv1.Event)
	if err := answer.Unmarshal(send("events.k8s.io/v1", "Event", "/apis/events.k8s.io/v1/namespaces/default/events", event).Raw); err != nil || answer.Regarding.Namespace != "default" {
		t.Errorf("%v, %+v", err, answer)
	}
}

// The operator says what is served; what is not is not there, and nothing that belongs to it runs.
func TestEnableAPI(t *testing.T) {
	c := servertest.Start(t, func(o *typeplane.Options) { o.API.Enable = []string{"secrets", "leases"} })
	c.Want(200, `"resources":[{"name":"secrets"`, "GET", "/api/v1", "")
	c.Want(404, "", "GET", servertest.Namespaces, "")
	c.Want(201, "", "POST", servertest.Namespaces+"/anywhere/secrets", `{"metadata":{"name":"s"}}`)
	if says := c.Want(200, "coordination.k8s.io", "GET", "/apis", ""); strings.Contains(says, "events.k8s.io") {
		t.Errorf("there is a group of what is not served: %s", says)
	}
}
