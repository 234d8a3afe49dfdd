package server_test

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"strings"
	"testing"
	"time"

	"github.com/prometheus/client_golang/prometheus"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime/schema"

	"github.com/typeplane/typeplane/auth"
	"github.com/typeplane/typeplane/internal/server"
	"github.com/typeplane/typeplane/internal/server/audit"
	"github.com/typeplane/typeplane/registry/rest"
)

type connectFunc func(context.Context, *rest.Request, rest.Name, rest.ConnectOptions) (http.Handler, error)

func (f connectFunc) Connect(ctx context.Context, req *rest.Request, n rest.Name, o rest.ConnectOptions) (http.Handler, error) {
	return f(ctx, req, n, o)
}

// logs is a subresource of books that answers by itself.
func logs(answer http.HandlerFunc, methods ...string) rest.Resource {
	return rest.Resource{
		GroupVersion: gv1, Kind: "Book", Name: "books", Singular: "book", Namespaced: true, Subresource: "log",
		ConnectMethods: methods, ConnectParameters: []rest.QueryParameter{{Name: "follow", Type: "boolean"}, {Name: "of", Type: "array"}},
		Connect: connectFunc(func(_ context.Context, _ *rest.Request, n rest.Name, o rest.ConnectOptions) (http.Handler, error) {
			if n.Name == "none" {
				return nil, apierrors.NewNotFound(schema.GroupResource{Resource: "books"}, n.Name)
			}
			return answer, nil
		}),
	}
}

const logPath = booksPath + "/b/log"

// line writes a line for each thing that comes, until the request ends.
func line(comes <-chan string) http.HandlerFunc {
	return func(w http.ResponseWriter, req *http.Request) {
		w.Header().Set("Content-Type", "text/plain")
		w.(http.Flusher).Flush()
		for {
			select {
			case text := <-comes:
				fmt.Fprintln(w, text)
				w.(http.Flusher).Flush()
			case <-req.Context().Done():
				fmt.Fprintln(w, "end")
				return
			}
		}
	}
}

func TestConnectAnswers(t *testing.T) {
	c := config(t, books(), logs(func(w http.ResponseWriter, req *http.Request) {
		_, _ = io.WriteString(w, req.Method+" by "+auth.UserFrom(req.Context()).Name)
	}, "GET", "POST"))
	s := newServer(t, c)
	for _, method := range []string{"GET", "POST"} {
		if w := do(s, request{method: method, path: logPath + "?timeout=never"}); w.Code != 200 || w.Body.String() != method+" by admin" {
			t.Errorf("%s: %d %s", method, w.Code, w.Body)
		}
	}
	wantStatus(t, do(s, request{path: booksPath + "/none/log"}), 404, metav1.StatusReasonNotFound, `books "none" not found`)
	wantStatus(t, do(s, request{path: logPath + "?dryRun=All"}), 400, metav1.StatusReasonBadRequest, "dryRun is not supported")
	w := do(s, request{method: "PUT", path: logPath})
	wantStatus(t, w, 405, metav1.StatusReasonMethodNotAllowed, "the server does not allow this method on the requested resource")
	if w.Header().Get("Allow") != "GET, POST" {
		t.Errorf("Allow: %s", w.Header().Get("Allow"))
	}
	wantStatus(t, do(s, request{method: "POST", path: logPath, header: map[string]string{"Test-User": "eve"}}), 403, metav1.StatusReasonForbidden,
		`books.library.example.com "b" is forbidden: User "eve" cannot create resource "books/log" in API group "library.example.com" in the namespace "ns"`)
	if list := do(s, request{path: "/apis/library.example.com/v1"}).Body.String(); !strings.Contains(list, `{"name":"books/log","singularName":"","namespaced":true,"kind":"Book","verbs":["create","get"]}`) {
		t.Errorf("discovery: %s", list)
	}
}

// TestConnectStreams: what is flushed arrives at once, also for two streams at a time where one
// request may be in flight. The stream ends when the client goes.
func TestConnectStreams(t *testing.T) {
	comes, gone := make(chan string), make(chan struct{}, 1)
	answer := line(comes)
	c := config(t, books(), logs(func(w http.ResponseWriter, req *http.Request) { answer(w, req); gone <- struct{}{} }, "GET"))
	c.MaxRequestsInFlight, c.Authorizer, c.Metrics = 1, auth.Everybody{}, prometheus.NewRegistry()
	s := newServer(t, c)
	r := serve(t, s)
	var bodies []io.Closer
	for range 2 {
		resp, err := r.get(logPath + "?follow=true")
		if err != nil {
			t.Fatal(err)
		}
		defer resp.Body.Close()
		bodies = append(bodies, resp.Body)
		comes <- "one" // either may get it
	}
	resp, err := r.get(booksPath + "/a")
	if err != nil || resp.StatusCode != 200 {
		t.Errorf("beside two streams: %v %v", err, resp)
	}
	resp.Body.Close()
	series := `apiserver_longrunning_requests{component="apiserver",group="library.example.com",resource="books",scope="resource",subresource="log",verb="CONNECT",version="v1"} `
	if got := page(t, s); !strings.Contains(got, series+"2") {
		t.Errorf("no %s2 in %s", series, got)
	}
	for _, b := range bodies {
		b.Close()
		<-gone
	}
}

