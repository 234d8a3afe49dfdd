package server_test

import (
	"context"
	"fmt"
	"net/http"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/typeplane/typeplane/registry/rest"
)

func TestListAndWatchOptions(t *testing.T) {
	var got metav1.ListOptions
	r := books()
	r.List = listFunc(func(_ context.Context, _ string, o metav1.ListOptions) (rest.View, error) {
		got = o
		return aBook("b"), nil
	})
	r.Watch = watchFunc(func(_ context.Context, _ string, o metav1.ListOptions) (rest.Stream, error) {
		got = o
		return endedStream(), nil
	})
	s := newServer(t, config(t, r))
	const notOlder = metav1.ResourceVersionMatchNotOlderThan
	for _, tc := range []struct {
		query string
		want  metav1.ListOptions
	}{
		{"", metav1.ListOptions{}},
		{"limit=500&continue=abc", metav1.ListOptions{Limit: 500, Continue: "abc"}},
		{"resourceVersion=0", metav1.ListOptions{ResourceVersion: "0"}},
		{"resourceVersion=5&resourceVersionMatch=Exact", metav1.ListOptions{ResourceVersion: "5", ResourceVersionMatch: "Exact"}},
		{"labelSelector=a%3Db,c&fieldSelector=metadata.name%3Db", metav1.ListOptions{LabelSelector: "a=b,c", FieldSelector: "metadata.name=b"}},
		{"unknown=1&pretty=true", metav1.ListOptions{}},

		{"watch=1", metav1.ListOptions{Watch: true, SendInitialEvents: ptr(true), ResourceVersionMatch: notOlder}},
		{"watch=1&resourceVersion=0", metav1.ListOptions{Watch: true, ResourceVersion: "0", SendInitialEvents: ptr(true), ResourceVersionMatch: notOlder}},
		{"watch=1&resourceVersion=5", metav1.ListOptions{Watch: true, ResourceVersion: "5"}},
		{"watch=1&sendInitialEvents=false&resourceVersionMatch=NotOlderThan", metav1.ListOptions{Watch: true, SendInitialEvents: ptr(false), ResourceVersionMatch: notOlder}},
		{"watch=1&sendInitialEvents&resourceVersionMatch=NotOlderThan&allowWatchBookmarks=true&timeoutSeconds=9", metav1.ListOptions{Watch: true, AllowWatchBookmarks: true, TimeoutSeconds: ptr(int64(9)), SendInitialEvents: ptr(true), ResourceVersionMatch: notOlder}},
		{"watch=1&resourceVersion=5&limit=500", metav1.ListOptions{Watch: true, ResourceVersion: "5"}},
	} {
		t.Run(tc.query, func(t *testing.T) {
			got = metav1.ListOptions{}
			if w := do(s, request{path: booksPath + "?" + tc.query}); w.Code != http.StatusOK {
				t.Fatalf("got %d %s", w.Code, w.Body)
			}
			if diff := cmp.Diff(tc.want, got); diff != "" {
				t.Errorf("options (-want +got):\n%s", diff)
			}
		})
	}
}

// numbers are so many values.
func numbers(n int) string {
	var b strings.Builder
	for i := range n {
		fmt.Fprintf(&b, "%d,", i)
	}
	return strings.TrimSuffix(b.String(), ",")
}

