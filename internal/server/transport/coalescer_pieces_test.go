package transport

import (
	"bytes"
	"encoding/binary"
	"math/rand/v2"
	"testing"
)

// writes is a writer that remembers what it was given at once.
type writes [][]byte

func (w *writes) Write(p []byte) (int, error) {
	*w = append(*w, bytes.Clone(p))
	return len(p), nil
}

// Every byte goes out, in order; all of it when the last frame is whole. What is written is a
// record at least, unless it ends with a frame. All frames are the last of their streams, behind
// which nothing is expected.
func TestCoalescerPieces(t *testing.T) {
	for seed := range uint64(200) {
		r := rand.New(rand.NewPCG(seed, 1))
		var out writes
		g := newCoalescer(&out)
		var given, sent []byte
		for range 50 {
			burst := 1 + r.IntN(30)
			var frames []byte
			for i := range burst {
				size := r.IntN([]int{1, 20, 5000, 20_000}[r.IntN(4)])
				frame := binary.BigEndian.AppendUint32(nil, uint32(size)<<8)
				frame = append(frame, bytes.Repeat([]byte{byte(2*i + 1)}, frameHeader-4+size)...)
				frames = append(frames, frame...)
			}
			given = append(given, frames...)
			for len(frames) > 0 {
				n := min(1+r.IntN([]int{3, pieceSize, 40_000}[r.IntN(3)]), len(frames))
				if _, err := g.Write(frames[:n]); err != nil {
					t.Fatal(err)
				}
				frames = frames[n:]
			}
			for i, p := range out {
				sent = append(sent, p...)
				if i < len(out)-1 && len(p) < recordSize && !ends(given, len(sent)) {
					t.Fatalf("seed %d: %d bytes are written that end within a frame", seed, len(p))
				}
			}
			if out = nil; !bytes.Equal(given, sent) {
				t.Fatalf("seed %d: %d bytes of frames were given, and %d are sent", seed, len(given), len(sent))
			}
			if g.held != nil {
				t.Fatalf("seed %d: a buffer is kept for nothing", seed)
			}
		}
	}
}

// ends says whether a frame ends after n bytes of frames.
func ends(frames []byte, n int) bool {
	for at := 0; at < n; {
		at += frameHeader + int(binary.BigEndian.Uint32(frames[at:])>>8)
		if at == n {
			return true
		}
	}
	return false
}

// Pieces as the server of HTTP/2 writes them, for ten streams with 3,800 bytes each, are sent
// together.
func TestPiecesMakeRecords(t *testing.T) {
	var frames []byte
	for range 10 {
		frames = append(binary.BigEndian.AppendUint32(frames, 3800<<8), make([]byte, frameHeader-4+3800)...)
	}
	var out writes
	g := newCoalescer(&out)
	for len(frames) > 0 {
		n := min(pieceSize, len(frames))
		g.Write(frames[:n])
		frames = frames[n:]
	}
	if len(out) != 1 {
		t.Errorf("%d writes, want 1", len(out))
	}
}