// TestConnectEndsWithTheServer: streams end when the server stops, and it waits for what they still
// say.
func TestConnectEndsWithTheServer(t *testing.T) {
	r := serve(t, newServer(t, config(t, books(), logs(line(make(chan string)), "GET"))))
	resp, err := r.get(logPath)
	if err != nil {
		t.Fatal(err)
	}
	defer resp.Body.Close()
	r.stop()
	if body, err := io.ReadAll(resp.Body); err != nil || string(body) != "end\n" {
		t.Errorf("%q %v", body, err)
	}
	if err := r.wait(t); err != nil {
		t.Error(err)
	}
}

// echo takes over the connection and sends back what comes, until it ends or the server stops.
func echo(stubborn <-chan struct{}) http.HandlerFunc {
	return func(w http.ResponseWriter, req *http.Request) {
		hijacker, ok := w.(http.Hijacker)
		if !ok {
			http.Error(w, "not over HTTP/2", http.StatusHTTPVersionNotSupported)
			return
		}
		conn, buffered, err := hijacker.Hijack()
		if err != nil {
			return
		}
		fmt.Fprint(conn, "HTTP/1.1 101 Switching Protocols\r\nConnection: Upgrade\r\nUpgrade: echo\r\n\r\n")
		if stubborn == nil {
			stop := context.AfterFunc(req.Context(), func() { conn.Close() })
			defer stop()
		}
		_, _ = io.Copy(conn, buffered)
		if stubborn != nil {
			<-stubborn
		}
	}
}

// upgrade asks for a subresource as one does that wants to speak another protocol, and returns the
// connection behind the answer.
func upgrade(t *testing.T, url string) (net.Conn, *bufio.Reader) {
	t.Helper()
	conn, err := net.Dial("tcp", strings.TrimPrefix(url, "http://"))
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { conn.Close() })
	fmt.Fprintf(conn, "POST %s HTTP/1.1\r\nHost: h\r\nTest-User: admin\r\nConnection: Upgrade\r\nUpgrade: echo\r\nContent-Length: 0\r\n\r\n", logPath)
	in := bufio.NewReader(conn)
	resp, err := http.ReadResponse(in, nil)
	if err != nil || resp.StatusCode != http.StatusSwitchingProtocols {
		t.Fatalf("%v %v", err, resp)
	}
	return conn, in
}

func TestConnectTakesOverTheConnection(t *testing.T) {
	url := startPlain(t, newServer(t, config(t, books(), logs(echo(nil), "GET", "POST"))))
	conn, in := upgrade(t, url)
	for i := range 3 {
		want := fmt.Sprintf("ping %d\n", i)
		if _, err := io.WriteString(conn, want); err != nil {
			t.Fatal(err)
		}
		if got, err := in.ReadString('\n'); err != nil || got != want {
			t.Errorf("%q %v", got, err)
		}
	}
	r := serve(t, newServer(t, config(t, books(), logs(echo(nil), "GET"))))
	resp, err := r.get(logPath)
	if err != nil || resp.StatusCode != http.StatusHTTPVersionNotSupported {
		t.Fatalf("over HTTP/2: %v %v", err, resp)
	}
	resp.Body.Close()
}

// TestConnectIsCutOff: a handler that keeps its connection does not keep the server for ever.
func TestConnectIsCutOff(t *testing.T) {
	never := make(chan struct{})
	defer close(never)
	c := config(t, books(), logs(echo(never), "GET", "POST"))
	c.ShutdownTimeout = 50 * time.Millisecond
	s := newServer(t, c)
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	ctx, stop := context.WithCancel(context.Background())
	served := make(chan error, 1)
	go func() { served <- s.Serve(ctx, listener, nil) }()
	_, in := upgrade(t, "http://"+listener.Addr().String())
	stop()
	if err := <-served; err == nil || !strings.Contains(err.Error(), "cut off") {
		t.Errorf("Serve: %v", err)
	}
	if _, err := in.ReadByte(); !errors.Is(err, io.EOF) && err == nil {
		t.Errorf("the connection is open: %v", err)
	}
}

// TestConnectIsRecorded: the record says when the answer began and how it ended.
func TestConnectIsRecorded(t *testing.T) {
	events := audited(t, &audit.Policy{Rules: []audit.Rule{{Level: audit.LevelMetadata}}, OmitStages: []audit.Stage{audit.StageRequestReceived}}, func(c *server.Config) {
		c.Resources = append(c.Resources, logs(func(w http.ResponseWriter, _ *http.Request) { w.WriteHeader(202) }, "GET"))
	}, request{path: logPath})
	var stages []string
	for _, e := range events {
		stages = append(stages, fmt.Sprintf("%s %s %d", e.Stage, e.ObjectRef.Subresource, e.ResponseStatus.Code))
	}
	want := "[" + string(audit.StageResponseStarted) + " log 202 " + string(audit.StageResponseComplete) + " log 202]"
	if got := fmt.Sprint(stages); got != want {
		t.Errorf("%s, want %s", got, want)
	}
}

