package server

import (
	"io"
	"math"
	"net/http"
	"strconv"
	"sync"
	"time"

	"github.com/typeplane/typeplane/internal/server/pacing"
	"github.com/typeplane/typeplane/internal/server/transport"
	"github.com/typeplane/typeplane/registry/rest"
	"github.com/typeplane/typeplane/trace"
)

// Answers up to compressThreshold are collected first: they get a Content-Length, and if they can't
// be written after all, the client still gets a proper error. Longer ones are streamed, compressed
// if the client can read that.
const compressThreshold = 128 << 10

// compressedAtOnce is how many bytes are compressed without a look at the clock.
const compressedAtOnce = 16 << 10

// slack is what a client has, beyond the deadline of the request, to read an answer that is
// streamed.
const slack = 30 * time.Second

// send writes a view as the answer. An error means that nothing has been sent, or that the answer
// broke off; fail tells which.
func (c *call) send(code int, view rest.View, rep rest.Representation) error {
	a := answers.Get().(*answer)
	a.call, a.code, a.contentType = c, code, string(rep.MediaType)
	a.paced = pacing.Begin()
	defer a.release()
	c.recordView(view, rep)
	_, step := trace.Begin(c.ctx, "write the answer")
	err := view.WriteTo(a, rep)
	if err == nil {
		err = a.finish()
	}
	step.End(err)
	return err
}

// sendBytes is send for what is ready.
func (c *call) sendBytes(code int, contentType string, body []byte) error {
	a := answers.Get().(*answer)
	a.call, a.code, a.contentType = c, code, contentType
	a.paced = pacing.Begin()
	defer a.release()
	if _, err := a.Write(body); err != nil {
		return err
	}
	return a.finish()
}

var answers = sync.Pool{New: func() any { return &answer{buffer: make([]byte, 0, 4<<10)} }}

// answer is the body of an answer while it is written.
type answer struct {
	call        *call
	code        int
	contentType string
	buffer      []byte
	out         io.Writer // nil until the answer is too long for the buffer
	coding      *coding   // nil: the answer is not compressed
	compressor  compressor
	frames      transport.FrameWriter // where all of a long answer ends
	paced       pacing.Writer         // makes a long answer
}

// Write collects, or streams.
func (a *answer) Write(p []byte) (int, error) {
	if a.out != nil {
		return a.out.Write(p)
	}
	if len(a.buffer)+len(p) <= compressThreshold {
		a.buffer = append(a.buffer, p...)
		return len(p), nil
	}
	a.stream()
	if len(a.buffer) > 0 {
		if _, err := a.out.Write(a.buffer); err != nil {
			return 0, err
		}
	}
	return a.out.Write(p)
}

// AvailableBuffer is where a view may put a short answer together and then Write it without a copy;
// see bytes.Buffer.
func (a *answer) AvailableBuffer() []byte {
	if a.out != nil {
		return nil
	}
	return a.buffer[len(a.buffer):]
}

// Pause is for a view that works for long before it writes.
func (a *answer) Pause() { a.paced.Pause() }

// stream sends the header and chooses where the rest goes.
func (a *answer) stream() {
	c := a.call
	header := c.w.Header()
	header.Set("Content-Type", a.contentType)
	c.sendWarnings()
	a.frames.Reset(c.w)
	a.paced.SetOutput(&a.frames, math.MaxInt)
	if a.coding = accepted(c.req.Header["Accept-Encoding"]); a.coding != nil {
		header.Set("Content-Encoding", a.coding.name)
		header.Add("Vary", "Accept-Encoding")
		a.compressor = a.coding.pool.Get().(compressor)
		a.compressor.Reset(&a.frames)
		a.paced.SetOutput(a.compressor, compressedAtOnce)
	}
	a.out = &a.paced
	// A client that does not read must not hold the answer for ever; not every ResponseWriter can
	// have a deadline.
	if deadline, ok := c.ctx.Deadline(); ok {
		_ = http.NewResponseController(c.w).SetWriteDeadline(deadline.Add(slack))
	}
	c.w.WriteHeader(a.code)
}

func (a *answer) finish() error {
	if a.out == nil {
		header := a.call.w.Header()
		header.Set("Content-Type", a.contentType)
		header.Set("Content-Length", strconv.Itoa(len(a.buffer)))
		a.call.sendWarnings()
		end := transport.WritingShort(a.call.req.Context())
		defer end()
		a.call.w.WriteHeader(a.code)
		_, err := a.call.w.Write(a.buffer)
		return err
	}
	if a.coding != nil {
		if err := a.compressor.Close(); err != nil {
			return err
		}
	}
	return a.frames.Flush()
}

func (a *answer) release() {
	if a.coding != nil {
		a.compressor.Reset(nil)
		a.coding.pool.Put(a.compressor)
	}
	a.frames.Reset(nil)
	*a = answer{buffer: a.buffer[:0], frames: a.frames}
	answers.Put(a)
}
