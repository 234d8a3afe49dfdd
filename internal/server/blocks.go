package server

import "io"

// blocks is a writer that passes on whole frames. It keeps what makes none until there is more, or
// flush is called.
//
// net/http wakes the handler up again when all of a Write is sent. So what comes together is passed
// on in one piece, however long it is.
type blocks struct {
	to   io.Writer
	rest []byte // less than a frame
}

func (b *blocks) Write(p []byte) (int, error) {
	n := len(p)
	if len(b.rest) > 0 {
		more := min(frameSize-len(b.rest), len(p))
		b.rest, p = append(b.rest, p[:more]...), p[more:]
		if len(b.rest) < frameSize {
			return n, nil
		}
		if err := b.flush(); err != nil {
			return 0, err
		}
	}
	if whole := len(p) / frameSize * frameSize; whole > 0 {
		if _, err := b.to.Write(p[:whole]); err != nil {
			return 0, err
		}
		p = p[whole:]
	}
	b.rest = append(b.rest, p...)
	return n, nil
}

// flush writes what is kept.
func (b *blocks) flush() error {
	if len(b.rest) == 0 {
		return nil
	}
	_, err := b.to.Write(b.rest)
	b.rest = b.rest[:0]
	return err
}