func TestBadListOptions(t *testing.T) {
	s := newServer(t, config(t, books()))
	const invalid = `ListOptions.meta.k8s.io "" is invalid: `
	for _, tc := range []struct {
		query   string
		code    int
		reason  metav1.StatusReason
		message string
	}{
		{"limit=x", 400, metav1.StatusReasonBadRequest, `limit: "x" is not a whole number`},
		{"watch=1&limit=x", 400, metav1.StatusReasonBadRequest, `limit: "x" is not a whole number`},
		{"timeoutSeconds=1s", 400, metav1.StatusReasonBadRequest, `timeoutSeconds: "1s" is not a whole number`},
		{"labelSelector=,,%3D", 400, metav1.StatusReasonBadRequest, `found ',', expected: !, identifier, or 'end of string'`},
		{"fieldSelector=name", 400, metav1.StatusReasonBadRequest, `invalid selector: 'name'; can't understand 'name'`},
		{"labelSelector=" + strings.Repeat("!a,", 1000) + "!b", 400, metav1.StatusReasonBadRequest, `labelSelector has 1001 requirements with 0 values, at most 1000 with 10000 are possible: send several requests`},
		{"watch=1&labelSelector=a+in+(" + numbers(10_001) + ")", 400, metav1.StatusReasonBadRequest, `labelSelector has 1 requirements with 10001 values, at most 1000 with 10000 are possible: send several requests`},
		{"fieldSelector=" + strings.Repeat("metadata.name!%3Da,", 1000) + "metadata.name!%3Db", 400, metav1.StatusReasonBadRequest, `fieldSelector has 1001 requirements, at most 1000 are possible: send several requests`},
		{"timeout=soon", 400, metav1.StatusReasonBadRequest, `invalid timeout specified in the request URL - "soon" is not a duration like 10s`},

		{"resourceVersionMatch=Exact", 422, metav1.StatusReasonInvalid, invalid + `resourceVersionMatch: Forbidden: resourceVersionMatch is forbidden unless resourceVersion is provided`},
		{"resourceVersion=5&resourceVersionMatch=Exact&continue=x", 422, metav1.StatusReasonInvalid, invalid + `resourceVersionMatch: Forbidden: resourceVersionMatch is forbidden when continue is provided`},
		{"resourceVersion=5&resourceVersionMatch=Near", 422, metav1.StatusReasonInvalid, invalid + `resourceVersionMatch: Unsupported value: "Near": supported values: "Exact", "NotOlderThan", ""`},
		{"resourceVersion=0&resourceVersionMatch=Exact", 422, metav1.StatusReasonInvalid, invalid + `resourceVersionMatch: Forbidden: resourceVersionMatch "exact" is forbidden for resourceVersion "0"`},
		{"sendInitialEvents=true", 422, metav1.StatusReasonInvalid, invalid + `sendInitialEvents: Forbidden: sendInitialEvents is forbidden for list`},

		{"watch=1&sendInitialEvents=true", 422, metav1.StatusReasonInvalid, invalid + `resourceVersionMatch: Forbidden: sendInitialEvents requires setting resourceVersionMatch to NotOlderThan`},
		{"watch=1&resourceVersion=5&resourceVersionMatch=NotOlderThan", 422, metav1.StatusReasonInvalid, invalid + `resourceVersionMatch: Forbidden: resourceVersionMatch is forbidden for watch unless sendInitialEvents is provided`},
		{"watch=1&resourceVersion=5&continue=x", 422, metav1.StatusReasonInvalid, invalid + `continue: Forbidden: continue is forbidden for watch`},
		{"watch=1&sendInitialEvents=true&resourceVersionMatch=Exact", 422, metav1.StatusReasonInvalid, invalid + `[resourceVersionMatch: Forbidden: sendInitialEvents requires setting resourceVersionMatch to NotOlderThan, resourceVersionMatch: Unsupported value: "Exact": supported values: "NotOlderThan"]`},
	} {
		t.Run(tc.query[:min(len(tc.query), 80)], func(t *testing.T) {
			wantStatus(t, do(s, request{path: booksPath + "?" + tc.query}), tc.code, tc.reason, tc.message)
		})
	}
}

// A watch has its own end; what discovery clients add to every request must not matter to it.
func TestWatchIgnoresTimeout(t *testing.T) {
	r := books()
	r.Watch = watchFunc(func(context.Context, string, metav1.ListOptions) (rest.Stream, error) { return endedStream(), nil })
	s := newServer(t, config(t, r))
	if w := do(s, request{path: booksPath + "?watch=1&timeout=nonsense"}); w.Code != http.StatusOK {
		t.Errorf("got %d %s", w.Code, w.Body)
	}
}

func endedStream() rest.Stream {
	stream := &fakeStream{batches: make(chan []rest.Event)}
	close(stream.batches)
	return stream
}
