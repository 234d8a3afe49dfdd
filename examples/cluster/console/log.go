package console

import (
	"context"
	"net/http"
	"time"

	corev1 "k8s.io/api/core/v1"
)

// timestamp is how a time is written before a line: each of them is as long as the others.
const timestamp = "2006-01-02T15:04:05.000000000Z07:00"

// patience is how long a client may take to read what it is sent.
const patience = 30 * time.Second

// Log answers with what a console says, and with what it will say if the client follows. Which
// console, the container of the options has said already.
func Log(c *Console, opts *corev1.PodLogOptions) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		w.Header().Set("Content-Type", "text/plain")
		l := &logWriter{w: w, to: http.NewResponseController(w), timestamps: opts.Timestamps, since: since(opts), left: -1}
		if opts.LimitBytes != nil {
			l.left = *opts.LimitBytes
		}
		if opts.Stream != nil && *opts.Stream == corev1.LogStreamStderr {
			c = new(Consoles).Of("", "") // nobody writes there
		}
		l.copy(r.Context(), c, opts)
		_ = l.to.SetWriteDeadline(time.Time{}) // it was for this answer
	})
}

// since is the time from which on lines are wanted.
func since(opts *corev1.PodLogOptions) time.Time {
	switch {
	case opts.SinceTime != nil:
		return opts.SinceTime.Time
	case opts.SinceSeconds != nil:
		return time.Now().Add(-time.Duration(*opts.SinceSeconds) * time.Second)
	}
	return time.Time{}
}

// logWriter writes lines as a client wants them.
type logWriter struct {
	w          http.ResponseWriter
	to         *http.ResponseController
	timestamps bool
	since      time.Time
	left       int64 // how many bytes may follow; -1: any number
}

// copy writes until there is no more to say, or the client has enough.
func (l *logWriter) copy(ctx context.Context, c *Console, opts *corev1.PodLogOptions) {
	lines, next, changed := c.read(0)
	if n := opts.TailLines; n != nil && *n < int64(len(lines)) {
		lines = lines[int64(len(lines))-*n:]
	}
	for l.write(lines) && opts.Follow && changed != nil {
		select {
		case <-ctx.Done():
			return
		case <-changed:
		}
		lines, next, changed = c.read(next)
	}
}

// write sends lines, and says whether the client may want more.
func (l *logWriter) write(lines []line) bool {
	var out []byte
	for _, line := range lines {
		if line.at.Before(l.since) {
			continue
		}
		if l.timestamps {
			out = append(line.at.UTC().AppendFormat(out, timestamp), ' ')
		}
		out = append(append(out, line.text...), '\n')
	}
	if l.left >= 0 {
		out = out[:min(int64(len(out)), l.left)]
		l.left -= int64(len(out))
	}
	_ = l.to.SetWriteDeadline(time.Now().Add(patience)) // a writer that has none waits for the request to end
	if _, err := l.w.Write(out); err != nil || l.to.Flush() != nil {
		return false
	}
	return l.left != 0
}
