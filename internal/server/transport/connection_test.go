package transport

import (
	"bytes"
	"context"
	"crypto/tls"
	"errors"
	"io"
	"log"
	"net"
	"net/http"
	"net/http/httptest"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"golang.org/x/net/http2"

	"github.com/typeplane/typeplane/internal/certtest"
	"github.com/typeplane/typeplane/internal/server/pacing"
)

// received is a connection on which a client has sent bytes, all at once. The client has closed it.
func received(t *testing.T, sent []byte) *connection {
	t.Helper()
	ours, theirs := net.Pipe()
	go func() {
		client := tls.Client(theirs, &tls.Config{InsecureSkipVerify: true})
		client.Write(sent)
		client.Close()
	}()
	c := newConnection(tls.Server(ours, &tls.Config{Certificates: []tls.Certificate{*certtest.New(t).Server(t)}}))
	t.Cleanup(func() { c.headers.stop(); c.Close() })
	return c
}

// requests are the preface of HTTP/2 and n requests with something between them. The first has
// its headers in two frames, and headers behind its body.
func requests(n int) []byte {
	out := bytes.NewBufferString(http2.ClientPreface)
	framer := http2.NewFramer(out, nil)
	framer.WriteSettings()
	for i := range n {
		id := uint32(2*i + 1)
		framer.WriteHeaders(http2.HeadersFrameParam{StreamID: id, BlockFragment: make([]byte, 30), EndHeaders: i > 0})
		if i == 0 {
			framer.WriteContinuation(id, true, make([]byte, 300))
		}
		framer.WriteData(id, i > 0, make([]byte, 700))
		framer.WriteWindowUpdate(0, 700)
	}
	framer.WriteHeaders(http2.HeadersFrameParam{StreamID: 1, BlockFragment: make([]byte, 30), EndHeaders: true, EndStream: true})
	return out.Bytes()
}

// TestOneRequestAtATime: a connection gives on what was sent, and with no read more than the
// headers of one request.
func TestOneRequestAtATime(t *testing.T) {
	for _, size := range []int{1, 7, 100, 4096, 1 << 20} {
		sent := requests(20)
		c := received(t, sent)
		var got []byte
		before := int32(0)
		for p := make([]byte, size); ; {
			n, err := c.Read(p)
			got = append(got, p[:n]...)
			now := c.underWay.Load()
			if now > before+1 {
				t.Fatalf("reads of %d: %d requests at once", size, now-before)
			}
			before = now
			if errors.Is(err, io.EOF) {
				break
			}
			if err != nil {
				t.Fatal(err)
			}
		}
		if !bytes.Equal(got, sent) {
			t.Errorf("reads of %d: %d bytes were sent, and others or fewer given on: %d", size, len(sent), len(got))
		}
		if before != 20 {
			t.Errorf("reads of %d: %d requests are counted", size, before)
		}
	}
}

// TestUnderWay: what is answered is counted no more, and a watch that has begun is not beside
// anything.
func TestUnderWay(t *testing.T) {
	c := received(t, nil)
	request := seen{frames: 1, request: true}
	waits := func() bool {
		c.free, c.row = 0, row{}
		c.pace(request)
		return c.free != 0 || !c.row.last.IsZero() && c.row.n == 0
	}
	if waits() {
		t.Error("the only request waits")
	}
	end := c.lasts()
	if waits() {
		t.Error("a request beside a watch waits")
	}
	if !waits() {
		t.Error("a request beside another one does not wait")
	}
	end()
	answer := c.counting(http.HandlerFunc(func(http.ResponseWriter, *http.Request) {}))
	for range 3 {
		answer.ServeHTTP(nil, httptest.NewRequest(http.MethodGet, "/", nil))
	}
	if waits() {
		t.Error("a request waits after all others were answered")
	}
}

// TestResetBeforeItBegins: nobody works for a request that its client has reset, and the next one
// waits. The reset itself does not, so that it comes in time.
func TestResetBeforeItBegins(t *testing.T) {
	c := received(t, nil)
	gone, reset := context.WithCancel(t.Context())
	reset()
	req := httptest.NewRequest(http.MethodGet, "/readyz", nil)
	begun := 0
	handler := c.counting(http.HandlerFunc(func(http.ResponseWriter, *http.Request) { begun++ }))
	handler.ServeHTTP(nil, req.WithContext(gone))
	if handler.ServeHTTP(nil, req); begun != 1 {
		t.Errorf("%d requests were begun", begun)
	}
	c.underWay.Store(0)
	c.pace(seen{frames: 1, request: true})
	c.pace(seen{frames: 1, reset: true})
	c.underWay.Store(0)
	if c.row.n != 2 {
		t.Error("a reset waits")
	}
	if c.pace(seen{frames: 1, request: true}); c.row.n != 0 {
		t.Error("a request behind a reset does not wait")
	}
}

