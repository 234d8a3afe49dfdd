package server

import (
	"net/url"
	"testing"

	"github.com/prometheus/client_golang/prometheus"
	"k8s.io/apimachinery/pkg/runtime/schema"

	"github.com/typeplane/typeplane/auth"
	"github.com/typeplane/typeplane/internal/fairness"
	"github.com/typeplane/typeplane/registry/rest"
)

// TestSeatsOfLists: a list has the seats of what it is about to send, whatever else the client
// says. There are a thousand objects of ten kilobytes.
func TestSeatsOfLists(t *testing.T) {
	books := schema.GroupVersionResource{Group: "library.example.com", Version: "v1", Resource: "books"}
	s := &Server{resources: map[schema.GroupVersionResource]*rest.Resource{books: {Weigh: func(namespace string) (objects, bytes int64, ok bool) {
		if namespace == "small" {
			return 1, 10_000, true
		}
		return 1000, 10_000_000, namespace != "unknown"
	}}}}
	controller := fairness.New(6000, prometheus.NewRegistry()) // so many that a request may have ten
	const path = "/apis/library.example.com/v1/"
	for _, tc := range []struct {
		url  string
		want int
	}{
		{path + "books", 10},
		{path + "namespaces/small/books", 1},
		{path + "namespaces/unknown/books", 10},
		{path + "books?limit=1", 1},
		{path + "books?limit=25", 3},
		{path + "books?limit=-1", 10},
		{path + "books?limit=5000", 10},
		{path + "books?limit=25&resourceVersion=7", 3},
		// Of any state there is no page: all is sent.
		{path + "books?limit=1&resourceVersion=0", 10},
		{path + "books?limit=1&resourceVersion=00", 10},
		{path + "books?limit=1&resourceVersion=0&resourceVersionMatch=NotOlderThan", 10},
		{path + "books?limit=25&resourceVersion=0&continue=x", 3},
		{path + "books?fieldSelector=metadata.name%3Da&resourceVersion=0", 1},

		{path + "books?watch=1", 10},
		{path + "books?watch=1&limit=1", 10},
		{path + "books?watch=1&resourceVersion=0", 10},
		{path + "books?watch=1&resourceVersion=00", 10},
		{path + "books?watch=1&resourceVersion=7", 1},
		{path + "books?watch=1&resourceVersion=7&sendInitialEvents=true", 10},
		{path + "books?watch=1&sendInitialEvents=false", 1},
	} {
		u, err := url.Parse(tc.url)
		if err != nil {
			t.Fatal(err)
		}
		c := &call{query: u.Query()}
		if c.info, err = parseInfo("GET", u, c.query); err != nil {
			t.Fatal(err)
		}
		c.turn = controller.Classify(&fairness.Request{User: &auth.User{Name: "u", Groups: []string{auth.GroupAuthenticated}}, Verb: c.info.Verb, IsResource: true})
		if got := s.work(c).Seats; got != tc.want {
			t.Errorf("%s: %d seats, want %d", tc.url, got, tc.want)
		}
	}
}
