package registry_test

import (
	"context"
	"fmt"
	"io"
	"strings"
	"testing"
	"time"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/typeplane/typeplane/registry/rest"
	"github.com/typeplane/typeplane/runtime/runtimetest/widget"
	"github.com/typeplane/typeplane/storage"
)

// watch starts a watch of v1.
func (s *server) watch(ns string, opts metav1.ListOptions) *watching {
	s.t.Helper()
	stream, err := s.v1.Watch.Watch(ctx, ns, opts)
	if err != nil {
		s.t.Fatal(err)
	}
	s.t.Cleanup(stream.Close)
	return &watching{t: s.t, stream: stream}
}

type watching struct {
	t      *testing.T
	stream rest.Stream
	left   []rest.Event
}

// next returns the next event as "TYPE name@revision".
func (w *watching) next() string {
	w.t.Helper()
	for len(w.left) == 0 {
		ctx, cancel := context.WithTimeout(ctx, time.Minute)
		events, err := w.stream.Next(ctx)
		cancel()
		if err != nil {
			return err.Error()
		}
		w.left = events
	}
	event := w.left[0]
	w.left = w.left[1:]
	if event.Type == rest.Error {
		st := read[metav1.Status](w.t, event.Object)
		return fmt.Sprintf("ERROR %d %s: %s", st.Code, st.Reason, st.Message)
	}
	obj := read[*widget.V1](w.t, event.Object)
	if obj.Kind != "Widget" || obj.APIVersion != "shop.example.com/v1" {
		w.t.Errorf("an object of kind %q, apiVersion %q", obj.Kind, obj.APIVersion)
	}
	end := ""
	if obj.Annotations["k8s.io/initial-events-end"] == "true" {
		end = " end"
	}
	return fmt.Sprintf("%s %s%s@%s%s", event.Type, obj.Name, obj.Labels["v"], obj.ResourceVersion, end)
}

// want checks the next events; "%d" stands for the revision, which is added to base.
func (w *watching) want(base int64, events ...string) {
	w.t.Helper()
	for _, want := range events {
		name, offset, found := strings.Cut(want, "@+")
		if found {
			number, end, _ := strings.Cut(offset, " ")
			var n int64
			fmt.Sscan(number, &n)
			want = strings.TrimSpace(fmt.Sprintf("%s@%d %s", name, base+n, end))
		}
		if got := w.next(); got != want {
			w.t.Fatalf("event %q, want %q", got, want)
		}
	}
}

// label writes the object w with a label that says which version it is, and another for selectors.
func (s *server) label(v, tier string) {
	s.t.Helper()
	obj := parse(s.t, widget.GV1, `{"metadata":{"name":"w","labels":{"v":"`+v+`","tier":"`+tier+`"}},"spec":{"color":"`+tier+`"}}`)
	if _, err := s.update(obj); err != nil {
		s.t.Fatal(err)
	}
}

func TestWatchTellsWhatHappens(t *testing.T) {
	s := serve(t, strategy{})
	s.mustCreate(`{"metadata":{"name":"before"}}`)
	base := s.Revision()
	w := s.watch("", metav1.ListOptions{ResourceVersion: fmt.Sprint(base)})
	other := s.watch("other", metav1.ListOptions{ResourceVersion: fmt.Sprint(base), TimeoutSeconds: nil})
	one := s.watch("ns", metav1.ListOptions{ResourceVersion: fmt.Sprint(base), FieldSelector: "metadata.name=w"})
	s.mustCreate(`{"metadata":{"name":"w","labels":{"v":"0"}}}`)
	s.label("1", "x")
	s.mustCreate(`{"metadata":{"name":"after"}}`)
	s.mustDelete()
	w.want(base, "ADDED w0@+1", "MODIFIED w1@+2", "ADDED after@+3", "DELETED w1@+4")
	one.want(base, "ADDED w0@+1", "MODIFIED w1@+2", "DELETED w1@+4")
	other.stream.Close()
	other.want(base, "EOF", "EOF")
}

func TestWatchSelects(t *testing.T) {
	for _, opts := range []metav1.ListOptions{{LabelSelector: "tier=a"}, {FieldSelector: "spec.color=a"}} {
		s := serve(t, strategy{})
		base := s.Revision()
		opts.ResourceVersion = fmt.Sprint(base)
		w := s.watch("", opts)
		s.mustCreate(`{"metadata":{"name":"w"}}`) // 1
		s.label("1", "b")                         // 2: still not
		s.label("2", "a")                         // 3: comes into sight
		s.label("3", "a")                         // 4
		s.label("4", "b")                         // 5: goes out of sight
		s.label("5", "b")                         // 6
		s.label("6", "a")                         // 7
		s.mustDelete()                            // 8
		s.mustCreate(`{"metadata":{"name":"w"}}`) // 9
		s.mustDelete()                            // 10: nobody has seen it
		s.mustCreate(`{"metadata":{"name":"z","labels":{"tier":"a"}},"spec":{"color":"a"}}`)
		w.want(base, "ADDED w2@+3", "MODIFIED w3@+4", "DELETED w3@+5", "ADDED w6@+7", "DELETED w6@+8", "ADDED z@+11")
	}
}

