package main

import (
	"sync"

	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/types"
)

// expectations remember what the cache has to show before it can be believed.
//
// The cache is always behind. A controller that has just made three pods, and looks again before
// the cache has heard of them, would make three more. So whatever this process makes or deletes is
// expected: until the cache shows it, the server is asked instead. Where nothing is known the
// server is asked as well: in a new process, or after a request whose answer was lost. So a pod
// that a killed process made a moment ago is never made again.
//
// The zero value expects nothing and believes nothing. It may be used from any goroutine, for each
// replication controller by one at a time.
type expectations struct {
	mu sync.Mutex // guards of
	of map[types.NamespacedName]expectation
}

// expectation says which pods are there (true), and which are not any more (false). Others may be
// or not.
type expectation map[types.UID]bool

// met says whether pods, as the cache has them, can be believed. If so nothing is expected any
// more.
func (e *expectations) met(rc types.NamespacedName, pods []corev1.Pod) bool {
	e.mu.Lock()
	defer e.mu.Unlock()
	expected, known := e.of[rc]
	if !known {
		return false
	}
	there := uids(pods)
	for pod, alive := range expected {
		if there[pod] != alive {
			return false
		}
	}
	clear(expected)
	return true
}

// become replaces what is expected by the difference between what the cache has and what the server
// says now.
func (e *expectations) become(rc types.NamespacedName, cached, now []corev1.Pod) {
	e.mu.Lock()
	defer e.mu.Unlock()
	expected := expectation{}
	for pod := range uids(cached) {
		expected[pod] = false
	}
	for pod := range uids(now) {
		expected[pod] = true
	}
	if e.of == nil {
		e.of = map[types.NamespacedName]expectation{}
	}
	e.of[rc] = expected
}

// made expects a pod, removed that it goes.
func (e *expectations) made(rc types.NamespacedName, pod types.UID)    { e.expect(rc, pod, true) }
func (e *expectations) removed(rc types.NamespacedName, pod types.UID) { e.expect(rc, pod, false) }

func (e *expectations) expect(rc types.NamespacedName, pod types.UID, alive bool) {
	e.mu.Lock()
	defer e.mu.Unlock()
	if expected, known := e.of[rc]; known {
		expected[pod] = alive
	}
}

// forget: nothing is known of a replication controller any more, so that the server is asked next
// time.
func (e *expectations) forget(rc types.NamespacedName) {
	e.mu.Lock()
	defer e.mu.Unlock()
	delete(e.of, rc)
}

func uids(pods []corev1.Pod) map[types.UID]bool {
	all := make(map[types.UID]bool, len(pods))
	for i := range pods {
		all[pods[i].UID] = true
	}
	return all
}
