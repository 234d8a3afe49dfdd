package etcd3

import (
	"sync"

	"google.golang.org/grpc/mem"
)

// buffers is where gRPC puts what it reads. Its own pool empties each buffer before it is used
// again, which a buffer that is written over at once does not need. It may be used from any
// goroutine.
type buffers struct{ small, frames sync.Pool }

var _ mem.BufferPool = (*buffers)(nil)

// Most messages are small; those of a list come in frames of HTTP/2.
const (
	smallBuffer = 1 << 10
	frameBuffer = 16 << 10
)

// Get implements mem.BufferPool.
func (b *buffers) Get(length int) *[]byte {
	pool, size := &b.small, smallBuffer
	if length > smallBuffer {
		pool, size = &b.frames, frameBuffer
	}
	if length > frameBuffer {
		size = length
	} else if used, ok := pool.Get().(*[]byte); ok {
		*used = (*used)[:length]
		return used
	}
	fresh := make([]byte, length, size)
	return &fresh
}

// Put implements mem.BufferPool.
func (b *buffers) Put(buffer *[]byte) {
	switch cap(*buffer) {
	case smallBuffer:
		b.small.Put(buffer)
	case frameBuffer:
		b.frames.Put(buffer)
	}
}