func TestWatchBeginsWithWhatIsThere(t *testing.T) {
	yes, no := true, false
	match := metav1.ResourceVersionMatchNotOlderThan
	for _, tc := range []struct {
		name string
		opts metav1.ListOptions
		want []string
	}{
		{"no revision", metav1.ListOptions{}, []string{"ADDED a@+1", "ADDED b@+2", "ADDED c@+3"}},
		{"zero", metav1.ListOptions{ResourceVersion: "0"}, []string{"ADDED a@+1", "ADDED b@+2", "ADDED c@+3"}},
		{"no revision, bookmarks", metav1.ListOptions{AllowWatchBookmarks: true}, []string{"ADDED a@+1", "ADDED b@+2", "BOOKMARK @+2 end", "ADDED c@+3"}},
		{"list and watch", metav1.ListOptions{SendInitialEvents: &yes, ResourceVersionMatch: match, AllowWatchBookmarks: true}, []string{"ADDED a@+1", "ADDED b@+2", "BOOKMARK @+2 end", "ADDED c@+3"}},
		{"list and watch from 2", metav1.ListOptions{ResourceVersion: "2", SendInitialEvents: &yes, ResourceVersionMatch: match, AllowWatchBookmarks: true}, []string{"ADDED a@+1", "ADDED b@+2", "BOOKMARK @+2 end", "ADDED c@+3"}},
		{"list and watch without bookmarks", metav1.ListOptions{SendInitialEvents: &yes, ResourceVersionMatch: match}, []string{"ADDED a@+1", "ADDED b@+2", "ADDED c@+3"}},
		{"nothing there", metav1.ListOptions{LabelSelector: "x", SendInitialEvents: &yes, ResourceVersionMatch: match, AllowWatchBookmarks: true}, []string{"BOOKMARK @+2 end"}},
		{"one name", metav1.ListOptions{FieldSelector: "metadata.name=b,metadata.namespace=ns", SendInitialEvents: &yes, ResourceVersionMatch: match, AllowWatchBookmarks: true}, []string{"ADDED b@+2", "BOOKMARK @+2 end"}},
		{"no initial events", metav1.ListOptions{SendInitialEvents: &no, ResourceVersionMatch: match}, []string{"ADDED c@+3"}},
		{"no initial events from zero", metav1.ListOptions{ResourceVersion: "0", SendInitialEvents: &no, ResourceVersionMatch: match}, []string{"ADDED c@+3"}},
		{"no initial events from a revision", metav1.ListOptions{ResourceVersion: "2", SendInitialEvents: &no, ResourceVersionMatch: match}, []string{"ADDED b@+2", "ADDED c@+3"}},
	} {
		t.Run(tc.name, func(t *testing.T) {
			s := serve(t, strategy{})
			base := s.Revision()
			s.mustCreate(`{"metadata":{"name":"a"}}`)
			s.mustCreate(`{"metadata":{"name":"b"}}`)
			w := s.watch("", tc.opts)
			s.mustCreate(`{"metadata":{"name":"c"}}`)
			w.want(base, tc.want...)
		})
	}
}

// silent does not know how far the database is.
type silent struct{ storage.Interface }

func (silent) Revision(context.Context) (int64, error) {
	return 0, &storage.Error{Code: storage.CodeUnavailable, Op: "revision", Key: "/"}
}

// A watch without initial events begins at the newest state, or at any that is at hand, for which
// nobody has to be asked.
func TestWatchBeginsWithNothing(t *testing.T) {
	s := serveThrough(t, strategy{}, func(store storage.Interface) storage.Interface { return silent{store} })
	s.mustCreate(`{"metadata":{"name":"a"}}`)
	base, no := s.Revision(), false
	opts := metav1.ListOptions{SendInitialEvents: &no, ResourceVersionMatch: metav1.ResourceVersionMatchNotOlderThan}
	_, err := s.v1.Watch.Watch(ctx, "", opts)
	wantStatus(t, err, 500, "ServerTimeout", "The watch operation against widgets.shop.example.com could not be completed at this time, please try again.")
	opts.ResourceVersion = "0"
	w, one := s.watch("", opts), opts
	one.FieldSelector = "metadata.name=b"
	single := s.watch("ns", one)
	s.mustCreate(`{"metadata":{"name":"b"}}`)
	w.want(base, "ADDED b@+1")
	single.want(base, "ADDED b@+1")
}

