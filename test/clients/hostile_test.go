package clients

import (
	"bytes"
	"context"
	"crypto/tls"
	"flag"
	"fmt"
	"io"
	"net"
	"net/http"
	"os"
	"strings"
	"sync"
	"testing"
	"time"

	"golang.org/x/net/http2"
	"golang.org/x/net/http2/hpack"
	"k8s.io/client-go/rest"

	"github.com/typeplane/typeplane/internal/drill"
)

var (
	attack = flag.Duration("attack", time.Second, "how long each attack of TestExhaustion lasts")
	worst  = flag.Duration("worst", patience, "how long the slowest request beside an attack may take; -worst 5s, on a machine that does nothing else")
)

// memory is what the server may have resident at its worst.
const memory = 1 << 30

// TestExhaustion attacks a server while a healthy client uses it: the client is always answered,
// the server does not grow without bound, and it is as good as new afterwards. Attackers without a
// credential come from where everybody can: the port.
func TestExhaustion(t *testing.T) {
	s := start(t, "library")
	healthy, err := rest.HTTPClientFor(s.config)
	must(t, err)
	for _, a := range []struct {
		name string
		hit  func(context.Context, *server)
	}{
		{"streams that are reset at once", streams(true)},
		{"streams that never end", streams(false)},
		{"headers without an end", headersWithoutEnd},
		{"settings", frames(func(f *http2.Framer) error { return f.WriteSettings() })},
		{"pings", frames(func(f *http2.Framer) error { return f.WritePing(false, [8]byte{}) })},
		{"windows of nothing", frames(func(f *http2.Framer) error { return f.WriteWindowUpdate(0, 1) })},
		{"half a handshake", silence("\x16\x03\x01")},
		{"no handshake", silence("")},
		{"watches that come and go", watches(false)},
		{"watches that stay", watches(true)},
		{"lists", requests(http.MethodGet, bookPath, func() io.Reader { return nil })},
		{"bodies without end", requests(http.MethodPost, bookPath, func() io.Reader { return endless{} })},
	} {
		t.Run(a.name, func(t *testing.T) {
			ctx, cancel := context.WithTimeout(t.Context(), *attack)
			defer cancel()
			var wg sync.WaitGroup
			for range 8 {
				wg.Go(func() {
					for ctx.Err() == nil {
						a.hit(ctx, s)
					}
				})
			}
			answered, slowest := 0, time.Duration(0)
			for answered == 0 || ctx.Err() == nil {
				began := time.Now()
				resp, err := healthy.Get(s.config.Host + bookPath + "?limit=1")
				if err != nil {
					t.Fatalf("beside the attack: %v", err)
				}
				resp.Body.Close()
				if resp.StatusCode != http.StatusOK {
					t.Errorf("beside the attack: %s", resp.Status)
				}
				answered++
				slowest = max(slowest, time.Since(began))
			}
			cancel()
			wg.Wait()
			resident := s.resident(t)
			t.Logf("%d answers, the slowest after %v; %d MiB resident at most", answered, slowest.Round(time.Millisecond), resident>>20)
			drill.Overload.Count("attacks", 1)
			drill.Overload.Worst("slowest answer beside them", slowest)
			drill.Overload.Size("resident", resident)
			if slowest > *worst || resident > memory {
				t.Errorf("the slowest answer took %v (bound %v), %d MiB are resident (bound %d)", slowest, *worst, resident>>20, memory>>20)
			}
		})
	}
	select {
	case <-s.Ended():
		t.Error("the server has ended")
	default:
	}
	if log := s.Output(); strings.Contains(log, "panic") {
		t.Errorf("the log has a panic:\n%.2000s", log)
	}
}

const bookPath = "/apis/library.example.com/v1/namespaces/default/books"

// resident is the most memory that the process ever had, in bytes.
func (s *server) resident(t *testing.T) int64 {
	t.Helper()
	data, err := os.ReadFile(fmt.Sprintf("/proc/%d/status", s.Cmd.Process.Pid))
	must(t, err)
	_, after, _ := strings.Cut(string(data), "VmHWM:")
	var kilobytes int64
	if _, err := fmt.Sscan(after, &kilobytes); err != nil {
		t.Fatal(err)
	}
	return kilobytes << 10
}

// dial connects without a credential. The connection ends with ctx.
func (s *server) dial(ctx context.Context) net.Conn {
	conn, err := new(net.Dialer).DialContext(ctx, "tcp", strings.TrimPrefix(s.config.Host, "https://"))
	if err != nil {
		return nil
	}
	context.AfterFunc(ctx, func() { conn.Close() })
	return conn
}

