package console

import (
	"context"
	"encoding/json"
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"time"

	"github.com/coder/websocket"
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
)

// client is attached to a console.
type client struct {
	t    *testing.T
	conn *websocket.Conn
}

// attach serves a console and connects to it. done is closed when the server is done with the
// client.
func attach(t *testing.T, c *Console, opts *corev1.PodAttachOptions, protocols ...string) (*client, <-chan struct{}) {
	t.Helper()
	done, handler := make(chan struct{}), Attach(c, opts)
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		defer close(done)
		handler.ServeHTTP(w, r)
	}))
	t.Cleanup(server.Close)
	conn, _, err := websocket.Dial(t.Context(), server.URL, &websocket.DialOptions{Subprotocols: protocols})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { conn.CloseNow() })
	if conn.Subprotocol() != protocols[0] {
		t.Errorf("it speaks %q", conn.Subprotocol())
	}
	return &client{t, conn}, done
}

func (c *client) send(stream byte, text string) {
	c.t.Helper()
	if err := c.conn.Write(c.t.Context(), websocket.MessageBinary, append([]byte{stream}, text...)); err != nil {
		c.t.Fatal(err)
	}
}

// want reads messages of a stream until their text is complete.
func (c *client) want(stream byte, text string) {
	c.t.Helper()
	ctx, cancel := context.WithTimeout(c.t.Context(), time.Minute)
	defer cancel()
	got := ""
	for got != text {
		kind, message, err := c.conn.Read(ctx)
		if err != nil || kind != websocket.MessageBinary || message[0] != stream || !strings.HasPrefix(text, got+string(message[1:])) {
			c.t.Fatalf("%q and %q, %v; want %q of stream %d", got, message, err, text, stream)
		}
		got += string(message[1:])
	}
}

// wantEnd reads the end of a session that went well.
func (c *client) wantEnd() {
	c.t.Helper()
	c.want(failed, `{"metadata":{},"status":"Success"}`)
	if _, _, err := c.conn.Read(c.t.Context()); websocket.CloseStatus(err) != websocket.StatusNormalClosure {
		c.t.Errorf("it ends with %v", err)
	}
}

func TestAttach(t *testing.T) {
	var s Consoles
	c := s.Of("pod", "a")
	c.Print([]byte("before\n"))
	both := &corev1.PodAttachOptions{Stdin: true, Stdout: true}
	one, oneDone := attach(t, c, both, protocol5, protocol4)
	other, otherDone := attach(t, c, &corev1.PodAttachOptions{Stdout: true, Stdin: false}, protocol4)

	// Both see what one types when the line is complete. Windows and empty messages do nothing.
	one.send(4, `{"Width":80,"Height":25}`)
	one.send(stdin, "")
	one.send(stdin, "hel")
	one.send(stdin, "lo\nwor")
	one.want(stdout, "hello\n")
	other.want(stdout, "hello\n")
	c.Print([]byte("from elsewhere\n"))
	one.want(stdout, "from elsewhere\n")
	other.want(stdout, "from elsewhere\n")
	other.send(stdin, "not connected\n")

	// It has no more to say, gets to see its last words, and leaves; the other one stays until the
	// pod goes.
	one.send(stdin, "ld")
	one.send(closed, "\x00")
	one.want(stdout, "world\n")
	one.wantEnd()
	<-oneDone
	other.want(stdout, "world\n")
	s.Drop("pod")
	other.wantEnd()
	<-otherDone
	if got := texts(c, 0); got != "before|hello|from elsewhere|world" {
		t.Errorf("the console has %q", got)
	}
}

func TestAttachedTerminal(t *testing.T) {
	var s Consoles
	c := s.Of("pod", "a")
	one, done := attach(t, c, &corev1.PodAttachOptions{Stdin: true, Stdout: true, TTY: true}, protocol5)
	one.send(stdin, "h")
	one.want(stdout, "h")
	one.send(stdin, "i\r")
	one.want(stdout, "i\r\nhi\r\n") // what was typed, and what came of it
	one.send(stdin, "\x04")
	one.wantEnd()
	<-done
	if got := texts(c, 0); got != "hi" {
		t.Errorf("the console has %q", got)
	}
}

// What a client has typed is not lost when it goes, and a server that stops says so.
func TestAttachedClientGoes(t *testing.T) {
	var s Consoles
	c := s.Of("pod", "a")
	one, done := attach(t, c, &corev1.PodAttachOptions{Stdin: true}, protocol5)
	one.send(stdin, "half a line")
	one.conn.Close(websocket.StatusNormalClosure, "")
	<-done
	if got := texts(c, 0); got != "half a line" {
		t.Errorf("the console has %q", got)
	}

	stopping, stop := context.WithCancel(context.Background())
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		Attach(c, &corev1.PodAttachOptions{Stdout: true}).ServeHTTP(w, r.WithContext(stopping))
	}))
	defer server.Close()
	conn, _, err := websocket.Dial(t.Context(), server.URL, &websocket.DialOptions{Subprotocols: []string{protocol5}})
	if err != nil {
		t.Fatal(err)
	}
	stop()
	if _, _, err := conn.Read(t.Context()); websocket.CloseStatus(err) != websocket.StatusGoingAway {
		t.Errorf("a server that stops: %v", err)
	}
}

func TestRefused(t *testing.T) {
	var s Consoles
	for name, tc := range map[string]struct {
		header http.Header
		want   string
	}{
		"a plain request": {nil, "send Upgrade: websocket"},
		"SPDY":            {http.Header{"Upgrade": {"SPDY/3.1"}, "Connection": {"Upgrade"}}, "send Upgrade: websocket"},
		"no protocol":     {http.Header{"Upgrade": {"websocket"}, "Connection": {"Upgrade"}, "Sec-Websocket-Version": {"13"}, "Sec-Websocket-Key": {"dGhlIHNhbXBsZSBub25jZQ=="}}, "none of the protocols"},
		"another protocol": {http.Header{"Upgrade": {"websocket"}, "Connection": {"Upgrade"}, "Sec-Websocket-Protocol": {"channel.k8s.io, v3.channel.k8s.io"}},
			`none of the protocols ["channel.k8s.io" "v3.channel.k8s.io"] is spoken here: want v5.channel.k8s.io or v4.channel.k8s.io`},
	} {
		w, r := httptest.NewRecorder(), httptest.NewRequest("GET", "/", nil)
		r.Header = tc.header
		Attach(s.Of("pod", "a"), new(corev1.PodAttachOptions)).ServeHTTP(w, r)
		var status metav1.Status
		if err := json.Unmarshal(w.Body.Bytes(), &status); err != nil || w.Code != 400 || status.Code != 400 || !strings.Contains(status.Message, tc.want) {
			t.Errorf("%s: %d %s, %v", name, w.Code, w.Body, err)
		}
	}
	// The library says what is wrong with the rest of a handshake.
	w, r := httptest.NewRecorder(), httptest.NewRequest("GET", "/", io.NopCloser(nil))
	r.Header = http.Header{"Upgrade": {"websocket"}, "Connection": {"Upgrade"}, "Sec-Websocket-Protocol": {protocol5}, "Sec-Websocket-Version": {"9"}}
	if Attach(s.Of("pod", "a"), new(corev1.PodAttachOptions)).ServeHTTP(w, r); w.Code < 400 {
		t.Errorf("%d %s", w.Code, w.Body)
	}
}
