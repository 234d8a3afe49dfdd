package main

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"math/rand/v2"
	"net/http"
	"strconv"
	"sync"
	"sync/atomic"

	corev1 "k8s.io/api/core/v1"

	"github.com/typeplane/typeplane/runtime/wire"
	"github.com/typeplane/typeplane/test/bench/pods"
)

// step does the work of a row once. i is a number that no other call has in the same round. It fails if the answer is
// not the whole and the right one.
type step func(ctx context.Context, t *target, i int) error

// row is one line of the table: work that a server is asked to do a number of times.
type row struct {
	name string
	// count is how many times in one round, in a full and in a short run.
	count, short int
	// workers is how many requests are under way at once.
	workers int
	do      step
	// open takes the place of do where something has to be there before and behind all steps.
	open func(ctx context.Context, t *target) (do step, stop func(), err error)
	// prepare, if it is set, makes what count steps will use up.
	prepare func(ctx context.Context, t *target, count int) error
	// units is how many of what the name says a step does; 0 means 1.
	units int
}

func rows() []row {
	return []row{
		{name: "get, linearizable, protobuf", count: 8000, short: 500, workers: 8, do: get("", protobuf)},
		{name: "get, resourceVersion=0, protobuf", count: 8000, short: 500, workers: 8, do: get("?resourceVersion=0", protobuf)},
		{name: "get, linearizable, JSON", count: 6000, short: 500, workers: 8, do: get("", asJSON)},
		{name: "list all, protobuf", count: 4, short: 4, workers: 1, do: list("", protobuf, all)},
		{name: "list all, JSON", count: 2, short: 3, workers: 1, do: list("", asJSON, all)},
		{name: "list one namespace of 100, protobuf", count: 300, short: 30, workers: 4, do: listNamespace(protobuf)},
		{name: "list one namespace of 100, JSON", count: 150, short: 20, workers: 4, do: listNamespace(asJSON)},
		{name: "a page of 500, protobuf", count: 60, short: 10, workers: 2, do: list("?limit=500", protobuf, func(*target) int { return 500 })},
		{name: "a page of 500, JSON", count: 30, short: 8, workers: 2, do: list("?limit=500", asJSON, func(*target) int { return 500 })},
		{name: "create, protobuf", count: 1000, short: 100, workers: 8, do: create(protobuf)},
		{name: "create, JSON", count: 1000, short: 100, workers: 8, do: create(asJSON)},
		{name: "update, protobuf", count: 1000, short: 100, workers: 8, do: update},
		{name: "merge patch", count: 1000, short: 100, workers: 8, do: patch},
		{name: "delete", count: 1500, short: 150, workers: 8, do: remove, prepare: provide},
		{name: "one event to one of 200 watchers, protobuf", count: 60, short: 10, workers: 1, open: watch(protobufWatch), units: watchers},
		{name: "one event to one of 200 watchers, JSON", count: 60, short: 10, workers: 1, open: watch(asJSON), units: watchers},
	}
}

// begin returns the step of a row, and what to call behind the last one.
func (r row) begin(ctx context.Context, t *target) (step, func(), error) {
	if r.open == nil {
		return r.do, func() {}, nil
	}
	return r.open(ctx, t)
}

// repeat does a step count times.
func (r row) repeat(ctx context.Context, t *target, do step, count int) error {
	ctx, cancel := context.WithCancelCause(ctx)
	defer cancel(nil)
	var next atomic.Int64
	var wg sync.WaitGroup
	for range r.workers {
		wg.Go(func() {
			for ctx.Err() == nil {
				i := int(next.Add(1)) - 1
				if i >= count {
					return
				}
				if err := do(ctx, t, i); err != nil {
					cancel(fmt.Errorf("%s: %s: %w", t.name, r.name, err))
				}
			}
		})
	}
	wg.Wait()
	return context.Cause(ctx)
}

// missing says why a server can't do a row at all: it has no such verb.
func missing(err error) (reason string, ok bool) {
	var status *statusError
	if errors.As(err, &status) && status.code == http.StatusMethodNotAllowed {
		return "405 Method Not Allowed", true
	}
	return "", false
}

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
		return listed(ctx, t, "/api/v1/pods"+query, accept, want(t))
	}
}

func listNamespace(accept string) step {
	return func(ctx context.Context, t *target, _ int) error {
		i := rand.IntN(t.n)
		return listed(ctx, t, "/api/v1/namespaces/"+pods.Namespace(i)+"/pods", accept, pods.PerNamespace)
	}
}

// listed gets a list and counts what is in it.
func listed(ctx context.Context, t *target, path, accept string, want int) error {
	body, err := t.client.do(ctx, request{method: "GET", path: path, accept: accept})
	if err != nil {
		return err
	}
	n, err := count(body, accept)
	if err == nil && n != want {
		err = fmt.Errorf("%s has %d pods, want %d", path, n, want)
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

// update changes an annotation of a pod that the client has read, and sends all of it with its resourceVersion.
func update(ctx context.Context, t *target, i int) error {
	pod := t.pods[i].DeepCopy()
	pod.Annotations[pods.Round] = strconv.Itoa(rand.Int())
	body, err := encode(pod, protobuf)
	if err != nil {
		return err
	}
	answer, err := t.client.do(ctx, request{method: "PUT", path: path(pod.Namespace, pod.Name), accept: protobuf, contentType: protobuf, body: body})
	if err != nil {
		return err
	}
	t.pods[i], err = decode(answer, protobuf)
	return checked(t.pods[i], pod.Name, err)
}

// patch changes the same annotation.
func patch(ctx context.Context, t *target, i int) error {
	body := fmt.Appendf(nil, `{"metadata":{"annotations":{%q:"%d"}}}`, pods.Round, rand.Int())
	pod := t.pods[i]
	answer, err := t.client.do(ctx, request{method: "PATCH", path: path(pod.Namespace, pod.Name), accept: protobuf, contentType: mergePatch, body: body})
	if err != nil {
		return err
	}
	t.pods[i], err = decode(answer, protobuf)
	return checked(t.pods[i], pod.Name, err)
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
	_, err := t.client.do(ctx, request{method: "DELETE", path: path(scratch, name), accept: protobuf})
	return err
}

// provide makes pods until there are count to be deleted.
func provide(ctx context.Context, t *target, count int) error {
	r := row{name: "making pods to be deleted", workers: 8}
	return r.repeat(ctx, t, create(protobuf), max(0, count-len(t.made)))
}

// clear deletes what was made and is left, so that every round finds the same pods. Before that it makes sure that the
// server stores what it should: a fair comparison is between two that write protobuf.
func (t *target) clear(ctx context.Context) error {
	if len(t.made) > 0 {
		value, err := t.seeder.stored(ctx, t.prefix+"/pods/"+scratch+"/"+t.made[0])
		if err != nil {
			return err
		}
		if !wire.HasEnvelope(value) {
			return fmt.Errorf("%s stores %.60q, want protobuf", t.name, value)
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

// count decodes a list of pods. Of JSON it decodes names only: the time of the client is not what is measured.
func count(body []byte, mediaType string) (int, error) {
	if mediaType == asJSON {
		var list struct {
			Items []struct {
				Metadata struct{ Name string }
			}
		}
		err := json.Unmarshal(body, &list)
		return len(list.Items), err
	}
	envelope, err := wire.ParseEnvelope(body)
	if err != nil {
		return 0, err
	}
	var list corev1.PodList
	err = list.Unmarshal(envelope.Raw)
	return len(list.Items), err
}