// http2 connects as a client of HTTP/2 that reads nothing but what it must to go on.
func (s *server) http2(ctx context.Context) (*http2.Framer, func()) {
	raw := s.dial(ctx)
	if raw == nil {
		return nil, nil
	}
	conn := tls.Client(raw, &tls.Config{InsecureSkipVerify: true, NextProtos: []string{"h2"}})
	if _, err := io.WriteString(conn, http2.ClientPreface); err != nil {
		raw.Close()
		return nil, nil
	}
	go io.Copy(io.Discard, conn)
	framer := http2.NewFramer(conn, nil)
	framer.WriteSettings()
	return framer, func() { raw.Close() }
}

// headers is the block of a request for the health of the server, which needs no credential.
func headers() []byte {
	var block bytes.Buffer
	enc := hpack.NewEncoder(&block)
	for _, f := range [][2]string{{":method", "GET"}, {":scheme", "https"}, {":authority", "x"}, {":path", "/readyz"}} {
		enc.WriteField(hpack.HeaderField{Name: f[0], Value: f[1]})
	}
	return block.Bytes()
}

// streams begins streams on one connection.
func streams(reset bool) func(context.Context, *server) {
	return func(ctx context.Context, s *server) { begin(ctx, s, reset, func() {}) }
}

// begin does so, and calls begun for each.
func begin(ctx context.Context, s *server, reset bool, begun func()) {
	framer, stop := s.http2(ctx)
	if framer == nil {
		return
	}
	defer stop()
	for id := uint32(1); ctx.Err() == nil && id < 1<<20; id += 2 {
		if framer.WriteHeaders(http2.HeadersFrameParam{StreamID: id, BlockFragment: headers(), EndHeaders: true, EndStream: reset}) != nil {
			return
		}
		if reset && framer.WriteRSTStream(id, http2.ErrCodeCancel) != nil {
			return
		}
		begun()
	}
}

func headersWithoutEnd(ctx context.Context, s *server) {
	framer, stop := s.http2(ctx)
	if framer == nil {
		return
	}
	defer stop()
	if framer.WriteHeaders(http2.HeadersFrameParam{StreamID: 1, BlockFragment: headers()}) != nil {
		return
	}
	filler := []byte("\x00\x01a" + "\x7f\x80\x7f" + strings.Repeat("x", 255)) // a field of 255 bytes
	for ctx.Err() == nil && framer.WriteContinuation(1, false, filler) == nil {
	}
}

func frames(write func(*http2.Framer) error) func(context.Context, *server) {
	return func(ctx context.Context, s *server) {
		framer, stop := s.http2(ctx)
		if framer == nil {
			return
		}
		defer stop()
		for ctx.Err() == nil && write(framer) == nil {
		}
	}
}

// silence opens connections, says what it is told to say, and waits.
func silence(says string) func(context.Context, *server) {
	return func(ctx context.Context, s *server) {
		for range 100 {
			conn := s.dial(ctx)
			if conn == nil {
				return
			}
			io.WriteString(conn, says)
		}
		<-ctx.Done()
	}
}

// watches are those of somebody with a credential, 100 on each connection.
func watches(stay bool) func(context.Context, *server) {
	return func(ctx context.Context, s *server) {
		config := rest.CopyConfig(s.config)
		config.Dial = (&net.Dialer{}).DialContext // a connection of its own
		client, err := rest.HTTPClientFor(config)
		if err != nil {
			return
		}
		defer client.CloseIdleConnections()
		for range 100 {
			req, err := http.NewRequestWithContext(ctx, http.MethodGet, s.config.Host+bookPath+"?watch=true", nil)
			if err != nil {
				return
			}
			resp, err := client.Do(req)
			if err != nil {
				return
			}
			if !stay {
				resp.Body.Close()
				continue
			}
			defer resp.Body.Close()
		}
		if stay {
			<-ctx.Done()
		}
	}
}

func requests(method, path string, body func() io.Reader) func(context.Context, *server) {
	return func(ctx context.Context, s *server) {
		client, err := rest.HTTPClientFor(s.config)
		if err != nil {
			return
		}
		req, err := http.NewRequestWithContext(ctx, method, s.config.Host+path, body())
		if err != nil {
			return
		}
		if resp, err := client.Do(req); err == nil {
			io.Copy(io.Discard, resp.Body)
			resp.Body.Close()
		}
	}
}

// endless is a body of one string that does not end.
type endless struct{}

func (endless) Read(p []byte) (int, error) {
	for i := range p {
		p[i] = 'x'
	}
	return len(p), nil
}
