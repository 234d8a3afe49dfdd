package main

import (
	"context"
	"fmt"
	"math/rand/v2"

	"github.com/typeplane/typeplane/test/bench/pods"
)

// read is a step that changes nothing: what is asked on behalf of a pod, and what comes back.
type read struct {
	// ask is the request on behalf of the pod with number i.
	ask func(i int) request
	// shared is how many pods in a row have the same answer; 0: all of them.
	shared int
	// check says what is wrong with the answer that the pod with number i gets, of n pods.
	check func(body []byte, i, n int) error
}

// do reads on behalf of a pod at random.
func (r read) do(ctx context.Context, t *target, _ int) error {
	i := rand.IntN(t.n)
	q := r.ask(i)
	body, err := t.client.do(ctx, q)
	if err != nil {
		return err
	}
	if err := r.check(body, i, t.n); err != nil {
		return fmt.Errorf("%s: %w", q.path, err)
	}
	return nil
}

// requests are all the different ones, where there are n pods.
func (r read) requests(n int) (all []request) {
	every := r.shared
	if every == 0 {
		every = n
	}
	for i := 0; i < n; i += every {
		all = append(all, r.ask(i))
	}
	return all
}

func get(query, accept string) *read {
	return &read{
		ask: func(i int) request {
			return request{method: "GET", path: path(pods.Namespace(i), pods.Name(i)) + query, accept: accept}
		},
		shared: 1,
		check: func(body []byte, i, _ int) error {
			pod, err := decode(body, accept)
			return checked(pod, pods.Name(i), err)
		},
	}
}

// Paths of all pods, in the version that is stored and in one that is not.
const (
	everywhere = "/api/v1/pods"
	inOlder    = "/api/v1beta1/pods"
)

func listAll(path, accept, coding string) *read {
	return &read{
		ask:   func(int) request { return request{method: "GET", path: path, accept: accept, coding: coding} },
		check: func(body []byte, _, n int) error { return counted(body, accept, n) },
	}
}

// page is the first of a list of all.
func page(size int, accept string) *read {
	return &read{
		ask: func(int) request {
			return request{method: "GET", path: fmt.Sprintf("%s?limit=%d", everywhere, size), accept: accept}
		},
		check: func(body []byte, _, n int) error { return counted(body, accept, min(size, n)) },
	}
}

func listNamespace(accept string) *read {
	return &read{
		ask:    func(i int) request { return request{method: "GET", path: path(pods.Namespace(i), ""), accept: accept} },
		shared: pods.PerNamespace,
		check:  func(body []byte, _, _ int) error { return counted(body, accept, pods.PerNamespace) },
	}
}

// selected lists the pods that a selector names, of which there are some; query makes it of the
// number of one of them.
func selected(some int, query func(i int) string) *read {
	return &read{
		ask: func(i int) request {
			return request{method: "GET", path: everywhere + "?" + query(i), accept: protobuf}
		},
		shared: some,
		check:  func(body []byte, _, _ int) error { return counted(body, protobuf, some) },
	}
}

func byLabel(i int) string { return "labelSelector=" + pods.BatchLabel + "%3D" + pods.Batch(i) }
func byField(i int) string { return "fieldSelector=spec.nodeName%3D" + pods.Node(i) }

// counted says what is wrong with a list that should have so many pods.
func counted(body []byte, accept string, want int) error {
	n, err := count(body, accept)
	if err == nil && n != want {
		err = fmt.Errorf("the list has %d pods, want %d", n, want)
	}
	return err
}

// listed gets a list and counts what is in it.
func listed(ctx context.Context, t *target, r request, want int) error {
	r.method = "GET"
	body, err := t.client.do(ctx, r)
	if err != nil {
		return err
	}
	if err := counted(body, r.accept, want); err != nil {
		return fmt.Errorf("%s: %w", r.path, err)
	}
	return nil
}
