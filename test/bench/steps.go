package main

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"math/rand/v2"
	"strconv"

	corev1 "k8s.io/api/core/v1"

	"github.com/typeplane/typeplane/runtime/wire"
	"github.com/typeplane/typeplane/test/bench/pods"
)

func get(query, accept string) step {
	return func(ctx context.Context, t *target, _ int) error {
		i := rand.IntN(t.n)
		body, err := t.client.do(ctx, request{method: "GET", path: path(pods.Namespace(i), pods.Name(i)) + query, accept: accept})
		if err != nil {
			return err
		}
		pod, err := decode(body, accept)
		return checked(pod, pods.Name(i), err)
	}
}

func all(t *target) int { return t.n }

func list(query, accept string, want func(*target) int) step {
	return func(ctx context.Context, t *target, _ int) error {
		return listed(ctx, t, request{path: "/api/v1/pods" + query, accept: accept}, want(t))
	}
}

// listGzipped is list of all as JSON for a client that takes it compressed, as client-go does.
func listGzipped(ctx context.Context, t *target, _ int) error {
	return listed(ctx, t, request{path: "/api/v1/pods", accept: asJSON, gzip: true}, t.n)
}

// selected lists the pods that a selector names; query makes it of the number of one of them.
func selected(want int, query func(i int) string) step {
	return func(ctx context.Context, t *target, _ int) error {
		return listed(ctx, t, request{path: "/api/v1/pods?" + query(rand.IntN(t.n)), accept: protobuf}, want)
	}
}

func byLabel(i int) string { return "labelSelector=" + pods.BatchLabel + "%3D" + pods.Batch(i) }
func byField(i int) string { return "fieldSelector=spec.nodeName%3D" + pods.Node(i) }

func listNamespace(accept string) step {
	return func(ctx context.Context, t *target, _ int) error {
		i := rand.IntN(t.n)
		return listed(ctx, t, request{path: path(pods.Namespace(i), ""), accept: accept}, pods.PerNamespace)
	}
}

// listed gets a list and counts what is in it.
func listed(ctx context.Context, t *target, r request, want int) error {
	r.method = "GET"
	body, err := t.client.do(ctx, r)
	if err != nil {
		return err
	}
	n, err := count(body, r.accept)
	if err == nil && n != want {
		err = fmt.Errorf("%s has %d pods, want %d", r.path, n, want)
	}
	return err
}

func create(mediaType string) step {
	return func(ctx context.Context, t *target, i int) error {
		name := t.newName()
		body, err := encode(pods.New(scratch, name), mediaType)
		if err != nil {
			return err
		}
		answer, err := t.client.do(ctx, request{method: "POST", path: path(scratch, ""), accept: mediaType, contentType: mediaType, body: body})
		if err != nil {
			return err
		}
		t.mu.Lock()
		t.made = append(t.made, name)
		t.mu.Unlock()
		pod, err := decode(answer, mediaType)
		return checked(pod, name, err)
	}
}

// newName is a name that no pod of the target has had.
func (t *target) newName() string {
	t.mu.Lock()
	defer t.mu.Unlock()
	t.creates++
	return "made-" + strconv.Itoa(t.creates)
}

// update changes an annotation of a pod that the client has read, and sends all of it with its
// resourceVersion.
func update(ctx context.Context, t *target, i int) error {
	pod := t.pods[i].DeepCopy()
	pod.Annotations[pods.Round] = strconv.Itoa(rand.Int())
	body, err := encode(pod, t.speaks)
	if err != nil {
		return err
	}
	answer, err := t.client.do(ctx, request{method: "PUT", path: path(pod.Namespace, pod.Name), accept: t.speaks, contentType: t.speaks, body: body})
	if err != nil {
		return err
	}
	t.pods[i], err = decode(answer, t.speaks)
	return checked(t.pods[i], pod.Name, err)
}

// patch changes the same annotation.
func patch(ctx context.Context, t *target, i int) error {
	body := fmt.Appendf(nil, `{"metadata":{"annotations":{%q:"%d"}}}`, pods.Round, rand.Int())
	pod := t.pods[i]
	answer, err := t.client.do(ctx, request{method: "PATCH", path: path(pod.Namespace, pod.Name), accept: t.speaks, contentType: mergePatch, body: body})
	if err != nil {
		return err
	}
	t.pods[i], err = decode(answer, t.speaks)
	return checked(t.pods[i], pod.Name, err)
}

