package server_test

import (
	"bytes"
	"context"
	"encoding/base64"
	"errors"
	"io"
	"net"
	"net/http"
	"net/http/httptest"
	"regexp"
	"strings"
	"testing"
	"time"

	"github.com/coder/websocket"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/typeplane/typeplane/auth"
	"github.com/typeplane/typeplane/internal/server"
	"github.com/typeplane/typeplane/registry/rest"
)

func notThere() error {
	return apierrors.NewNotFound(gv1.WithResource("books").GroupResource(), "missing")
}

// formKeeper keeps the form that it is written in.
type formKeeper struct{ form *rest.Representation }

func (v formKeeper) WriteTo(w io.Writer, form rest.Representation) error {
	*v.form = form
	_, err := w.Write([]byte("{}\n"))
	return err
}

// dial opens a WebSocket, which is HTTP/1.1.
func dial(t *testing.T, ts *httptest.Server, path string, opts *websocket.DialOptions) (*websocket.Conn, *http.Response, error) {
	t.Helper()
	tls := ts.Client().Transport.(*http.Transport).TLSClientConfig.Clone()
	tls.NextProtos = []string{"http/1.1"}
	opts.HTTPClient = &http.Client{Transport: &http.Transport{TLSClientConfig: tls}}
	ctx, cancel := context.WithTimeout(t.Context(), time.Minute)
	defer cancel()
	conn, resp, err := websocket.Dial(ctx, ts.URL+path, opts)
	if err == nil {
		t.Cleanup(func() { conn.CloseNow() })
		conn.SetReadLimit(-1)
	}
	return conn, resp, err
}

func asAdmin() http.Header { return http.Header{"Test-User": {"admin"}} }

// streaming is a server whose watches have the stream.
func streaming(t *testing.T, stream rest.Stream) (*server.Server, *httptest.Server) {
	t.Helper()
	r := books()
	r.Watch = watchFunc(func(context.Context, string, metav1.ListOptions) (rest.Stream, error) { return stream, nil })
	s := newServer(t, config(t, r))
	return s, start(t, s)
}

func read(t *testing.T, conn *websocket.Conn) (websocket.MessageType, []byte, error) {
	t.Helper()
	ctx, cancel := context.WithTimeout(t.Context(), time.Minute)
	defer cancel()
	return conn.Read(ctx)
}

// Each event is a message with the bytes that it has in a stream: text for JSON, and for protobuf
// bytes without their length.
func TestWatchSocket(t *testing.T) {
	events := []rest.Event{{Type: rest.Added, Object: aShelf("a")}, {Type: rest.Modified, Object: aShelf("b")}}
	for name, tc := range map[string]struct {
		accept string
		want   websocket.MessageType
		skip   int
	}{
		"JSON":     {"application/json", websocket.MessageText, 0},
		"protobuf": {"application/vnd.kubernetes.protobuf", websocket.MessageBinary, 4},
	} {
		t.Run(name, func(t *testing.T) {
			stream := &fakeStream{batches: make(chan []rest.Event, 2), err: apierrors.NewResourceExpired("too old")}
			_, ts := streaming(t, stream)
			header := asAdmin()
			header.Set("Accept", tc.accept)
			conn, resp, err := dial(t, ts, booksPath+"?watch=1", &websocket.DialOptions{HTTPHeader: header})
			if err != nil {
				t.Fatal(err)
			}
			if resp.Header.Get("Audit-Id") == "" {
				t.Errorf("header: %v", resp.Header)
			}
			// What a client sends means nothing.
			if err := conn.Write(t.Context(), websocket.MessageText, []byte("hello")); err != nil {
				t.Fatal(err)
			}
			stream.batches <- events
			for _, event := range events {
				whole := streamed(t, tc.accept, event)
				messageType, message, err := read(t, conn)
				if err != nil || messageType != tc.want || !bytes.Equal(message, whole[tc.skip:]) {
					t.Fatalf("got %v %q, %v\nwant %q", messageType, message, err, whole)
				}
			}
			close(stream.batches)
			if _, message, err := read(t, conn); err != nil || !bytes.Contains(message, []byte("too old")) || !bytes.Contains(message, []byte("ERROR")) {
				t.Errorf("the error: %q, %v", message, err)
			}
			if _, _, err := read(t, conn); websocket.CloseStatus(err) != websocket.StatusNormalClosure {
				t.Errorf("the end: %v", err)
			}
		})
	}
}

func aShelf(name string) rest.View {
	return objectView{&metav1.PartialObjectMetadata{TypeMeta: metav1.TypeMeta{Kind: "Shelf", APIVersion: gv1.String()}, ObjectMeta: metav1.ObjectMeta{Name: name}}}
}

// streamed are the bytes of an event in a stream.
func streamed(t *testing.T, accept string, event rest.Event) []byte {
	t.Helper()
	stream := &fakeStream{batches: make(chan []rest.Event, 1)}
	stream.batches <- []rest.Event{event}
	close(stream.batches)
	s, _ := streaming(t, stream)
	return do(s, request{path: booksPath + "?watch=1", header: map[string]string{"Accept": accept}}).Body.Bytes()
}

// A server that stops says so, and waits for its WebSockets to end.
func TestWatchSocketOfAStoppingServer(t *testing.T) {
	s := newServer(t, config(t, books()))
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	ctx, stop := context.WithCancel(t.Context())
	defer stop()
	served := make(chan error, 1)
	go func() { served <- s.Serve(ctx, listener, nil) }()
	conn, _, err := websocket.Dial(t.Context(), "http://"+listener.Addr().String()+booksPath+"?watch=1", &websocket.DialOptions{HTTPHeader: asAdmin()})
	if err != nil {
		t.Fatal(err)
	}
	defer conn.CloseNow()
	stop()
	if _, _, err := read(t, conn); websocket.CloseStatus(err) != websocket.StatusGoingAway {
		t.Errorf("the end: %v", err)
	}
	if err := <-served; err != nil {
		t.Error(err)
	}
}