func TestWatchSendsManyInitialEventsInPieces(t *testing.T) {
	s := serve(t, strategy{})
	for i := range 1000 {
		s.mustCreate(fmt.Sprintf(`{"metadata":{"name":"w%04d"}}`, i))
	}
	stream, err := s.v1.Watch.Watch(ctx, "", metav1.ListOptions{})
	if err != nil {
		t.Fatal(err)
	}
	defer stream.Close()
	for got := 0; got < 1000; {
		events, err := stream.Next(ctx)
		if err != nil || len(events) > 256 {
			t.Fatalf("%d events, %v", len(events), err)
		}
		for _, event := range events {
			if name := read[*widget.V1](t, event.Object).Name; name != fmt.Sprintf("w%04d", got) {
				t.Fatalf("event %d is of %s", got, name)
			}
			got++
		}
	}
}

func TestWatchFails(t *testing.T) {
	s := serve(t, strategy{})
	first := s.mustCreate(`{"metadata":{"name":"w"}}`).ResourceVersion
	s.label("1", "a")
	s.label("2", "a")
	oldest := s.Revision()
	if err := s.Compact(oldest); err != nil {
		t.Fatal(err)
	}
	s.label("2", "b")
	now := s.Revision()
	w := s.watch("", metav1.ListOptions{ResourceVersion: first})
	w.want(0, fmt.Sprintf("ERROR 410 Expired: too old resource version: %s (%d)", first, oldest), "EOF", "EOF")

	yes := true
	w = s.watch("", metav1.ListOptions{ResourceVersion: "999", SendInitialEvents: &yes, ResourceVersionMatch: metav1.ResourceVersionMatchNotOlderThan, AllowWatchBookmarks: true})
	w.want(0, fmt.Sprintf("ERROR 504 Timeout: Timeout: Too large resource version: 999, current: %d", now), "EOF")

	for _, opts := range []metav1.ListOptions{{ResourceVersion: "x"}, {FieldSelector: "spec.size=1"}, {LabelSelector: "in in"}} {
		if _, err := s.v1.Watch.Watch(ctx, "", opts); status(t, err).Code != 400 {
			t.Errorf("%+v: %v", opts, err)
		}
	}

	// What can't be read is an error, and the last event.
	w = s.watch("", metav1.ListOptions{ResourceVersion: fmt.Sprint(now)})
	s.Put("/registry/shop.example.com/widgets/ns/bad", []byte("{}"))
	s.label("3", "a")
	if got := w.next(); !strings.HasPrefix(got, "ERROR 500 StorageReadError: failed to read") {
		t.Error(got)
	}
	w.want(0, "EOF")
	w = s.watch("", metav1.ListOptions{})
	if got := w.next(); !strings.HasPrefix(got, "ERROR 500 StorageReadError: failed to read") {
		t.Error(got)
	}
	// It does not concern who doesn't want it.
	w = s.watch("ns", metav1.ListOptions{FieldSelector: "metadata.name=w"})
	w.want(s.Revision(), "ADDED w3@+0")
}

func TestWhatIsMendedIsNewToAWatch(t *testing.T) {
	s := serve(t, strategy{})
	s.Put("/registry/shop.example.com/widgets/ns/w", []byte("?"))
	base := s.Revision()
	w := s.watch("", metav1.ListOptions{LabelSelector: "tier", ResourceVersion: fmt.Sprint(base)})
	s.Put("/registry/shop.example.com/widgets/ns/w", []byte(`{"kind":"Widget","apiVersion":"shop.example.com/v1","metadata":{"name":"w","namespace":"ns","labels":{"tier":"a"}}}`))
	s.label("1", "a")
	w.want(base, "ADDED w@+1", "MODIFIED w1@+2")
}

func TestWatchEndsWithItsContext(t *testing.T) {
	s := serve(t, strategy{})
	stream, err := s.v1.Watch.Watch(ctx, "", metav1.ListOptions{ResourceVersion: "1", AllowWatchBookmarks: true})
	if err != nil {
		t.Fatal(err)
	}
	defer stream.Close()
	gone, cancel := context.WithCancel(ctx)
	cancel()
	if _, err := stream.Next(gone); err != io.EOF {
		t.Errorf("after its client is gone: %v", err)
	}
}
