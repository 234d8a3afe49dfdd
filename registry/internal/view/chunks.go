package view

import (
	"bytes"
	"io"
	"sync"
)

const (
	// chunk is about how much of a list is in memory before it is written.
	chunk = 64 << 10
	// block is what is written before the end in whole numbers: as much as a frame of HTTP/2 holds.
	// So nobody has to keep the rest of a chunk until the next one comes.
	block = 16 << 10
)

// chunks collects bytes and writes them when there are enough.
type chunks struct {
	w   io.Writer
	buf bytes.Buffer
}

// chunksPool are chunks whose buffer has room already.
var chunksPool = sync.Pool{New: func() any { return new(chunks) }}

// inChunks writes to w what write writes, chunk by chunk. w must not keep what it is given.
func inChunks(w io.Writer, write func(*chunks) error) error {
	out := chunksPool.Get().(*chunks)
	out.w = w
	err := write(out)
	if err == nil {
		err = out.flush()
	}
	if out.w = nil; out.buf.Cap() <= 4*chunk { // what large items need is not kept
		out.buf.Reset()
		chunksPool.Put(out)
	}
	return err
}

func (c *chunks) flushFull() error {
	if c.buf.Len() < chunk {
		return nil
	}
	all := c.buf.Bytes()
	rest := len(all) % block
	_, err := c.w.Write(all[:len(all)-rest])
	// The rest goes to the beginning of the buffer, so that the next items have room behind it.
	c.buf.Reset()
	c.buf.Write(all[len(all)-rest:])
	return err
}

// pause is called again and again by who works for long before there is something to write. It
// lets others go first, if that is what is written to does.
func (c *chunks) pause() {
	if w, ok := c.w.(interface{ Pause() }); ok {
		w.Pause()
	}
}

func (c *chunks) flush() error {
	_, err := c.buf.WriteTo(c.w)
	return err
}
