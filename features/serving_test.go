package features_test

import (
	"bytes"
	"encoding/json"
	"io"
	"net/http"
	"strings"
	"testing"
	"time"

	corev1 "k8s.io/api/core/v1"
	eventsv1 "k8s.io/api/events/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/typeplane/typeplane"
	"github.com/typeplane/typeplane/apitest"
	"github.com/typeplane/typeplane/features"
	"github.com/typeplane/typeplane/runtime/wire"
)

// client talks to a server as its administrator.
type client struct {
	t *testing.T
	*apitest.Server
}

// start runs a server that serves nothing but what apis has.
func start(t *testing.T, options ...apitest.Option) client {
	t.Helper()
	return client{t, apitest.Start(t, typeplane.Server{Name: "plane", APIs: features.All()}, options...)}
}

// do sends a request. The body is JSON, or else protobuf, by how it begins.
func (c client) do(method, path, body string) (code int, answer string) {
	c.t.Helper()
	req, err := http.NewRequest(method, c.URL+path, strings.NewReader(body))
	if err != nil {
		c.t.Fatal(err)
	}
	switch {
	case strings.HasPrefix(body, "k8s\x00"):
		req.Header.Set("Content-Type", "application/vnd.kubernetes.protobuf")
		req.Header.Set("Accept", "application/vnd.kubernetes.protobuf")
	case method == http.MethodPatch:
		req.Header.Set("Content-Type", "application/merge-patch+json")
	default:
		req.Header.Set("Content-Type", "application/json")
	}
	resp, err := c.Client.Do(req)
	if err != nil {
		c.t.Fatal(err)
	}
	defer resp.Body.Close()
	data, err := io.ReadAll(resp.Body)
	if err != nil {
		c.t.Fatal(err)
	}
	return resp.StatusCode, string(data)
}

// want is do for a request whose answer is known: its code, and something that it says.
func (c client) want(code int, says, method, path, body string) string {
	c.t.Helper()
	got, answer := c.do(method, path, body)
	if got != code || !strings.Contains(answer, says) {
		c.t.Fatalf("%s %s: %d %s\nwant %d with %s", method, path, got, answer, code, says)
	}
	return answer
}

// until repeats a GET until the answer has the code and says something.
func (c client) until(code int, says, path string) string {
	c.t.Helper()
	for end := time.Now().Add(time.Minute); ; time.Sleep(10 * time.Millisecond) {
		got, answer := c.do("GET", path, "")
		if got == code && strings.Contains(answer, says) {
			return answer
		}
		if time.Now().After(end) {
			c.t.Fatalf("GET %s: still %d %s\nwant %d with %s", path, got, answer, code, says)
		}
	}
}

const namespaces = "/api/v1/namespaces"

// Deleting a namespace deletes what is in it, in every group; what has finalizers is waited for,
// and named.
func TestNamespaceIsEmptiedAndGoes(t *testing.T) {
	for name, cache := range map[string]bool{"cached": true, "uncached": false} {
		t.Run(name, func(t *testing.T) {
			c := start(t, func(o *typeplane.Options) { o.Store.WatchCache = cache })
			for _, standing := range []string{"default", "kube-system", "kube-public"} {
				c.want(200, `"phase":"Active"`, "GET", namespaces+"/"+standing, "")
				c.want(200, `"uid"`, "GET", namespaces+"/"+standing+"/serviceaccounts/default", "")
				c.want(403, "this namespace may not be deleted", "DELETE", namespaces+"/"+standing, "")
			}
			c.want(201, `"finalizers":["kubernetes"]`, "POST", namespaces, `{"metadata":{"name":"room"}}`)
			c.until(200, `"uid"`, namespaces+"/room/serviceaccounts/default")
			c.want(201, "", "POST", namespaces+"/room/secrets", `{"metadata":{"name":"a"}}`)
			c.want(201, "", "POST", "/apis/coordination.k8s.io/v1/namespaces/room/leases", `{"metadata":{"name":"b"}}`)
			c.want(201, "", "POST", namespaces+"/room/configmaps", `{"metadata":{"name":"kept","finalizers":["example.com/f"]}}`)

			c.want(200, `"phase":"Terminating"`, "DELETE", namespaces+"/room", "")
			c.want(403, "because it is being terminated", "POST", namespaces+"/room/secrets", `{"metadata":{"name":"late"}}`)
			ns := c.until(200, "SomeFinalizersRemain", namespaces+"/room")
			for _, says := range []string{"configmaps has 1 resource instances", "example.com/f in 1 resource instances", "ContentDeleted"} {
				if !strings.Contains(ns, says) {
					t.Errorf("nothing about %q in %s", says, ns)
				}
			}
			c.until(200, `"items":[]`, namespaces+"/room/secrets")
			c.until(200, `"items":[]`, "/apis/coordination.k8s.io/v1/namespaces/room/leases")

			// Nothing but finalize takes the finalizer off.
			c.want(200, `"finalizers":["kubernetes"]`, "PATCH", namespaces+"/room", `{"spec":{"finalizers":[]}}`)
			c.want(200, "", "PATCH", namespaces+"/room/configmaps/kept", `{"metadata":{"finalizers":[]}}`)
			c.until(404, "", namespaces+"/room")
			c.want(201, "", "POST", namespaces, `{"metadata":{"name":"room"}}`)
		})
	}
}

