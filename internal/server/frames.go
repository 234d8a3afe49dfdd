package server

import (
	"encoding/binary"

	"golang.org/x/net/http2"
)

// frameHeader is how many bytes of HTTP/2 come before what is in a frame.
const frameHeader = 9

// frames follows the frames of HTTP/2 in one direction of a connection.
type frames struct {
	header [frameHeader]byte // of the frame, or of the next one
	have   int               // bytes of it, while it is not complete
	left   int               // bytes of the frame, or of the preface, that are still to come
}

// follow passes over the rest of a frame or of a header at the beginning of p, which is not empty.
// begun says that the header of a frame is complete now.
func (f *frames) follow(p []byte) (rest []byte, begun bool) {
	if f.left > 0 {
		n := min(f.left, len(p))
		f.left -= n
		return p[n:], false
	}
	n := copy(f.header[f.have:], p)
	if f.have += n; f.have == frameHeader {
		f.have, f.left, begun = 0, int(binary.BigEndian.Uint32(f.header[:4])>>8), true
	}
	return p[n:], begun
}

// whole says whether the last frame has come to its end.
func (f *frames) whole() bool { return f.have == 0 && f.left == 0 }

// kind is what the frame is whose header was complete last.
func (f *frames) kind() (http2.FrameType, http2.Flags) {
	return http2.FrameType(f.header[3]), http2.Flags(f.header[4])
}
