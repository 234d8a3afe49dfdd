package view

import (
	"bytes"
	"io"
	"math/rand/v2"
	"testing"
)

// pieces remembers what was written, and how long each piece was.
type pieces struct {
	all  bytes.Buffer
	each []int
}

func (p *pieces) Write(b []byte) (int, error) {
	p.each = append(p.each, len(b))
	return p.all.Write(b)
}

// TestChunks: whatever items there are, the bytes arrive, in whole blocks except for the last.
func TestChunks(t *testing.T) {
	random := rand.New(rand.NewPCG(3, 4))
	for range 100 {
		var want []byte
		got := new(pieces)
		err := inChunks(got, func(out *chunks) error {
			for range random.IntN(100) {
				item := out.buf.AvailableBuffer()
				begin := len(want)
				for range random.IntN(1 + random.IntN(3*block)) {
					want = append(want, byte(random.Uint32()))
				}
				item = append(item, want[begin:]...)
				out.buf.Write(item)
				if err := out.flushFull(); err != nil {
					return err
				}
			}
			return nil
		})
		if err != nil {
			t.Fatal(err)
		}
		if !bytes.Equal(got.all.Bytes(), want) {
			t.Fatalf("%d bytes came out of %d, or others", got.all.Len(), len(want))
		}
		for i, n := range got.each {
			if i < len(got.each)-1 && (n%block != 0 || n < chunk-block) {
				t.Fatalf("pieces of %d", got.each)
			}
		}
	}
}

// TestChunksRoom: items of a list are appended where they stay, once there is a buffer.
func TestChunksRoom(t *testing.T) {
	item := make([]byte, 5000)
	out := &chunks{w: io.Discard}
	write := func() {
		for range 200 {
			out.buf.Write(append(out.buf.AvailableBuffer(), item...))
			out.flushFull() // io.Discard takes everything
		}
	}
	write()
	if n := testing.AllocsPerRun(100, write); n > 0 {
		t.Errorf("%v allocations for 200 items", n)
	}
}
