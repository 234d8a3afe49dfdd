package transport

import (
	"encoding/binary"

	"golang.org/x/net/http2"
)

// frames follows the frames of HTTP/2 in what goes over a connection in one direction.
type frames struct {
	kind  http2.FrameType // of the last frame whose header has gone by
	flags http2.Flags
	size  int // of its payload
	// stream is the one that it belongs to.
	stream uint32

	header [frameHeader]byte // of the next frame
	have   int               // bytes of it
	left   int               // bytes of the frame, or of the preface, that are still to come
}

const frameHeader = 9

// next goes on in p, to the end of the header of a frame or to the end of a frame, and returns what
// is behind it. Begun says that it was a header.
func (f *frames) next(p []byte) (rest []byte, begun bool) {
	if f.left > 0 {
		n := min(f.left, len(p))
		f.left -= n
		return p[n:], false
	}
	n := copy(f.header[f.have:], p)
	f.have += n
	if f.have < frameHeader {
		return p[n:], false
	}
	f.have = 0
	f.left = int(binary.BigEndian.Uint32(f.header[:4]) >> 8)
	f.size = f.left
	f.stream = binary.BigEndian.Uint32(f.header[5:]) &^ (1 << 31)
	f.kind, f.flags = http2.FrameType(f.header[3]), http2.Flags(f.header[4])
	return p[n:], true
}

// whole says that the last frame has ended, and no other one has begun.
func (f *frames) whole() bool { return f.left == 0 && f.have == 0 }

// headers says that the last frame is of the headers of a stream.
func (f *frames) headers() bool {
	return f.kind == http2.FrameHeaders || f.kind == http2.FrameContinuation
}
