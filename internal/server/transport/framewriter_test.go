package transport

import (
	"bytes"
	"math/rand/v2"
	"testing"
)

// sizes remembers what was written, and how long each piece was.
type sizes struct {
	all  bytes.Buffer
	each []int
}

func (s *sizes) Write(p []byte) (int, error) {
	s.each = append(s.each, len(p))
	return s.all.Write(p)
}

// TestFrameWriter: whatever is written, the bytes arrive, in whole frames except for the last.
func TestFrameWriter(t *testing.T) {
	random := rand.New(rand.NewPCG(1, 2))
	for range 200 {
		var want []byte
		out := new(sizes)
		b := new(FrameWriter)
		b.Reset(out)
		for range random.IntN(8) {
			p := make([]byte, random.IntN(1+random.IntN(4*frameSize)))
			for i := range p {
				p[i] = byte(random.Uint32())
			}
			if n, err := b.Write(p); n != len(p) || err != nil {
				t.Fatal(n, err)
			}
			want = append(want, p...)
		}
		if err := b.Flush(); err != nil {
			t.Fatal(err)
		}
		if !bytes.Equal(out.all.Bytes(), want) {
			t.Fatalf("%d bytes came out of %d, or others", out.all.Len(), len(want))
		}
		for i, n := range out.each {
			if n == 0 || n%frameSize != 0 && i < len(out.each)-1 {
				t.Fatalf("pieces of %d", out.each)
			}
		}
	}
}