// A watch ends when its time is over and when the client goes; it counts as one of the user's as
// long.
func TestWatchSocketEnds(t *testing.T) {
	ended := make(chan error, 1)
	r := books()
	r.Watch = watchFunc(func(context.Context, string, metav1.ListOptions) (rest.Stream, error) { return untilDone{ended}, nil })
	c := config(t, r)
	c.MaxWatchesPerUser = 1
	c.Authorizer = authorizerFunc(func(auth.Attributes) (bool, string, error) { return true, "", nil })
	ts := start(t, newServer(t, c))
	header := http.Header{"Test-User": {"jane"}}
	conn, _, err := dial(t, ts, booksPath+"?watch=1", &websocket.DialOptions{HTTPHeader: header})
	if err != nil {
		t.Fatal(err)
	}
	if _, resp, err := dial(t, ts, booksPath+"?watch=1", &websocket.DialOptions{HTTPHeader: header}); err == nil || resp.StatusCode != http.StatusTooManyRequests {
		t.Errorf("a second one: %v", err)
	}
	conn.CloseNow()
	if err := <-ended; !errors.Is(err, context.Canceled) {
		t.Errorf("the client went: %v", err)
	}
	for deadline := time.Now().Add(time.Minute); ; {
		if conn, _, err = dial(t, ts, booksPath+"?watch=1&timeoutSeconds=1", &websocket.DialOptions{HTTPHeader: header}); err == nil {
			break
		}
		if time.Now().After(deadline) {
			t.Fatalf("the place is not given back: %v", err)
		}
	}
	if _, _, err := read(t, conn); websocket.CloseStatus(err) != websocket.StatusNormalClosure {
		t.Errorf("the time was over: %v", err)
	}
	if err := <-ended; !errors.Is(err, context.DeadlineExceeded) {
		t.Errorf("the time was over: %v", err)
	}
}

// untilDone is a stream without events, which says how it ended.
type untilDone struct{ ended chan<- error }

func (s untilDone) Next(ctx context.Context) ([]rest.Event, error) {
	<-ctx.Done()
	s.ended <- ctx.Err()
	return nil, io.EOF
}

func (untilDone) Close() {}

// A page of another origin may not use what a browser adds to its requests; one with a token of its
// own may. The token goes no further, whatever happens to the request.
func TestOriginOfSockets(t *testing.T) {
	file, err := auth.ReadTokenFile(strings.NewReader("secret,jane,u-1\n"), []string{"api"})
	if err != nil {
		t.Fatal(err)
	}
	var seen string
	r := books()
	c := config(t, r)
	c.Authenticator = auth.Union{byHeader{}, auth.Bearer{Tokens: auth.Tokens{file}, Audiences: []string{"api"}}}
	c.Authorizer = authorizerFunc(func(a auth.Attributes) (bool, string, error) { seen = a.User.Name; return true, "", nil })
	c.CORSOrigins = []*regexp.Regexp{regexp.MustCompile(`^https://good\.example$`)}
	ts := start(t, newServer(t, c))
	token := auth.TokenProtocol + base64.RawURLEncoding.EncodeToString([]byte("secret"))
	bogus := auth.TokenProtocol + base64.RawURLEncoding.EncodeToString([]byte("guess"))
	for name, tc := range map[string]struct {
		user, origin string
		protocols    []string
		code         int
		asWho        string
		chosen       string
	}{
		"no page":                        {"admin", "", nil, 101, "admin", ""},
		"the server's own page":          {"admin", ts.URL, nil, 101, "admin", ""},
		"a page that is allowed":         {"admin", "https://good.example", nil, 101, "admin", ""},
		"another page":                   {"admin", "https://evil.example", nil, 403, "", ""},
		"a page of another port":         {"admin", strings.TrimRight(ts.URL, "0123456789") + "1", nil, 403, "", ""},
		"a page without an origin":       {"admin", "null", nil, 403, "", ""},
		"a page with a token":            {"", "https://evil.example", []string{"base64.binary.k8s.io", token}, 101, "jane", "base64.binary.k8s.io"},
		"a page with a wrong token":      {"", "https://evil.example", []string{bogus, "x"}, 401, "", ""},
		"a wrong token and what is sent": {"admin", "https://evil.example", []string{bogus, "x"}, 403, "", ""},
		"a token alone":                  {"", "", []string{token}, 401, "", ""},
		"two tokens":                     {"", "", []string{token, token, "x"}, 401, "", ""},
		"no base64":                      {"", "", []string{auth.TokenProtocol + "+", "x"}, 401, "", ""},
		"token beside a certificate":     {"admin", "", []string{token, "x"}, 101, "admin", "x"},
	} {
		t.Run(name, func(t *testing.T) {
			seen = ""
			header := http.Header{}
			if tc.user != "" {
				header.Set("Test-User", tc.user)
			}
			if tc.origin != "" {
				header.Set("Origin", tc.origin)
			}
			_, resp, err := dial(t, ts, booksPath+"?watch=1&timeoutSeconds=1", &websocket.DialOptions{HTTPHeader: header, Subprotocols: tc.protocols})
			if resp == nil || resp.StatusCode != tc.code || seen != tc.asWho || resp.Header.Get("Sec-Websocket-Protocol") != tc.chosen {
				t.Errorf("as %q: %v, %v", seen, resp, err)
			}
		})
	}
}
