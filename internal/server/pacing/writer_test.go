package pacing

import (
	"bytes"
	"testing"
)

// pieces is a writer that remembers what it was given at once.
type pieces [][]byte

func (p *pieces) Write(b []byte) (int, error) {
	*p = append(*p, bytes.Clone(b))
	return len(b), nil
}

// TestWriter: all that is written is passed on, in order and in pieces.
func TestWriter(t *testing.T) {
	var out pieces
	w := Begin()
	w.SetOutput(&out, 10)
	sent := bytes.Repeat([]byte("0123456789abc"), 1000)
	if n, err := w.Write(sent); n != len(sent) || err != nil {
		t.Fatal(n, err)
	}
	for _, p := range out {
		if len(p) > 10 {
			t.Fatalf("%d bytes at once", len(p))
		}
	}
	if !bytes.Equal(bytes.Join(out, nil), sent) {
		t.Error("something else came out")
	}
}