// TestConnectConfig: a server refuses a connector that makes no sense.
func TestConnectConfig(t *testing.T) {
	good := logs(nil, "GET")
	for want, change := range map[string]func(*rest.Resource){
		"only a subresource can be connected to":              func(r *rest.Resource) { r.Get = books().Get },
		`there is no Connect, or none with the method "HEAD"`: func(r *rest.Resource) { r.ConnectMethods = []string{"HEAD"} },
	} {
		bad := good
		change(&bad)
		if _, err := server.New(config(t, books(), bad)); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%v, want %s", err, want)
		}
	}
}

// TestConnectIsDescribed: OpenAPI has the methods and the options of a connector.
func TestConnectIsDescribed(t *testing.T) {
	s := withOpenAPI(t, books(), logs(nil, "GET", "POST"))
	for path, wants := range map[string][]string{
		documentURL(t, s): {`"operationId":"connectLibraryExampleComV1GetNamespacedBookLog"`, `"operationId":"connectLibraryExampleComV1PostNamespacedBookLog"`,
			`{"name":"of","in":"query","description":"An option of the log of a Book.","schema":{"type":"array","uniqueItems":false,"items":{"type":"string"}}}`},
		"/openapi/v2": {`"operationId":"connectLibraryExampleComV1GetNamespacedBookLog"`},
	} {
		w := do(s, request{path: path})
		for _, want := range wants {
			if w.Code != 200 || !strings.Contains(w.Body.String(), want) {
				t.Errorf("%s: %d, no %s", path, w.Code, want)
			}
		}
	}
}

// TestConnectBelow: paths below a connector are its own if it says so, and the rights are those on
// the subresource.
func TestConnectBelow(t *testing.T) {
	proxy := logs(nil, "GET")
	proxy.Subresource, proxy.ConnectBelow = "proxy", true
	proxy.Connect = connectFunc(func(_ context.Context, _ *rest.Request, n rest.Name, o rest.ConnectOptions) (http.Handler, error) {
		return http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) { fmt.Fprintf(w, "%s of %s", o.Below, n.Name) }), nil
	})
	s := newServer(t, config(t, books(), logs(line(nil), "GET"), proxy))
	for path, want := range map[string]string{
		booksPath + "/b/proxy":           " of b",
		booksPath + "/b/proxy/":          "/ of b",
		booksPath + "/b/proxy/metrics":   "/metrics of b",
		booksPath + "/b/proxy/a/b/?c=/d": "/a/b/ of b",
	} {
		if w := do(s, request{path: path}); w.Code != 200 || w.Body.String() != want {
			t.Errorf("%s: %d %s, want %q", path, w.Code, w.Body, want)
		}
	}
	wantStatus(t, do(s, request{path: logPath + "/more"}), 404, metav1.StatusReasonNotFound, "the server could not find the requested resource")
	wantStatus(t, do(s, request{path: booksPath + "/b/proxy/metrics", header: map[string]string{"Test-User": "eve"}}), 403, metav1.StatusReasonForbidden,
		`books.library.example.com "b" is forbidden: User "eve" cannot get resource "books/proxy" in API group "library.example.com" in the namespace "ns"`)
	if w := do(s, request{path: booksPath + "/b/proxy/../../c"}); w.Code != 400 {
		t.Errorf("a path that leaves the subresource: %d %s", w.Code, w.Body)
	}
}

// reader may get everything, and nothing else.
type reader struct{}

func (reader) Authorize(_ context.Context, a auth.Attributes) (auth.Decision, string, error) {
	if a.Verb == "get" {
		return auth.Allow, "", nil
	}
	return auth.NoOpinion, "", nil
}

// TestConnectByWebSocket: who may only read does not get by GET what others have to POST.
func TestConnectByWebSocket(t *testing.T) {
	c := config(t, books(), logs(func(w http.ResponseWriter, _ *http.Request) { io.WriteString(w, "in") }, "GET", "POST"))
	c.Authorizer = reader{}
	s := newServer(t, c)
	if w := do(s, request{path: logPath}); w.Code != 200 {
		t.Errorf("without a WebSocket: %d %s", w.Code, w.Body)
	}
	upgrade := map[string]string{"Connection": "Upgrade", "Upgrade": "websocket"}
	wantStatus(t, do(s, request{path: logPath, header: upgrade}), 403, metav1.StatusReasonForbidden,
		`books.library.example.com "b" is forbidden: User "admin" cannot create resource "books/log" in API group "library.example.com" in the namespace "ns"`)
	c = config(t, books(), logs(func(w http.ResponseWriter, _ *http.Request) { io.WriteString(w, "in") }, "GET"))
	c.Authorizer = reader{}
	if w := do(newServer(t, c), request{path: logPath, header: upgrade}); w.Code != 200 {
		t.Errorf("of what is only read: %d %s", w.Code, w.Body)
	}
}
