// Package progress shows on a terminal which step a run is at, if the run takes longer than two
// seconds. Start reading at New.
package progress

import (
	"fmt"
	"io"
	"os"
	"strings"
	"sync"
	"time"

	"golang.org/x/term"
)

// delay is the time without output, interval the time between two updates of the line.
const (
	delay    = 2 * time.Second
	interval = 200 * time.Millisecond
)

// Progress is one line of a terminal: the step, its count and the elapsed time. A nil Progress
// shows nothing. Methods may be called from several goroutines.
type Progress struct {
	out   io.Writer
	start time.Time
	stop  func()
	ended sync.WaitGroup

	mu       sync.Mutex // guards the fields below
	step     string
	done, of int
}

// New begins to show progress on w. It returns nil if w is not a terminal. The caller must call
// Close before it writes to w.
func New(w io.Writer) *Progress {
	file, ok := w.(*os.File)
	if !ok || !term.IsTerminal(int(file.Fd())) {
		return nil
	}
	return start(w)
}

func start(w io.Writer) *Progress {
	stop := make(chan struct{})
	p := &Progress{out: w, start: time.Now(), stop: sync.OnceFunc(func() { close(stop) })}
	p.ended.Go(func() { p.show(stop) })
	return p
}

// Step begins a step with a number of parts, 0 if that is not known.
func (p *Progress) Step(name string, parts int) {
	if p == nil {
		return
	}
	p.mu.Lock()
	defer p.mu.Unlock()
	p.step, p.done, p.of = name, 0, parts
}

// Add counts finished parts of the step.
func (p *Progress) Add(parts int) {
	if p == nil {
		return
	}
	p.mu.Lock()
	defer p.mu.Unlock()
	p.done += parts
}

// Close removes the line. It may be called more than once.
func (p *Progress) Close() {
	if p == nil {
		return
	}
	p.stop()
	p.ended.Wait()
}

// show draws the line until Close.
func (p *Progress) show(stop <-chan struct{}) {
	select {
	case <-stop:
		return
	case <-time.After(delay):
	}
	const clear = "\r\x1b[K"
	for tick := time.NewTicker(interval); ; {
		io.WriteString(p.out, clear+p.line())
		select {
		case <-stop:
			io.WriteString(p.out, clear)
			return
		case <-tick.C:
		}
	}
}

// line is the text of the line: "gen: check packages, 120 of 300, 4 s".
func (p *Progress) line() string {
	p.mu.Lock()
	defer p.mu.Unlock()
	parts := []string{"gen: " + p.step}
	switch {
	case p.of > 0:
		parts = append(parts, fmt.Sprintf("%d of %d", p.done, p.of))
	case p.done > 0:
		parts = append(parts, fmt.Sprint(p.done))
	}
	parts = append(parts, fmt.Sprintf("%d s", time.Since(p.start)/time.Second))
	return strings.Join(parts, ", ")
}