// TestRow: frames that come without a pause make a row.
func TestRow(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var r row
		for i := range inARow {
			if r.tooLong(1) {
				t.Fatalf("a row of %d is too long", i+1)
			}
		}
		if !r.tooLong(1) {
			t.Errorf("a row of %d is not too long", inARow+1)
		}
		time.Sleep(pause + 1)
		if r.tooLong(1) {
			t.Error("a pause does not end it")
		}
	})
}

// TestResets: a client may reset freeResets streams at once, and one in each resetEvery from then
// on. Other requests wait, and when mostLate of them have waited in a row it is over.
func TestResets(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var r resets
		reset := func(n int) {
			for range n {
				r.count()
			}
		}
		waits := func() time.Duration {
			wait, over := r.pause()
			if over {
				t.Error("it is over")
			}
			time.Sleep(wait)
			return wait
		}
		if reset(freeResets); waits() != 0 {
			t.Error("a request behind resets that are free waits")
		}
		for range mostLate - 1 {
			if reset(1); waits() != resetEvery {
				t.Fatal("a request behind one more does not wait")
			}
		}
		if time.Sleep(resetEvery); waits() != 0 {
			t.Error("a request waits after a pause")
		}
		for range mostLate {
			time.Sleep(resetEvery)
			if reset(1); waits() != 0 {
				t.Fatal("a request behind a slow reset waits")
			}
		}
		reset(1000 * freeResets)
		if time.Sleep(freeResets*resetEvery - resetEvery); waits() == 0 {
			t.Error("more resets than that are made up for in the time of freeResets")
		}
		if time.Sleep(resetEvery); waits() != 0 {
			t.Error("many resets are not forgotten")
		}
		for range mostLate {
			reset(2)
			waits()
		}
		if _, over := r.pause(); !over {
			t.Error("it is not over")
		}
	})
}

// TestCalm: a client that resets its streams is told to be calm after some seconds, and its
// connection ends.
func TestCalm(t *testing.T) {
	config := &tls.Config{Certificates: []tls.Certificate{*certtest.New(t).Server(t)}}
	pacing.WaitIdle() // what ends a wait is not of the test, so that its time does not stand still
	synctest.Test(t, func(t *testing.T) {
		srv, err := NewServer(http.NotFoundHandler(), config, 0, log.New(io.Discard, "", 0))
		if err != nil {
			t.Fatal(err)
		}
		ours, theirs := net.Pipe()
		go func() {
			conn := tls.Server(ours, srv.TLSConfig)
			if conn.Handshake() == nil {
				srv.TLSNextProto[http2.NextProtoTLS](srv, conn, srv.Handler)
			}
		}()
		client := tls.Client(theirs, &tls.Config{InsecureSkipVerify: true, NextProtos: []string{http2.NextProtoTLS}})
		io.WriteString(client, http2.ClientPreface)
		framer := http2.NewFramer(client, client)
		framer.WriteSettings()
		var sent atomic.Int32
		go func() {
			defer client.Close()
			for id := uint32(1); id < 4*(freeResets+mostLate); id += 2 {
				// Indexed fields: GET, https, / and no authority.
				if framer.WriteHeaders(http2.HeadersFrameParam{StreamID: id, BlockFragment: []byte{0x82, 0x87, 0x84}, EndHeaders: true, EndStream: true}) != nil ||
					framer.WriteRSTStream(id, http2.ErrCodeCancel) != nil {
					return
				}
				sent.Add(1)
			}
		}()
		begun := time.Now()
		for {
			frame, err := framer.ReadFrame()
			if err != nil {
				t.Fatalf("no GOAWAY after %v and %d resets: %v", time.Since(begun), sent.Load(), err)
			}
			if goAway, ok := frame.(*http2.GoAwayFrame); ok {
				if goAway.ErrCode != http2.ErrCodeEnhanceYourCalm {
					t.Errorf("got %v", goAway.ErrCode)
				}
				break
			}
		}
		if took := time.Since(begun); took != mostLate*resetEvery || sent.Load() < freeResets+mostLate {
			t.Errorf("GOAWAY came after %v and %d resets", took, sent.Load())
		}
		if _, err := framer.ReadFrame(); err == nil {
			t.Error("the connection has not ended")
		}
	})
}
