package server

import "runtime"

// deepStack is how much stack a request with a body needs, more or less.
const deepStack = 9 << 10

// deepen makes the stack of this goroutine large enough for what follows. net/http begins each
// request of HTTP/2 in a goroutine of its own with a small stack. Go makes the stack larger by
// copying it, every time that it is full. At the first call that costs next to nothing, in the
// middle of a decoder a tenth of the request.
//
//go:noinline
func deepen() {
	var room [deepStack]byte
	runtime.KeepAlive(&room)
}
