package server

import (
	"net/http"
	"runtime"
)

// How much stack a request needs, more or less: one with a body to be decoded, and one that writes,
// which calls etcd from within the registry's transaction.
const (
	readStack  = 9 << 10
	writeStack = 18 << 10
)

// deepen makes the stack of this goroutine large enough for what a request needs. net/http begins
// each request of HTTP/2 in a goroutine of its own with a small stack. Go makes the stack larger by
// copying it, every time that it is full. At the first call that costs next to nothing, in the
// middle of a decoder a tenth of the request.
func deepen(method string) {
	switch method {
	case http.MethodGet, http.MethodHead:
		deepenForRead()
	default:
		deepenForWrite()
	}
}

//go:noinline
func deepenForRead() {
	var room [readStack]byte
	runtime.KeepAlive(&room)
}

//go:noinline
func deepenForWrite() {
	var room [writeStack]byte
	runtime.KeepAlive(&room)
}
