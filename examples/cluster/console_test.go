package main

import (
	"bufio"
	"context"
	"net/http"
	"strings"
	"testing"
	"time"

	"github.com/coder/websocket"
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/util/validation"

	"github.com/typeplane/typeplane/registry"
)

func TestContainers(t *testing.T) {
	one := aPod(t, "metadata: {name: p}\n"+web)
	many := aPod(t, "metadata: {name: p}\nspec: {initContainers: [{name: i, image: i}], containers: [{name: a, image: a}, {name: b, image: b}], ephemeralContainers: [{name: e, image: e}]}")
	for _, tc := range []struct {
		pod        *corev1.Pod
		name, want string
		wrong      string
	}{
		{one, "", "nginx", ""},
		{one, "nginx", "nginx", ""},
		{one, "other", "", "container other is not valid for pod p"},
		{many, "", "", "a container name must be specified for pod p, choose one of: [a b] or one of the init containers: [i] or one of the ephemeral containers: [e]"},
		{many, "i", "i", ""},
		{many, "e", "e", ""},
	} {
		got, err := containerOf(tc.pod, tc.name)
		if got != tc.want || (err == nil) != (tc.wrong == "") || err != nil && err.Error() != tc.wrong {
			t.Errorf("%q: %q, %v", tc.name, got, err)
		}
	}
}

func TestLogOptions(t *testing.T) {
	for want, opts := range map[string]corev1.PodLogOptions{
		"":                             {TailLines: new(int64(0)), LimitBytes: new(int64(1)), SinceSeconds: new(int64(1)), Stream: new(corev1.LogStreamAll)},
		"tailLines: Invalid value: -1": {TailLines: new(int64(-1))},
		"limitBytes: Invalid value: 0|sinceSeconds: Invalid value: -1":       {LimitBytes: new(int64(0)), SinceSeconds: new(int64(-1))},
		"sinceTime: Forbidden: at most one of `sinceTime`":                   {SinceSeconds: new(int64(1)), SinceTime: new(metav1.Now())},
		`stream: Unsupported value: "stdlog": supported values: "All", "Std`: {Stream: new("stdlog")},
	} {
		wantErrors(t, want, validateLogOptions(&opts), want)
	}
	pod := &registry.Parent[*corev1.Pod]{Object: aPod(t, "metadata: {name: p}\n"+web)}
	if _, err := (PodStrategy{}).Log(t.Context(), pod, &corev1.PodLogOptions{Previous: true}); err == nil || err.Error() != `previous terminated container "nginx" in pod "p" not found` {
		t.Errorf("%v", err)
	}
	if _, err := (PodStrategy{}).Attach(t.Context(), pod, new(corev1.PodAttachOptions)); err == nil || err.Error() != "pod p does not have a host assigned" {
		t.Errorf("%v", err)
	}
}

func TestBinding(t *testing.T) {
	bound := func(pod, binding string) (*corev1.Pod, error) {
		of := &registry.Parent[*corev1.Pod]{Object: aPod(t, pod+"\n"+web), DryRun: true}
		_, err := (PodStrategy{}).Binding(t.Context(), of, fromYAML(t, new(corev1.Binding), binding))
		return of.Object, err
	}
	for _, tc := range []struct{ pod, binding, wrong string }{
		{"{}", "target: {name: node}", ""},
		{"{}", "target: {kind: Node, name: node}", ""},
		{"{}", "target: {name: A_}", `target.name: Invalid value: "A_": ` + validation.IsDNS1123Subdomain("A_")[0]},
		{"{}", "target: {kind: Moon}", `[target.kind: Unsupported value: "Moon": supported values: "Node", "<empty>", target.name: Required value]`},
		{"metadata: {name: p, deletionTimestamp: '2026-01-01T00:00:00Z'}", "target: {name: node}", "pod p is being deleted, cannot be assigned to a host"},
	} {
		pod, err := bound(tc.pod, tc.binding)
		if tc.wrong != "" {
			if err == nil || !strings.HasSuffix(err.Error(), tc.wrong) {
				t.Errorf("%s to %s: %v", tc.binding, tc.pod, err)
			}
			continue
		}
		if err != nil || pod.Spec.NodeName != "node" || !hasCondition(pod, corev1.PodScheduled) {
			t.Errorf("%s: %v, %+v", tc.binding, err, pod)
		}
	}
	for _, tc := range []struct{ spec, wrong string }{
		{"nodeName: m", `pod p is already assigned to node "m"`}, {"schedulingGates: [{name: g}]", "pod p has non-empty .spec.schedulingGates"},
	} {
		pod := fromYAML(t, new(corev1.Pod), "metadata: {name: p}\nspec: {"+tc.spec+"}")
		if err := bind(pod, fromYAML(t, new(corev1.Binding), "target: {name: node}")); err == nil || !strings.HasSuffix(err.Error(), tc.wrong) {
			t.Errorf("%s: %v", tc.spec, err)
		}
	}
	pod := fromYAML(t, new(corev1.Pod), "{metadata: {annotations: {a: b, c: d}}, status: {nominatedNodeName: other, conditions: [{type: Ready, status: 'False'}, {type: PodScheduled, status: 'False', reason: Unschedulable}]}}")
	if err := bind(pod, fromYAML(t, new(corev1.Binding), "metadata: {annotations: {a: x}, labels: {zone: z}}\ntarget: {name: node}")); err != nil || pod.Annotations["a"] != "x" || pod.Annotations["c"] != "d" ||
		pod.Labels["zone"] != "z" || pod.Status.NominatedNodeName != "" ||
		len(pod.Status.Conditions) != 2 || pod.Status.Conditions[1].Reason != "" || pod.Status.Conditions[1].LastTransitionTime.IsZero() {
		t.Errorf("%v, %+v", err, pod)
	}
}

