package e2e

import (
	"bufio"
	"crypto/tls"
	"encoding/json"
	"fmt"
	"net"
	"net/http"
	"slices"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"
)

// delay is the longest that a write, or the delivery of an event, may take beside clients that do
// not read, in the long form of the test. In the short one there is no such limit, since nobody
// knows how busy the machine is.
const delay = 3 * time.Second

// buffers is more than what fits into the buffers on the way to a client: 4 MiB in the system, 4
// MiB in HTTP/2. So somebody has to wait if it does not read.
const buffers = 16 << 20

// TestSlowWatchers has two watchers that do not read: one on a connection of its own, one on a
// connection that it shares. They go on only when all others have their events, so whoever waited
// for them would wait for ever. Then they get every event that they missed, once and in order, or
// the end of their watch.
func TestSlowWatchers(t *testing.T) {
	pause := time.Duration(0)
	if *patient {
		pause = time.Minute
	}
	s := start(t, t.TempDir())
	const quick = 3
	// Who does not read at first, and who does.
	alone := s.watch(t, s.narrow(t))
	shared := s.watch(t, s.Client)
	var wg sync.WaitGroup
	arrivals := make([]map[string]time.Time, quick)
	var order []string // of the first of them
	ended := make(chan struct{})
	for i := range quick {
		watch := s.watch(t, s.Client)
		arrivals[i] = map[string]time.Time{}
		wg.Go(func() {
			for {
				name, ok := watch.next()
				if !ok || name == "last" {
					return
				}
				arrivals[i][name] = time.Now()
				if i == 0 {
					order = append(order, name)
				}
			}
		})
	}

	answered := map[string]time.Time{}
	slowest := time.Duration(0)
	filler, sent := strings.Repeat("x", 250<<10), 0
	for n, until := 0, time.Now().Add(pause); time.Now().Before(until) || sent < buffers; n++ {
		name := fmt.Sprintf("book-%d", n)
		began := time.Now()
		s.createBook(t, name, filler)
		answered[name] = time.Now()
		sent += len(filler)
		slowest = max(slowest, answered[name].Sub(began))
		time.Sleep(5 * time.Millisecond)
	}
	s.createBook(t, "last", "")
	go func() { wg.Wait(); close(ended) }()
	select {
	case <-ended:
	case <-time.After(hangs):
		t.Fatalf("the watchers are not at the end %v after the last write", hangs)
	}

	if *patient && slowest > delay {
		t.Errorf("a write took %v", slowest)
	}
	latest := time.Duration(0)
	for name, at := range answered {
		for i := range quick {
			arrived, ok := arrivals[i][name]
			if !ok {
				t.Fatalf("watcher %d never heard of %s", i, name)
			}
			latest = max(latest, arrived.Sub(at))
		}
	}
	if *patient && latest > delay {
		t.Errorf("an event came %v after the answer to its write", latest)
	}
	t.Logf("%d events with %d MiB, pause of %v: slowest write %v, latest event %v", len(answered), sent>>20, pause, slowest, latest)

	order = append(order, "last")
	for name, slow := range map[string]*watching{"alone": alone, "shared": shared} {
		got := slow.rest(t)
		if len(got) > len(order) || !slices.Equal(got, order[:len(got)]) {
			t.Errorf("the watcher %s got %d events, which are not the first of the %d that there were", name, len(got), len(order))
		}
		t.Logf("the watcher %s got %d of %d events after the pause", name, len(got), len(order))
	}
	if err := s.stop(syscall.SIGTERM); err != nil {
		t.Errorf("ended with %v:\n%s", err, s.output)
	}
}

// createBook creates one with a long annotation.
func (s *server) createBook(t *testing.T, name, filler string) {
	t.Helper()
	body := fmt.Appendf(nil, `{"metadata":{"name":%q,"annotations":{"filler":%q}},"spec":{"title":"Long"}}`, name, filler)
	if code, answer, err := s.do(http.MethodPost, books, "application/json", body); err != nil || code != http.StatusCreated {
		t.Fatalf("create: %d %.200s %v", code, answer, err)
	}
}

// narrow is a client whose connections take few bytes that nobody reads.
func (s *server) narrow(t *testing.T) *http.Client {
	config := s.Client.Transport.(*http.Transport).TLSClientConfig.Clone()
	config.NextProtos = []string{"http/1.1"}
	transport := &http.Transport{TLSClientConfig: config, ReadBufferSize: 4 << 10, TLSNextProto: map[string]func(string, *tls.Conn) http.RoundTripper{}}
	transport.Dial = func(network, address string) (net.Conn, error) {
		conn, err := net.Dial(network, address)
		if err != nil {
			return nil, err
		}
		return conn, conn.(*net.TCPConn).SetReadBuffer(256 << 10)
	}
	t.Cleanup(transport.CloseIdleConnections)
	return &http.Client{Transport: transport}
}

// watching is a watch of all books from now on.
type watching struct {
	lines *bufio.Reader
	close func() error
}

func (s *server) watch(t *testing.T, client *http.Client) *watching {
	t.Helper()
	resp, err := client.Get(s.URL + books + "?watch=1")
	if err != nil || resp.StatusCode != http.StatusOK {
		t.Fatal(resp, err)
	}
	t.Cleanup(func() { resp.Body.Close() })
	return &watching{lines: bufio.NewReader(resp.Body), close: resp.Body.Close}
}

// next is the name of the next object that was added; false at the end of the watch.
func (w *watching) next() (string, bool) {
	for {
		line, err := w.lines.ReadBytes('\n')
		var event struct {
			Type   string
			Object struct{ Metadata struct{ Name string } }
		}
		if err != nil || json.Unmarshal(line, &event) != nil || event.Type == "ERROR" {
			return "", false
		}
		if event.Type == "ADDED" {
			return event.Object.Metadata.Name, true
		}
	}
}

// rest reads until the book "last", or the end.
func (w *watching) rest(t *testing.T) []string {
	t.Helper()
	defer time.AfterFunc(hangs, func() { w.close() }).Stop()
	var names []string
	for {
		name, ok := w.next()
		if !ok {
			return names
		}
		if names = append(names, name); name == "last" {
			return names
		}
	}
}
