package main

import (
	"bufio"
	"context"
	"encoding/binary"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"strconv"
	"sync"
	"time"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/typeplane/typeplane/test/bench/pods"
)

const (
	// perConnection is how many watchers share a connection.
	perConnection = 10
	// eventTimeout is how long all watchers together may take for one event.
	eventTimeout = time.Minute
)

// event is what one watcher got.
type event struct {
	kind, name, round string
	err               error
}

// deliveries is a row of events to n watchers.
func deliveries(n int, accept string, count, short int) row {
	form := "protobuf"
	if accept == asJSON {
		form = "JSON"
	}
	return row{
		name:    fmt.Sprintf("one event to one of %d watchers, %s", n, form),
		count:   count,
		short:   short,
		workers: 1,
		open:    func(ctx context.Context, t *target) (step, func(), error) { return watch(ctx, t, n, accept) },
		units:   n,
	}
}

// watch has all pods watched by n clients and writes to etcd, past the server, so that the server
// does nothing but deliver. Each event is written when all watchers have got the one before: there
// are no bursts.
func watch(ctx context.Context, t *target, n int, accept string) (step, func(), error) {
	revision, err := t.revision(ctx)
	if err != nil {
		return nil, nil, err
	}
	c := &crowd{got: make(chan event, n)}
	ctx, c.cancel = context.WithCancel(ctx)
	for i := range n {
		if i%perConnection == 0 {
			c.over = append(c.over, newTransport(t.tls))
		}
		resp, err := t.client.open(ctx, c.over[len(c.over)-1], request{method: "GET", path: "/api/v1/pods?watch=1&timeoutSeconds=3600&resourceVersion=" + revision, accept: accept})
		if err != nil {
			c.stop()
			return nil, nil, err
		}
		c.following.Go(func() { follow(ctx, resp.Body, accept, c.got) })
	}
	return func(ctx context.Context, t *target, _ int) error { return t.deliver(ctx, n, accept, c.got) }, c.stop, nil
}

// crowd is watchers with connections of their own.
type crowd struct {
	got       chan event
	cancel    context.CancelFunc
	following sync.WaitGroup
	over      []*http.Client
}

// stop ends the watches and closes their connections.
func (c *crowd) stop() {
	c.cancel()
	c.following.Wait()
	for _, over := range c.over {
		over.CloseIdleConnections()
	}
}

// newest is asked for the revision at which a watch begins.
const newest = everywhere + "?limit=1"

// revision is the resourceVersion of the pods right now.
func (t *target) revision(ctx context.Context) (string, error) {
	body, err := t.client.do(ctx, request{method: "GET", path: newest, accept: asJSON})
	if err != nil {
		return "", err
	}
	var list metav1.PartialObjectMetadataList
	err = json.Unmarshal(body, &list)
	return list.ResourceVersion, err
}

// deliver changes one pod and waits until each of the watchers has heard of it.
func (t *target) deliver(ctx context.Context, watchers int, accept string, got <-chan event) error {
	t.events++
	// Pods at the end, which update rows do not use.
	i, round := t.n-1-t.events%pods.PerNamespace, strconv.Itoa(t.events)
	if err := t.change(ctx, i, round, accept); err != nil {
		return err
	}
	want := event{kind: "MODIFIED", name: pods.Name(i), round: round}
	late := time.After(eventTimeout)
	for n := range watchers {
		select {
		case e := <-got:
			if e.err != nil {
				return e.err
			}
			if e != want {
				return fmt.Errorf("a watcher got %+v, want %+v", e, want)
			}
		case <-late:
			return fmt.Errorf("%d of %d watchers got event %+v within %v", n, watchers, want, eventTimeout)
		}
	}
	return nil
}

// follow reads events until ctx ends.
func follow(ctx context.Context, body io.ReadCloser, accept string, got chan<- event) {
	defer body.Close()
	reader := bufio.NewReader(body)
	next := nextJSON(reader)
	if accept == protobufWatch {
		next = nextProtobuf(reader)
	}
	for {
		kind, pod, err := next()
		e := event{kind: kind, err: err}
		if err == nil {
			e.name, e.round = pod.Name, pod.Annotations[pods.Round]
		}
		select {
		case got <- e:
		case <-ctx.Done():
			return
		}
		if err != nil {
			return
		}
	}
}

func nextJSON(reader *bufio.Reader) func() (string, *corev1.Pod, error) {
	decoder := json.NewDecoder(reader)
	return func() (string, *corev1.Pod, error) {
		var e struct {
			Type   string
			Object corev1.Pod
		}
		err := decoder.Decode(&e)
		return e.Type, &e.Object, err
	}
}

func nextProtobuf(reader *bufio.Reader) func() (string, *corev1.Pod, error) {
	return func() (string, *corev1.Pod, error) {
		var length [4]byte
		if _, err := io.ReadFull(reader, length[:]); err != nil {
			return "", nil, err
		}
		frame := make([]byte, binary.BigEndian.Uint32(length[:]))
		if _, err := io.ReadFull(reader, frame); err != nil {
			return "", nil, err
		}
		var e metav1.WatchEvent
		if err := e.Unmarshal(frame); err != nil {
			return "", nil, err
		}
		pod, err := decode(e.Object.Raw, protobuf)
		return e.Type, pod, err
	}
}
