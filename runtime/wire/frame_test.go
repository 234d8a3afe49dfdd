package wire

import "testing"

// What frame sees at a glance is what it would find out by reading byte for byte.
func TestFrameAtAGlance(t *testing.T) {
	interesting := []byte{0, 1, 2, 3, 5, 7, 8, 9, 0x0a, 0x0b, 0x0d, 0x12, 0x7f, 0x80, 0x82, 0x8a, 0xff}
	long := make([]byte, 400)
	for _, a := range interesting {
		for _, b := range interesting {
			for _, c := range interesting {
				for _, d := range interesting {
					copy(long, []byte{a, b, c, d, 1, 1})
					for _, n := range []int{0, 1, 2, 3, 4, 5, 6, 140, 400} { // long enough for lengths of two bytes
						data := long[:n]
						tag, begin, end := frame(data, 0)
						wantTag, wantBegin, wantEnd := longFrame(data, 0)
						if tag != wantTag || begin != wantBegin || end != wantEnd {
							t.Fatalf("%x of %d: tag %d from %d to %d, want %d from %d to %d", data[:min(n, 6)], n, tag, begin, end, wantTag, wantBegin, wantEnd)
						}
					}
				}
			}
		}
	}
}