// apply wants ten fields of a pod to be something: each time something else, or always the same.
func apply(changes bool) step {
	return func(ctx context.Context, t *target, i int) error {
		n := 1
		if changes {
			n = 1 + rand.IntN(1_000_000_000)
		}
		pod := t.pods[i]
		body := pods.Applied(n)
		answer, err := t.client.do(ctx, request{method: "PATCH", path: path(pod.Namespace, pod.Name) + "?fieldManager=applier", accept: t.speaks, contentType: applyPatch, body: body})
		if err != nil {
			return err
		}
		t.pods[i], err = decode(answer, t.speaks)
		return checked(t.pods[i], pod.Name, err)
	}
}

// applyOnce applies to the pods that steps will apply the same to.
func applyOnce(ctx context.Context, t *target, count int) error {
	r := row{name: "applying for the first time", workers: 8}
	return r.repeat(ctx, t, apply(false), count)
}

// remove deletes what a create row has made.
func remove(ctx context.Context, t *target, _ int) error {
	t.mu.Lock()
	n := len(t.made) - 1
	if n < 0 {
		t.mu.Unlock()
		return errors.New("nothing is left to be deleted")
	}
	name := t.made[n]
	t.made = t.made[:n]
	t.mu.Unlock()
	_, err := t.client.do(ctx, request{method: "DELETE", path: path(scratch, name), accept: t.speaks})
	return err
}

// provide makes pods until there are count to be deleted.
func provide(ctx context.Context, t *target, count int) error {
	r := row{name: "making pods to be deleted", workers: 8}
	return r.repeat(ctx, t, create(t.speaks), max(0, count-len(t.made)))
}

// clear deletes what was made and is left, so that every round finds the same pods. Before that it
// makes sure that the server stores what it should: a fair comparison is between two that write
// protobuf.
func (t *target) clear(ctx context.Context) error {
	if len(t.made) > 0 {
		value, err := t.seeder.stored(ctx, t.prefix+"/pods/"+scratch+"/"+t.made[0])
		if err != nil {
			return err
		}
		if want := storedAs(t.prefix); wire.HasEnvelope(value) != (want == protobuf) {
			return fmt.Errorf("%s stores %.60q, want %s", t.name, value, want)
		}
	}
	r := row{name: "cleaning up", workers: 8}
	return r.repeat(ctx, t, remove, len(t.made))
}

// path is where a pod is, or without a name all of a namespace.
func path(namespace, name string) string {
	p := "/api/v1/namespaces/" + namespace + "/pods"
	if name != "" {
		p += "/" + name
	}
	return p
}

func encode(pod *corev1.Pod, mediaType string) ([]byte, error) {
	if mediaType == asJSON {
		pod.SetGroupVersionKind(corev1.SchemeGroupVersion.WithKind("Pod"))
		return json.Marshal(pod)
	}
	raw, err := pod.Marshal()
	return wire.AppendEnvelope(nil, "v1", "Pod", raw), err
}

func decode(body []byte, mediaType string) (*corev1.Pod, error) {
	pod := new(corev1.Pod)
	if mediaType == asJSON {
		return pod, json.Unmarshal(body, pod)
	}
	envelope, err := wire.ParseEnvelope(body)
	if err != nil {
		return nil, err
	}
	return pod, pod.Unmarshal(envelope.Raw)
}

// checked is what was wrong with an answer that should be the pod called name.
func checked(pod *corev1.Pod, name string, err error) error {
	if err == nil && (pod.Name != name || pod.ResourceVersion == "") {
		err = fmt.Errorf("the answer is pod %q at resourceVersion %q, want %q", pod.Name, pod.ResourceVersion, name)
	}
	return err
}

// count decodes a list or a Table of pods. From JSON it decodes names only, since the time of the
// client is not measured.
func count(body []byte, mediaType string) (int, error) {
	if mediaType == asJSON || mediaType == asTable {
		var list struct {
			Items []struct {
				Metadata struct{ Name string }
			}
			Rows []struct{ Cells []any }
		}
		err := json.Unmarshal(body, &list)
		return len(list.Items) + len(list.Rows), err
	}
	list, err := decodeList(body, mediaType)
	return len(list.Items), err
}

func decodeList(body []byte, mediaType string) (list corev1.PodList, err error) {
	if mediaType == asJSON {
		return list, json.Unmarshal(body, &list)
	}
	envelope, err := wire.ParseEnvelope(body)
	if err != nil {
		return list, err
	}
	return list, list.Unmarshal(envelope.Raw)
}
