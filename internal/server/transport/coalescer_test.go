package transport

import (
	"bytes"
	"errors"
	"io"
	"math/rand/v2"
	"net"
	"slices"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"golang.org/x/net/http2"
)

// sent is a connection that keeps what is written to it.
type sent struct {
	net.Conn
	err error

	mu     sync.Mutex // guards writes
	writes [][]byte
}

func (s *sent) Write(p []byte) (int, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.writes = append(s.writes, bytes.Clone(p))
	return len(p), s.err
}

func (s *sent) all() [][]byte {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.writes
}

// frame is one of HTTP/2, as a server writes it.
func frame(kind http2.FrameType, flags http2.Flags, payload int) []byte {
	var b bytes.Buffer
	if err := http2.NewFramer(&b, nil).WriteRawFrame(kind, flags, 1, make([]byte, payload)); err != nil {
		panic(err)
	}
	return b.Bytes()
}

// TestCoalescer: what belongs together is sent together, and nothing is held for long.
func TestCoalescer(t *testing.T) {
	headers := frame(http2.FrameHeaders, http2.FlagHeadersEndHeaders, 100)
	failed := frame(http2.FrameHeaders, http2.FlagHeadersEndHeaders|http2.FlagHeadersEndStream, 100)
	data := frame(http2.FrameData, 0, 5000)
	last := frame(http2.FrameData, http2.FlagDataEndStream, 3000)
	end := frame(http2.FrameData, http2.FlagDataEndStream, 0)
	full := frame(http2.FrameData, 0, frameSize)
	ping := frame(http2.FramePing, http2.FlagPingAck, 8)
	for _, tc := range []struct {
		name   string
		short  bool
		writes [][]byte
		at     []int // how many bytes each write to the socket has
		wait   bool  // until the first of them
	}{
		{"headers and body", false, [][]byte{headers, last}, []int{len(headers) + len(last)}, false},
		{"no body", false, [][]byte{failed}, []int{len(failed)}, false},
		{"headers of a watch", false, [][]byte{headers}, []int{len(headers)}, true},
		{"an event of a watch", false, [][]byte{data}, []int{len(data)}, false},
		{"headers, body and end", true, [][]byte{headers, data, end}, []int{len(headers) + len(data) + len(end)}, false},
		{"headers, body and end of what may be long", false, [][]byte{headers, data, end}, []int{len(headers) + len(data), len(end)}, false},
		{"a body that never ends", true, [][]byte{headers, data}, []int{len(headers) + len(data)}, true},
		{"a long body", false, [][]byte{headers, full, full, last}, []int{len(headers) + 2*len(full) + len(last)}, false},
		{"a long body that is cut short", false, [][]byte{headers, full, data, end}, []int{len(headers) + len(full) + len(data), len(end)}, false},
		{"a long body that goes on late", false, [][]byte{headers, full, full}, []int{len(headers) + 2*len(full)}, true},
		{"a long body is full records", false, [][]byte{headers, full, full, full, full, end}, []int{enough, len(headers) + 4*len(full) - enough + len(end)}, false},
		{"something else", false, [][]byte{headers, ping}, []int{len(headers) + len(ping)}, false},
		{"a frame in two pieces", false, [][]byte{data[:50], data[50:]}, []int{len(data)}, false},
	} {
		t.Run(tc.name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				socket := new(sent)
				c := newCoalescer(socket)
				if tc.short {
					defer c.writesShort()()
				}
				for _, p := range tc.writes {
					if n, err := c.Write(p); n != len(p) || err != nil {
						t.Fatal(n, err)
					}
				}
				if tc.wait {
					if len(socket.all()) > 0 {
						t.Errorf("%d writes at once", len(socket.all()))
					}
					time.Sleep(holdTime)
					synctest.Wait()
				}
				var at []int
				for _, w := range socket.all() {
					at = append(at, len(w))
				}
				if !slices.Equal(at, tc.at) {
					t.Errorf("written %v bytes, want %v", at, tc.at)
				}
			})
		})
	}
}

// TestCoalescerKeepsOrder: whatever is written, in whatever pieces, arrives as it is.
func TestCoalescerKeepsOrder(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		random := rand.New(rand.NewPCG(1, 2))
		for range 300 {
			socket := new(sent)
			c := newCoalescer(socket)
			end := func() {}
			if random.IntN(2) == 0 {
				end = c.writesShort()
			}
			var all []byte
			for range 1 + random.IntN(20) {
				kind := []http2.FrameType{http2.FrameHeaders, http2.FrameData, http2.FrameData, http2.FrameContinuation, http2.FramePing}[random.IntN(5)]
				all = append(all, frame(kind, http2.Flags(random.IntN(8)), []int{0, 8, 200, 4096, frameSize, 40_000}[random.IntN(6)])...)
			}
			for i := range all { // payloads that differ
				if all[i] == 0 && random.IntN(4) == 0 && kindAt(all, i) {
					all[i] = byte(i)
				}
			}
			for rest := all; len(rest) > 0; {
				n := min(len(rest), 1+random.IntN(20_000))
				if _, err := c.Write(rest[:n]); err != nil {
					t.Fatal(err)
				}
				rest = rest[n:]
				if random.IntN(5) == 0 {
					time.Sleep(holdTime)
				}
			}
			end()
			time.Sleep(holdTime)
			synctest.Wait()
			if got := slices.Concat(socket.all()...); !bytes.Equal(got, all) {
				t.Fatalf("%d bytes arrive of %d, or others", len(got), len(all))
			}
		}
	})
}

// kindAt says that the byte with number i is in no header of a frame.
func kindAt(all []byte, i int) bool {
	var f frames
	for done := 0; done <= i; {
		rest, begun := f.next(all[done:])
		next := len(all) - len(rest)
		if i < next {
			return !begun
		}
		done = next
	}
	return false
}

// TestCoalescerError: that a write failed which nobody waited for is told to the next one.
func TestCoalescerError(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		socket := &sent{err: io.ErrClosedPipe}
		c := newCoalescer(socket)
		if _, err := c.Write(frame(http2.FrameHeaders, http2.FlagHeadersEndHeaders, 10)); err != nil {
			t.Fatal(err)
		}
		time.Sleep(holdTime)
		synctest.Wait()
		if _, err := c.Write(frame(http2.FrameData, 0, 10)); !errors.Is(err, io.ErrClosedPipe) || len(socket.all()) != 1 {
			t.Errorf("%v behind %d writes", err, len(socket.all()))
		}
	})
}