// A finalizer of somebody else keeps an empty namespace until finalize takes it off.
func TestFinalize(t *testing.T) {
	c := start(t)
	c.want(422, "nor is it fully qualified", "POST", namespaces, `{"metadata":{"name":"room"},"spec":{"finalizers":["mine"]}}`)
	c.want(201, "", "POST", namespaces, `{"metadata":{"name":"room"},"spec":{"finalizers":["example.com/mine"]}}`)
	c.want(200, "", "DELETE", namespaces+"/room", "")
	answer := c.until(200, `"finalizers":["example.com/mine"]}`, namespaces+"/room")
	var ns corev1.Namespace
	if err := json.Unmarshal([]byte(answer), &ns); err != nil {
		t.Fatal(err)
	}
	ns.Spec.Finalizers, ns.Labels = nil, map[string]string{"not": "written"}
	body, _ := json.Marshal(ns)
	if said := c.want(200, "", "PUT", namespaces+"/room/finalize", string(body)); strings.Contains(said, `"not":"written"`) {
		t.Errorf("finalize writes labels: %s", said)
	}
	c.until(404, "", namespaces+"/room")
}

// A server that ends in the middle of a deletion goes on with it.
func TestNamespaceGoesAfterRestart(t *testing.T) {
	dir := t.TempDir()
	here := func(o *typeplane.Options) { o.Store.DataDir = dir }
	t.Run("before", func(t *testing.T) {
		c := start(t, apitest.Embedded, here)
		c.want(201, "", "POST", namespaces, `{"metadata":{"name":"room"}}`)
		c.want(201, "", "POST", namespaces+"/room/configmaps", `{"metadata":{"name":"kept","finalizers":["example.com/f"]}}`)
		c.want(200, "", "DELETE", namespaces+"/room", "")
	})
	t.Run("after", func(t *testing.T) {
		c := start(t, apitest.Embedded, here)
		c.until(200, "SomeFinalizersRemain", namespaces+"/room")
		c.want(200, "", "PATCH", namespaces+"/room/configmaps/kept", `{"metadata":{"finalizers":null}}`)
		c.until(404, "", namespaces+"/room")
	})
}

// One event, in two groups; it goes by itself. What is to be seen of it before that is seen in
// time, or the next one stays longer.
func TestEvents(t *testing.T) {
	for life := time.Second; !eventsAreSeen(t, life); life *= 2 {
	}
}

func eventsAreSeen(t *testing.T, life time.Duration) bool {
	t.Helper()
	c := start(t, func(o *typeplane.Options) { o.API.EventTTL = life })
	const old, young = namespaces + "/default/events", "/apis/events.k8s.io/v1/namespaces/default/events"
	requests := []struct {
		code                     int
		says, method, path, body string
	}{
		{201, `"note":"it did"`, "POST", young, `{"metadata":{"name":"e"},"eventTime":"2026-11-21T00:00:00.000000Z","reportingController":"example.com/me","reportingInstance":"me-1",
			"action":"Doing","reason":"Did","type":"Normal","note":"it did","regarding":{"kind":"Pod","name":"p","namespace":"default"}}`},
		{200, `"message":"it did"`, "GET", old + "?fieldSelector=involvedObject.name%3Dp", ""},
		{200, `"note":"it did"`, "GET", young + "?fieldSelector=regarding.name%3Dp", ""},
		{200, `"count":2`, "PATCH", old + "/e", `{"count":2}`},
	}
	var codes []int
	var answers []string
	begun := time.Now()
	for _, r := range requests {
		code, answer := c.do(r.method, r.path, r.body)
		codes, answers = append(codes, code), append(answers, answer)
	}
	if time.Since(begun) >= life {
		return false
	}
	for i, r := range requests {
		if codes[i] != r.code || !strings.Contains(answers[i], r.says) {
			t.Errorf("%s %s: %d %s\nwant %d with %s", r.method, r.path, codes[i], answers[i], r.code, r.says)
		}
	}
	c.want(422, "eventTime: Required value", "POST", young, `{"metadata":{"name":"f"},"type":"Normal"}`)
	c.want(422, "does not match event.namespace", "POST", old, `{"metadata":{"name":"f"},"involvedObject":{"namespace":"other"}}`)
	c.until(404, "", old+"/e")
	return true
}