// A pod gets its node once, whoever asks, and however.
func TestPodIsBound(t *testing.T) {
	r := run(t, t.TempDir(), nil)
	r.makeNamespace()
	pod := object[corev1.Pod](t, r.must("POST", path("v1", "pods"), asJSON, sample(t, "pod.yaml")))
	at := path("v1", "pods", "webserver", "binding")
	binding := func(meta, node string) []byte {
		return []byte("apiVersion: v1\nkind: Binding\nmetadata: {name: webserver" + meta + "}\ntarget: {kind: Node, name: " + node + "}\n")
	}
	refused := func(code int, message, at string, body []byte) {
		t.Helper()
		got, answer := r.do("POST", at, asJSON, body)
		if status := object[metav1.Status](t, answer); got != code || !strings.Contains(status.Message, message) {
			t.Errorf("%s: %d %s; want %d %s", at, got, answer, code, message)
		}
	}
	refused(404, `pods "other" not found`, path("v1", "pods", "other", "binding"), []byte("apiVersion: v1\nkind: Binding\ntarget: {name: node}\n"))
	refused(400, "", path("v1", "pods", "other", "binding"), binding("", "node"))
	refused(422, "target.name: Required value", at, []byte("apiVersion: v1\nkind: Binding\n"))
	refused(409, "", at, binding(", uid: other", "node"))
	refused(409, "", at, binding(", resourceVersion: '1'", "node"))
	refused(400, "metadata.name", path("v1", "bindings"), []byte("apiVersion: v1\nkind: Binding\ntarget: {name: node}\n"))
	r.must("POST", at+"?dryRun=All", asJSON, binding("", "node"))

	status := object[metav1.Status](t, r.must("POST", at, asJSON, binding(", annotations: {chosen: 'by me'}, resourceVersion: '"+pod.ResourceVersion+"', uid: "+string(pod.UID), "n-1")))
	if status.Status != metav1.StatusSuccess || status.Code != 201 {
		t.Errorf("%+v", status)
	}
	pod = object[corev1.Pod](t, r.must("GET", path("v1", "pods", "webserver"), asJSON, nil))
	if pod.Spec.NodeName != "n-1" || pod.Annotations["chosen"] != "by me" || !hasCondition(pod, corev1.PodScheduled) || pod.Generation != 2 {
		t.Errorf("%s", marshal(pod))
	}
	refused(409, `Operation cannot be fulfilled on pods/binding "webserver": pod webserver is already assigned to node "n-1"`, at, binding("", "n-2"))
	refused(409, "is already assigned", path("v1", "bindings"), binding("", "n-2"))
	pod.Spec.NodeName = "n-2"
	if code, answer := r.do("PUT", path("v1", "pods", "webserver"), asJSON, []byte(marshal(pod))); code != 422 {
		t.Errorf("a pod is moved by an update: %d %s", code, answer)
	}
}

