package server_test

import (
	"bufio"
	"context"
	"encoding/binary"
	"encoding/json"
	"errors"
	"io"
	"net/http"
	"net/http/httptest"
	"testing"
	"time"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/typeplane/typeplane/internal/server"
	"github.com/typeplane/typeplane/registry/rest"
	"github.com/typeplane/typeplane/runtime/wire"
)

func watching(t *testing.T, stream rest.Stream, err error) *server.Server {
	t.Helper()
	r := books()
	r.Watch = watchFunc(func(context.Context, string, metav1.ListOptions) (rest.Stream, error) { return stream, err })
	return newServer(t, config(t, r))
}

func batches(list ...[]rest.Event) *fakeStream {
	s := &fakeStream{batches: make(chan []rest.Event, len(list))}
	for _, batch := range list {
		s.batches <- batch
	}
	close(s.batches)
	return s
}

func TestWatchJSON(t *testing.T) {
	s := watching(t, batches(
		[]rest.Event{{Type: rest.Added, Object: aBook("a")}, {Type: rest.Modified, Object: aBook("a")}},
		[]rest.Event{{Type: rest.Deleted, Object: aBook("a")}},
	), nil)
	w := do(s, request{path: booksPath + "?watch=1&pretty=true"})
	const object = `"object":{"kind":"Book","apiVersion":"library.example.com/v1","metadata":{"name":"a","namespace":"ns"},"spec":{}}}` + "\n"
	want := `{"type":"ADDED",` + object + `{"type":"MODIFIED",` + object + `{"type":"DELETED",` + object
	if w.Body.String() != want {
		t.Errorf("\n got: %s\nwant: %s", w.Body, want)
	}
	if w.Code != http.StatusOK || w.Header().Get("Content-Type") != "application/json" || !w.Flushed {
		t.Errorf("got %d %q, flushed %t", w.Code, w.Header().Get("Content-Type"), w.Flushed)
	}
}

func TestWatchProtobuf(t *testing.T) {
	shelf := objectView{&metav1.PartialObjectMetadata{
		TypeMeta:   metav1.TypeMeta{Kind: "Shelf", APIVersion: gv1.String()},
		ObjectMeta: metav1.ObjectMeta{Name: "s"},
	}}
	s := watching(t, batches([]rest.Event{{Type: rest.Added, Object: shelf}, {Type: rest.Bookmark, Object: shelf}}), nil)
	w := do(s, request{path: booksPath + "?watch=1", header: map[string]string{"Accept": "application/vnd.kubernetes.protobuf;stream=watch,application/json"}})
	if got := w.Header().Get("Content-Type"); got != "application/vnd.kubernetes.protobuf;stream=watch" {
		t.Errorf("Content-Type %q", got)
	}
	for _, want := range []string{"ADDED", "BOOKMARK"} {
		var length uint32
		if err := binary.Read(w.Body, binary.BigEndian, &length); err != nil {
			t.Fatal(err)
		}
		frame := w.Body.Next(int(length))
		var event metav1.WatchEvent
		if err := event.Unmarshal(frame); err != nil {
			t.Fatalf("%v in %q", err, frame)
		}
		envelope, err := wire.ParseEnvelope(event.Object.Raw)
		if err != nil || event.Type != want || string(envelope.Kind) != "Shelf" {
			t.Errorf("got %q, %q, %v; want %q", event.Type, event.Object.Raw, err, want)
		}
	}
	if w.Body.Len() != 0 {
		t.Errorf("%d bytes too many", w.Body.Len())
	}
}

// What goes wrong before the stream is there is an HTTP error, afterwards it is an event.
func TestWatchErrors(t *testing.T) {
	w := do(watching(t, nil, apierrors.NewTooManyRequests("not ready", 1)), request{path: booksPath + "?watch=1"})
	wantStatus(t, w, http.StatusTooManyRequests, metav1.StatusReasonTooManyRequests, "not ready")

	stream := batches()
	stream.err = apierrors.NewResourceExpired("too old resource version: 1 (2)")
	w = do(watching(t, stream, nil), request{path: booksPath + "?watch=1"})
	const want = `{"type":"ERROR","object":{"kind":"Status","apiVersion":"v1","metadata":{},"status":"Failure","message":"too old resource version: 1 (2)","reason":"Expired","code":410}}` + "\n"
	if w.Code != http.StatusOK || w.Body.String() != want {
		t.Errorf("got %d %s", w.Code, w.Body)
	}
}

// openWatch starts a watch over a real connection and returns what has arrived by the time the
// header is here.
func openWatch(t *testing.T, ts *httptest.Server, query string) *http.Response {
	t.Helper()
	req := request{path: booksPath + "?watch=1" + query}.build()
	req.RequestURI, req.URL.Scheme, req.URL.Host = "", "https", ts.Listener.Addr().String()
	resp, err := ts.Client().Do(req)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = resp.Body.Close() })
	return resp
}

func TestWatchFlushes(t *testing.T) {
	stream := &fakeStream{batches: make(chan []rest.Event)}
	ts := start(t, watching(t, stream, nil))
	resp := openWatch(t, ts, "") // returns only if the header comes before any event
	if resp.ProtoMajor != 2 {
		t.Errorf("HTTP/%d", resp.ProtoMajor)
	}
	lines := bufio.NewReader(resp.Body)
	for _, name := range []string{"a", "b", "c"} {
		stream.batches <- []rest.Event{{Type: rest.Added, Object: aBook(name)}}
		line, err := lines.ReadBytes('\n')
		var event struct {
			Object struct{ Metadata struct{ Name string } }
		}
		if err != nil || json.Unmarshal(line, &event) != nil || event.Object.Metadata.Name != name {
			t.Fatalf("got %q, %v", line, err)
		}
	}
	close(stream.batches)
	if rest, err := io.ReadAll(lines); err != nil || len(rest) != 0 {
		t.Errorf("the end: %q, %v", rest, err)
	}
}

func TestWatchEndsInTime(t *testing.T) {
	ts := start(t, watching(t, &fakeStream{batches: make(chan []rest.Event)}, nil))
	begin := time.Now()
	resp := openWatch(t, ts, "&timeoutSeconds=1")
	if rest, err := io.ReadAll(resp.Body); err != nil || len(rest) != 0 {
		t.Errorf("the end: %q, %v", rest, err)
	}
	if took := time.Since(begin); took < 900*time.Millisecond || took > time.Minute {
		t.Errorf("took %s", took)
	}
}

// When the client goes, the stream's context ends.
func TestWatchEndsWithTheClient(t *testing.T) {
	gone := make(chan struct{})
	r := books()
	r.Watch = watchFunc(func(ctx context.Context, _ string, _ metav1.ListOptions) (rest.Stream, error) {
		context.AfterFunc(ctx, func() { close(gone) })
		return &fakeStream{batches: make(chan []rest.Event)}, nil
	})
	ts := start(t, newServer(t, config(t, r)))
	resp := openWatch(t, ts, "")
	if err := resp.Body.Close(); err != nil {
		t.Fatal(err)
	}
	select {
	case <-gone:
	case <-time.After(time.Minute):
		t.Error("the watch goes on without its client")
	}
}

// An object that can't be written breaks the stream off; the client must not take it for its proper
// end.
func TestWatchBreaksOff(t *testing.T) {
	broken := viewFunc(func(io.Writer) error { return errors.New("can't be read") })
	ts := start(t, watching(t, batches([]rest.Event{{Type: rest.Added, Object: broken}}), nil))
	resp := openWatch(t, ts, "")
	if _, err := io.ReadAll(resp.Body); err == nil {
		t.Error("the client sees an orderly end")
	}
}
