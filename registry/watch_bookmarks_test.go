package registry_test

import (
	"context"
	"fmt"
	"io"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/typeplane/typeplane/registry/rest"
	"github.com/typeplane/typeplane/runtime/runtimetest/widget"
)

func TestWatchBookmarks(t *testing.T) {
	// How long a watch lasts that has to hear of one write: longer, where it was over before that.
	life := 50 * time.Millisecond
	for ; !bookmarkAtTheEnd(t, life); life *= 2 {
		if life > time.Minute {
			t.Fatalf("the bookmark at the end of a watch is of before a write, %v ago", life)
		}
	}
}

// bookmarkAtTheEnd says whether the last bookmark of a watch, which ends so long after a write, is
// as new as that.
func bookmarkAtTheEnd(t *testing.T, life time.Duration) bool {
	t.Helper()
	s := serve(t, strategy{})
	base := s.Revision()
	s.mustCreate(`{"metadata":{"name":"a"}}`)
	stream, err := s.v1.Watch.Watch(ctx, "", metav1.ListOptions{LabelSelector: "nobody=has", ResourceVersion: fmt.Sprint(base), AllowWatchBookmarks: true})
	if err != nil {
		t.Fatal(err)
	}
	defer stream.Close()
	w := &watching{t: t, stream: stream}
	// The first one comes soon, and tells of what the selector left out.
	w.want(base, "BOOKMARK @+1")
	s.mustCreate(`{"metadata":{"name":"b"}}`)
	// The next one is due in a minute; when the time of the watch is over it comes at once, as the
	// last event.
	short, cancel := context.WithTimeout(ctx, life)
	defer cancel()
	events, err := stream.Next(short)
	if err != nil || len(events) != 1 || events[0].Type != rest.Bookmark {
		t.Fatalf("%v, %v", events, err)
	}
	last := read[*widget.V1](t, events[0].Object).ResourceVersion
	if _, err := stream.Next(ctx); err != io.EOF {
		t.Errorf("after the end: %v", err)
	}
	return last == fmt.Sprint(base+2)
}

// A bookmark promises that everything up to it has been seen: it is not for a revision that nobody
// has seen yet.
func TestNoBookmarkBeforeThereIsNews(t *testing.T) {
	s := serve(t, strategy{})
	s.mustCreate(`{"metadata":{"name":"a"}}`)
	no, match := false, metav1.ResourceVersionMatchNotOlderThan
	for _, opts := range []metav1.ListOptions{
		{ResourceVersion: fmt.Sprint(s.Revision())}, {ResourceVersion: fmt.Sprint(s.Revision() + 1000)},
		{SendInitialEvents: &no, ResourceVersionMatch: match}, {ResourceVersion: "0", SendInitialEvents: &no, ResourceVersionMatch: match},
	} {
		opts.AllowWatchBookmarks = true
		stream, err := s.v1.Watch.Watch(ctx, "", opts)
		if err != nil {
			t.Fatal(err)
		}
		defer stream.Close()
		short, cancel := context.WithTimeout(ctx, 10*time.Millisecond)
		defer cancel()
		if events, err := stream.Next(short); err != io.EOF {
			t.Errorf("a watch after %q, the store is at %d: %v, %v", opts.ResourceVersion, s.Revision(), events, err)
		}
	}
}

func TestBookmarksAreEmptyObjects(t *testing.T) {
	s := serve(t, strategy{})
	stream, err := s.beta.Watch.Watch(ctx, "", metav1.ListOptions{AllowWatchBookmarks: true})
	if err != nil {
		t.Fatal(err)
	}
	defer stream.Close()
	events, err := stream.Next(ctx)
	if err != nil {
		t.Fatal(err)
	}
	want := `{"kind":"Widget","apiVersion":"shop.example.com/v1beta1","metadata":{"resourceVersion":"1","annotations":{"k8s.io/initial-events-end":"true"}},"spec":{},"status":{}}` + "\n"
	if diff := cmp.Diff(want, text(t, events[0].Object)); diff != "" {
		t.Error(diff)
	}
}