// What limits others is served as Kubernetes has it; that it limits is the business of admission,
// which says what is used.
func TestLimits(t *testing.T) {
	c := start(t)
	const room = namespaces + "/default"
	c.want(201, `"status":{"hard":{"pods":"4"},"used":{"pods":"0"}}`, "POST", room+"/resourcequotas", `{"metadata":{"name":"q"},"spec":{"hard":{"pods":"4"}},"status":{"used":{"pods":"3"}}}`)
	c.want(200, `"used":{"pods":"0"}`, "PATCH", room+"/resourcequotas/q/status", `{"spec":{"hard":{"pods":"9"}},"status":{"hard":{"pods":"4"},"used":{"pods":"1"}}}`)
	c.want(200, `"spec":{"hard":{"pods":"4"}}`, "GET", room+"/resourcequotas/q", "")
	c.want(422, "status.used[pods]: Invalid value", "PATCH", room+"/resourcequotas/q/status", `{"status":{"used":{"pods":"-1"}}}`)
	c.want(422, "spec.hard[pods]: Invalid value", "PATCH", room+"/resourcequotas/q", `{"spec":{"hard":{"pods":"1m"}}}`)
	c.want(201, `"defaultRequest":{"cpu":"1"}`, "POST", room+"/limitranges", `{"metadata":{"name":"l"},"spec":{"limits":[{"type":"Container","max":{"cpu":1}}]}}`)
	c.want(422, "spec.limits[0].type", "PATCH", room+"/limitranges/l", `{"spec":{"limits":[{"type":"Node"}]}}`)

	const classes = "/apis/storage.k8s.io/v1/storageclasses"
	c.want(201, `"reclaimPolicy":"Delete","volumeBindingMode":"Immediate"`, "POST", classes, `{"metadata":{"name":"fast"},"provisioner":"example.com/disk"}`)
	c.want(422, "reclaimPolicy: Invalid value: \\\"Retain\\\": field is immutable", "PATCH", classes+"/fast", `{"reclaimPolicy":"Retain"}`)
	c.want(200, `"allowVolumeExpansion":true`, "PATCH", classes+"/fast", `{"allowVolumeExpansion":true}`)
}

// Typed clients send protobuf.
func TestProtobuf(t *testing.T) {
	c := start(t)
	send := func(version, kind, path string, obj interface{ Marshal() ([]byte, error) }) wire.Envelope {
		t.Helper()
		message, err := obj.Marshal()
		if err != nil {
			t.Fatal(err)
		}
		body := wire.AppendEnvelope(nil, version, kind, message)
		answer := c.want(201, "", "POST", path, string(body))
		envelope, err := wire.ParseEnvelope([]byte(answer))
		if err != nil {
			t.Fatal(err)
		}
		return envelope
	}
	secret := &corev1.Secret{Data: map[string][]byte{"a": {0, 1, 2}}, StringData: map[string]string{"b": "c"}}
	secret.Name = "s"
	got := new(corev1.Secret)
	if err := got.Unmarshal(send("v1", "Secret", namespaces+"/default/secrets", secret).Raw); err != nil || !bytes.Equal(got.Data["a"], []byte{0, 1, 2}) ||
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

// A token that was asked for knows who it is.
func TestCreateToken(t *testing.T) {
	c := start(t)
	const accounts = namespaces + "/default/serviceaccounts"
	answer := c.want(201, `"kind":"TokenRequest"`, "POST", accounts+"/default/token", `{"spec":{"expirationSeconds":600}}`)
	var request struct{ Status struct{ Token string } }
	if err := json.Unmarshal([]byte(answer), &request); err != nil {
		t.Fatal(err)
	}
	c.want(201, `"username":"system:serviceaccount:default:default"`, "POST", "/apis/authentication.k8s.io/v1/tokenreviews",
		`{"spec":{"token":"`+request.Status.Token+`"}}`)
	c.want(400, "does not match the name on the URL", "POST", accounts+"/default/token", `{"metadata":{"name":"other"}}`)
	c.want(404, "", "POST", accounts+"/nobody/token", `{}`)
	c.want(405, "", "GET", accounts+"/default/token", "")
	c.want(200, `"name":"serviceaccounts/token"`, "GET", "/api/v1", "")
	c.want(200, `/serviceaccounts/{name}/token":{"post":`, "GET", "/openapi/v3/api/v1", "")
}

// The operator says what is served; what is not is not there, and nothing that belongs to it runs.
func TestEnableAPI(t *testing.T) {
	c := start(t, func(o *typeplane.Options) { o.API.Enable = []string{"secrets", "leases"} })
	c.want(200, `"resources":[{"name":"secrets"`, "GET", "/api/v1", "")
	c.want(404, "", "GET", namespaces, "")
	c.want(201, "", "POST", namespaces+"/anywhere/secrets", `{"metadata":{"name":"s"}}`)
	if says := c.want(200, "coordination.k8s.io", "GET", "/apis", ""); strings.Contains(says, "events.k8s.io") {
		t.Errorf("there is a group of what is not served: %s", says)
	}
}
