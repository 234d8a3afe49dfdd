package server

import (
	"bytes"
	"net/http/httptest"
	"testing"
)

// TestLargeBodyWaits: nobody reads a large body before there is memory for it.
func TestLargeBodyWaits(t *testing.T) {
	waits := 0
	defer func(f func()) { waitMemory = f }(waitMemory)
	waitMemory = func() { waits++ }
	s := &Server{config: Config{MaxBody: 1 << 20}}
	for _, tc := range []struct{ size, waits int }{{largeBody, 0}, {largeBody + 1, 1}} {
		waits = 0
		c := &call{req: httptest.NewRequest("POST", "/", bytes.NewReader(make([]byte, tc.size))), ctx: t.Context()}
		if body, err := s.readBody(c); err != nil || len(body) != tc.size {
			t.Fatal(len(body), err)
		}
		if waits != tc.waits {
			t.Errorf("%d bytes: waited %d times", tc.size, waits)
		}
	}
}
