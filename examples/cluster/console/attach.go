package console

import (
	"bytes"
	"context"
	"net/http"
	"sync"

	corev1 "k8s.io/api/core/v1"
)

// Attach joins a client to a console: what it types is printed there, line by line, and what is
// printed from now on, by anybody, it is shown. It leaves when it goes, when it has no more to say,
// and when the console ends.
func Attach(c *Console, opts *corev1.PodAttachOptions) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		from := c.end() // nothing that is printed while the connection is made gets lost
		ch, ok := accept(w, r)
		if !ok {
			return
		}
		ctx, leave := context.WithCancel(r.Context())
		defer leave()
		reading, stop := context.WithCancel(context.WithoutCancel(ctx)) // to the last word: who stops reading has closed the connection
		s := &session{console: c, channels: ch, opts: opts, typed: make(chan int64, 1)}
		var reader sync.WaitGroup
		reader.Go(func() {
			s.listen(reading)
			leave()
		})
		if err := s.show(ctx, from); err == nil {
			ch.finish()
		} else {
			ch.giveUp()
		}
		stop()
		reader.Wait()
	})
}

// session is one client at a console.
type session struct {
	console  *Console
	channels *channels
	opts     *corev1.PodAttachOptions
	input    input
	typed    chan int64 // gets the place behind what the client has typed, when it has no more to say
}

// listen prints what the client types, until it is gone.
func (s *session) listen(ctx context.Context) {
	over := false
	for {
		data, end, err := s.channels.receive(ctx)
		if err != nil {
			s.console.Print(s.input.rest())
			return
		}
		if over || !s.opts.Stdin {
			continue
		}
		if !end {
			var lines, shown []byte
			lines, shown, end = s.input.take(data, s.opts.TTY)
			if len(shown) > 0 && s.channels.send(ctx, stdout, shown) != nil {
				return
			}
			s.console.Print(lines)
		}
		if end {
			over = true
			s.console.Print(s.input.rest())
			s.typed <- s.console.end()
		}
	}
}

// show sends the client what is printed from a place on, until there is no more to come for it: or
// else the error says why it ends.
func (s *session) show(ctx context.Context, from int64) error {
	until := int64(-1) // not known yet
	for {
		lines, next, changed := s.console.read(from)
		if out := s.render(lines); len(out) > 0 {
			if err := s.channels.send(ctx, stdout, out); err != nil {
				return err
			}
		}
		from = next
		if changed == nil || until >= 0 && from >= until {
			return nil
		}
		select {
		case <-ctx.Done():
			return ctx.Err()
		case until = <-s.typed:
		case <-changed:
		}
	}
}

// render is how lines look to the client; one that does not listen gets none.
func (s *session) render(lines []line) []byte {
	if !s.opts.Stdout {
		return nil
	}
	var out []byte
	for _, l := range lines {
		out = append(append(out, l.text...), '\n')
	}
	if s.opts.TTY {
		out = bytes.ReplaceAll(out, []byte("\n"), []byte("\r\n"))
	}
	return out
}
