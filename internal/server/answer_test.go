package server_test

import (
	"bytes"
	"compress/gzip"
	"context"
	"errors"
	"fmt"
	"io"
	"math/rand/v2"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"

	"github.com/klauspost/compress/zstd"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime/schema"

	"github.com/typeplane/typeplane/internal/server"
	"github.com/typeplane/typeplane/registry/rest"
)

func getting(t *testing.T, get getFunc) *server.Server {
	t.Helper()
	r := books()
	r.Get = get
	return newServer(t, config(t, r))
}

// sized writes n bytes in pieces.
func sized(n int) rest.View {
	return viewFunc(func(w io.Writer) error {
		for n > 0 {
			piece := min(n, 10<<10)
			if _, err := io.WriteString(w, strings.Repeat("x", piece)); err != nil {
				return err
			}
			n -= piece
		}
		return nil
	})
}

func TestLengthAndCompression(t *testing.T) {
	for _, tc := range []struct {
		name     string
		size     int
		encoding string
		length   string
		coding   string
	}{
		{"small", 100, "gzip, zstd", "100", ""},
		{"empty", 0, "gzip", "0", ""},
		{"at the threshold", 128 << 10, "gzip, zstd", "131072", ""},
		{"above", 128<<10 + 1, "gzip", "", "gzip"},
		{"above, zstd", 128<<10 + 1, "zstd", "", "zstd"},
		{"large, both", 1 << 20, "gzip, deflate, br, zstd", "", "zstd"},
		{"large, gzip among others", 1 << 20, "br, gzip;q=0.5", "", "gzip"},
		{"large, gzip rather", 1 << 20, "zstd; q=0.5, GZIP;q=0.8", "", "gzip"},
		{"large, neither rather", 1 << 20, "gzip;q=0.5, zstd;q=0.5, identity", "", ""},
		{"large, not wanted", 1 << 20, "", "", ""},
		{"large, refused", 1 << 20, "gzip;q=0, zstd;q=0.000", "", ""},
		{"large, no weight", 1 << 20, "gzip;q=NaN, zstd;q=2", "", ""},
	} {
		t.Run(tc.name, func(t *testing.T) {
			s := getting(t, func(context.Context, rest.Name, metav1.GetOptions) (rest.View, error) { return sized(tc.size), nil })
			w := do(s, request{path: bookPath, header: map[string]string{"Accept-Encoding": tc.encoding}})
			header := w.Header()
			if got := header.Get("Content-Length"); got != tc.length {
				t.Errorf("Content-Length %q, want %q", got, tc.length)
			}
			if got := header.Get("Content-Encoding"); got != tc.coding || (header.Get("Vary") == "Accept-Encoding") != (got != "") {
				t.Fatalf("compressed by %q, want %q: %v", got, tc.coding, header)
			}
			var body io.Reader = w.Body
			var err error
			switch tc.coding {
			case "gzip":
				body, err = gzip.NewReader(w.Body)
			case "zstd":
				body, err = zstd.NewReader(w.Body)
			}
			if err != nil {
				t.Fatal(err)
			}
			data, err := io.ReadAll(body)
			if err != nil || len(data) != tc.size {
				t.Errorf("got %d bytes, want %d (%v)", len(data), tc.size, err)
			}
		})
	}
}

// TestCompressorsAreUsedAgain: an answer that broke off leaves nothing in the next one.
func TestCompressorsAreUsedAgain(t *testing.T) {
	var body []byte
	var broken bool
	s := getting(t, func(context.Context, rest.Name, metav1.GetOptions) (rest.View, error) {
		return viewFunc(func(w io.Writer) error {
			if broken {
				w.Write(body[:len(body)/2])
				return errors.New("it broke")
			}
			_, err := w.Write(body)
			return err
		}), nil
	})
	get := func(coding string) (w *httptest.ResponseRecorder) {
		defer func() { recover() }() // net/http would cut the connection
		w = httptest.NewRecorder()
		s.ServeHTTP(w, request{path: bookPath, header: map[string]string{"Accept-Encoding": coding}}.build())
		return w
	}
	random := rand.New(rand.NewPCG(1, 2))
	for i := range 40 {
		body = make([]byte, 200<<10+random.IntN(1<<20))
		for j := range body {
			body[j] = byte(random.IntN(1 + i))
		}
		coding := []string{"gzip", "zstd"}[i/2%2]
		broken = i%2 == 0
		w := get(coding)
		if broken {
			continue
		}
		var reader io.Reader
		var err error
		if coding == "gzip" {
			reader, err = gzip.NewReader(w.Body)
		} else {
			reader, err = zstd.NewReader(w.Body)
		}
		if err != nil {
			t.Fatal(err)
		}
		if got, err := io.ReadAll(reader); err != nil || !bytes.Equal(got, body) {
			t.Fatalf("%s: %d bytes that are not the %d of the answer: %v", coding, len(got), len(body), err)
		}
	}
}

