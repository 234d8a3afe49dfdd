package transport

import "io"

// frameSize is the most bytes that a frame holds for a client that has not asked for longer ones.
const frameSize = 16 << 10

// FrameWriter passes on whole frames, for a long answer. It keeps what makes none until there is
// more, or Flush is called. Reset comes first.
//
// net/http wakes the handler up again when all of a Write is sent. So what comes together is passed
// on in one piece, however long it is.
type FrameWriter struct {
	to   io.Writer
	rest []byte // less than a frame
}

// Reset makes it write to to, and forgets what it keeps. It may be used again and again.
func (f *FrameWriter) Reset(to io.Writer) { f.to, f.rest = to, f.rest[:0] }

// Write implements io.Writer.
func (f *FrameWriter) Write(p []byte) (int, error) {
	n := len(p)
	if len(f.rest) > 0 {
		more := min(frameSize-len(f.rest), len(p))
		f.rest, p = append(f.rest, p[:more]...), p[more:]
		if len(f.rest) < frameSize {
			return n, nil
		}
		if err := f.Flush(); err != nil {
			return 0, err
		}
	}
	if whole := len(p) / frameSize * frameSize; whole > 0 {
		if _, err := f.to.Write(p[:whole]); err != nil {
			return 0, err
		}
		p = p[whole:]
	}
	f.rest = append(f.rest, p...)
	return n, nil
}

// Flush writes what is kept.
func (f *FrameWriter) Flush() error {
	if len(f.rest) == 0 {
		return nil
	}
	_, err := f.to.Write(f.rest)
	f.rest = f.rest[:0]
	return err
}
