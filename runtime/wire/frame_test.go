package wire

import "testing"

// What frame sees at a glance is what it would find out by reading byte for byte.
func TestFrameAtAGlance(t *testing.T) {
	interesting := []byte{0, 1, 2, 3, 5, 7, 8, 9, 0x0a, 0x0b, 0x0d, 0x12, 0x7f, 0x80, 0x82, 0x8a, 0xff}
	for _, a := range interesting {
		for _, b := range interesting {
			for _, c := range interesting {
				for _, d := range interesting {
					for n := range 7 {
						data := []byte{a, b, c, d, 1, 1}[:n]
						tag, begin, end := frame(data, 0)
						wantTag, wantBegin, wantEnd := longFrame(data, 0)
						if tag != wantTag || begin != wantBegin || end != wantEnd {
							t.Fatalf("%x: tag %d from %d to %d, want %d from %d to %d", data, tag, begin, end, wantTag, wantBegin, wantEnd)
						}
					}
				}
			}
		}
	}
}