func TestHead(t *testing.T) {
	ts := start(t, newServer(t, config(t, books())))
	req := request{method: "HEAD", path: bookPath}.build()
	req.RequestURI, req.URL.Scheme, req.URL.Host = "", "https", ts.Listener.Addr().String()
	resp, err := ts.Client().Do(req)
	if err != nil {
		t.Fatal(err)
	}
	body, err := io.ReadAll(resp.Body)
	if err != nil || resp.StatusCode != http.StatusOK || len(body) != 0 || resp.ContentLength < 50 {
		t.Errorf("got %s, %d bytes, length %d, %v", resp.Status, len(body), resp.ContentLength, err)
	}
}

// A view that fails early is an error like any other, because nothing has been sent.
func TestViewFailsEarly(t *testing.T) {
	s := getting(t, func(context.Context, rest.Name, metav1.GetOptions) (rest.View, error) {
		return viewFunc(func(w io.Writer) error {
			_, _ = io.WriteString(w, "half of an")
			return errors.New("can't be read")
		}), nil
	})
	w := do(s, request{path: bookPath})
	wantStatus(t, w, http.StatusInternalServerError, "", "can't be read")
}

// A view that fails late must not look like a whole answer.
func TestViewFailsLate(t *testing.T) {
	ts := start(t, getting(t, func(context.Context, rest.Name, metav1.GetOptions) (rest.View, error) {
		return viewFunc(func(w io.Writer) error {
			_ = sized(1<<20).WriteTo(w, rest.Representation{})
			return errors.New("can't be read")
		}), nil
	}))
	req := request{path: bookPath}.build()
	req.RequestURI, req.URL.Scheme, req.URL.Host = "", "https", ts.Listener.Addr().String()
	resp, err := ts.Client().Do(req)
	if err == nil {
		_, err = io.ReadAll(resp.Body)
	}
	if err == nil {
		t.Error("the client believes that it has got everything")
	}
}

func TestErrors(t *testing.T) {
	gr := schema.GroupResource{Group: gv1.Group, Resource: "books"}
	for _, tc := range []struct {
		name    string
		err     error
		code    int
		reason  metav1.StatusReason
		message string
		retry   string
	}{
		{"status", apierrors.NewNotFound(gr, "b"), 404, metav1.StatusReasonNotFound, `books.library.example.com "b" not found`, ""},
		{"wrapped status", fmt.Errorf("get: %w", apierrors.NewConflict(gr, "b", errors.New("changed"))), 409, metav1.StatusReasonConflict, `Operation cannot be fulfilled on books.library.example.com "b": changed`, ""},
		{"retry", apierrors.NewTooManyRequests("later", 7), 429, metav1.StatusReasonTooManyRequests, "later", "7"},
		{"server timeout", apierrors.NewServerTimeout(gr, "get", 2), 500, metav1.StatusReasonServerTimeout, "The get operation against books.library.example.com could not be completed at this time, please try again.", "2"},
		{"deadline", fmt.Errorf("get: %w", context.DeadlineExceeded), 504, metav1.StatusReasonTimeout, "Timeout: request did not complete within the allotted timeout", ""},
		{"any other", errors.New("disk on fire"), 500, "", "disk on fire", ""},
	} {
		t.Run(tc.name, func(t *testing.T) {
			s := getting(t, func(context.Context, rest.Name, metav1.GetOptions) (rest.View, error) { return nil, tc.err })
			w := do(s, request{path: bookPath})
			wantStatus(t, w, tc.code, tc.reason, tc.message)
			if got := w.Header().Get("Retry-After"); got != tc.retry {
				t.Errorf("Retry-After: %q, want %q", got, tc.retry)
			}
		})
	}
}