// Ten schedulers want the same pod: one gets it.
func TestSchedulersRace(t *testing.T) {
	r := run(t, t.TempDir(), nil)
	r.makeNamespace()
	r.must("POST", path("v1", "pods"), asJSON, sample(t, "pod.yaml"))
	codes := make(chan int)
	for range 10 {
		go func() {
			req, _ := http.NewRequest("POST", r.url+path("v1", "pods", "webserver", "binding"), strings.NewReader(`{"target":{"name":"n"}}`))
			req.Header.Set("Content-Type", "application/json")
			resp, err := r.http.Do(req)
			if err != nil {
				codes <- 0
				return
			}
			resp.Body.Close()
			codes <- resp.StatusCode
		}()
	}
	count := map[int]int{}
	for range 10 {
		count[<-codes]++
	}
	if count[201] != 1 || count[409] != 9 {
		t.Errorf("%v", count)
	}
}

// Clients that follow see what an attached client types, until the pod is deleted.
func TestLogAndAttach(t *testing.T) {
	r := run(t, t.TempDir(), nil)
	r.makeNamespace()
	r.must("POST", path("v1", "pods"), asJSON, sample(t, "pod.yaml"))
	at := path("v1", "pods", "webserver")
	if code, answer := r.do("GET", at+"/log", asJSON, nil); code != 200 || len(answer) > 0 {
		t.Errorf("the log of a pod that nobody runs: %d %s", code, answer)
	}
	for query, want := range map[string]int{"/log?tailLines=-1": 422, "/log?tailLines=few": 400, "/log?container=x": 400, "/log?previous=true": 400, "/attach?stdin=true": 400} {
		if code, answer := r.do("GET", at+query, asJSON, nil); code != want || object[metav1.Status](t, answer).Message == "" {
			t.Errorf("%s: %d %s, want %d", query, code, answer, want)
		}
	}
	r.must("POST", at+"/binding", asJSON, []byte("apiVersion: v1\nkind: Binding\ntarget: {name: n-1}\n"))

	log, err := r.http.Get(r.url + at + "/log?follow=true")
	if err != nil {
		t.Fatal(err)
	}
	defer log.Body.Close()
	lines := bufio.NewReader(log.Body)
	want := func(text string) {
		t.Helper()
		if got, err := lines.ReadString('\n'); got != text || err != nil {
			t.Fatalf("%q, %v; want %q", got, err, text)
		}
	}
	want("pod apiserver-sandbox/webserver was assigned to n-1\n")

	config := r.http.Transport.(*http.Transport).TLSClientConfig.Clone()
	config.NextProtos = []string{"http/1.1"}
	ctx, cancel := context.WithTimeout(t.Context(), time.Minute)
	defer cancel()
	attached, _, err := websocket.Dial(ctx, r.url+at+"/attach?stdin=true&stdout=true", &websocket.DialOptions{
		HTTPClient: &http.Client{Transport: &http.Transport{TLSClientConfig: config}}, Subprotocols: []string{"v5.channel.k8s.io"},
	})
	if err != nil {
		t.Fatal(err)
	}
	defer attached.CloseNow()
	if err := attached.Write(ctx, websocket.MessageBinary, []byte("\x00hello\n")); err != nil {
		t.Fatal(err)
	}
	want("hello\n")
	if _, message, err := attached.Read(ctx); string(message) != "\x01hello\n" || err != nil {
		t.Errorf("%q, %v", message, err)
	}
	if code, answer := r.do("GET", at+"/log?tailLines=1", asJSON, nil); code != 200 || string(answer) != "hello\n" {
		t.Errorf("%d %s", code, answer)
	}

	r.must("DELETE", at, asJSON, nil)
	if _, err := lines.ReadString('\n'); err == nil {
		t.Error("there is a line after the end")
	}
	if _, message, err := attached.Read(ctx); !strings.Contains(string(message), `"status":"Success"`) {
		t.Errorf("%q, %v", message, err)
	}
}

// A server that is told to stop does not wait for those who follow.
func TestStopWhileFollowed(t *testing.T) {
	r := run(t, t.TempDir(), nil)
	r.makeNamespace()
	r.must("POST", path("v1", "pods"), asJSON, sample(t, "pod.yaml"))
	log, err := r.http.Get(r.url + path("v1", "pods", "webserver") + "/log?follow=true")
	if err != nil {
		t.Fatal(err)
	}
	defer log.Body.Close()
	r.stop()
	if _, err := log.Body.Read(make([]byte, 1)); err == nil {
		t.Error("it goes on")
	}
}
