package server

import "io"

// blockSize is how much of an answer net/http is given at once, in bytes. With the 9 bytes that
// HTTP/2 puts before it that is one frame, of the size that every client takes, and one record of
// TLS. A frame with 16 KiB in it is two records, and two system calls.
const blockSize = 16<<10 - 9

// writeBlocks writes all of p.
func writeBlocks(to io.Writer, p []byte) error {
	for len(p) > 0 {
		n := min(blockSize, len(p))
		if _, err := to.Write(p[:n]); err != nil {
			return err
		}
		p = p[n:]
	}
	return nil
}

// blocks is a writer that keeps what makes no whole block until there is more, or flush is called.
type blocks struct {
	to   io.Writer
	rest []byte // less than a block
}

func (b *blocks) Write(p []byte) (int, error) {
	n := len(p)
	if len(b.rest) > 0 {
		more := min(blockSize-len(b.rest), len(p))
		b.rest, p = append(b.rest, p[:more]...), p[more:]
		if len(b.rest) < blockSize {
			return n, nil
		}
		if err := b.flush(); err != nil {
			return 0, err
		}
	}
	whole := len(p) / blockSize * blockSize
	if err := writeBlocks(b.to, p[:whole]); err != nil {
		return 0, err
	}
	b.rest = append(b.rest, p[whole:]...)
	return n, nil
}

// flush writes what is kept.
func (b *blocks) flush() error {
	err := writeBlocks(b.to, b.rest)
	b.rest = b.rest[:0]
	return err
}
