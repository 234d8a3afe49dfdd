package serve

import (
	"bytes"
	"fmt"
	"io"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/typeplane/typeplane/internal/program"
)

// gate is a reader of a log that can stop.
type gate struct {
	mu     sync.Mutex // guards text
	text   bytes.Buffer
	closed sync.Mutex // held while nothing gets through
}

func (g *gate) Write(p []byte) (int, error) {
	g.closed.Lock()
	defer g.closed.Unlock()
	g.mu.Lock()
	defer g.mu.Unlock()
	return g.text.Write(p)
}

func (g *gate) String() string {
	g.mu.Lock()
	defer g.mu.Unlock()
	return g.text.String()
}

// A log that nobody reads takes what fits, drops the rest, and says so when it is read again.
func TestLogThatBlocks(t *testing.T) {
	g := &gate{}
	log := neverBlocking((&program.LoggingOptions{Format: "text"}), g)
	log.Info("first")
	await := func(text string) {
		t.Helper()
		for begin := time.Now(); !strings.Contains(g.String(), text); time.Sleep(time.Millisecond) {
			if time.Since(begin) > time.Minute {
				t.Fatalf("there is no %q in\n%.1000s", text, g)
			}
		}
	}
	await("msg=first")

	g.closed.Lock()
	long := strings.Repeat("x", 10<<10)
	var writers sync.WaitGroup
	for i := range 8 {
		writers.Go(func() {
			for j := range 50 {
				log.Info(fmt.Sprintf("line %d-%d", i, j), "long", long)
			}
		})
	}
	writers.Wait() // the gate is still closed: that would hang here
	g.closed.Unlock()
	await("some of the log was lost because nobody read it")
	log.Info("last")
	await("msg=last")
	got := g.String()
	if n := strings.Count(got, "msg=\"line "); n < 50 || n > 2*maxLogPending/len(long)+8 || !strings.Contains(got, fmt.Sprintf("lines=%d", 400-n)) {
		t.Errorf("%d of 400 lines were kept", n)
	}
	for line := range strings.Lines(got) {
		if !strings.HasPrefix(line, "time=") || !strings.HasSuffix(line, "\n") {
			t.Errorf("half a line: %.100q", line)
		}
	}
}

// What can be written is written when the call returns, and in order: the last lines of a process
// get out.
func TestLogWriterIsPrompt(t *testing.T) {
	r, out := io.Pipe()
	w := newLogWriter(out)
	go func() {
		for i := range 100 {
			fmt.Fprintf(w, "%d\n", i)
		}
		out.Close()
	}()
	got, err := io.ReadAll(r)
	if err != nil || strings.Count(string(got), "\n") != 100 || !strings.HasSuffix(string(got), "98\n99\n") {
		t.Errorf("%q, %v", got, err)
	}
}

// panicking panics at the first write.
type panicking struct {
	gate
	once sync.Once
}

func (p *panicking) Write(b []byte) (int, error) {
	p.once.Do(func() { panic("the terminal is hostile") })
	return p.gate.Write(b)
}

// TestLogThatPanics: the line is lost, and the next ones are written.
func TestLogThatPanics(t *testing.T) {
	p := &panicking{}
	w := newLogWriter(p)
	for _, line := range []string{"first\n", "second\n"} {
		if n, err := w.Write([]byte(line)); n != len(line) || err != nil {
			t.Error(n, err)
		}
	}
	if got := p.String(); got != "second\n" {
		t.Errorf("%q", got)
	}
}
