package console

import (
	"bytes"
	"slices"
	"sync"
	"time"

	"k8s.io/apimachinery/pkg/types"
)

const (
	// maxConsole is how many bytes a console keeps: of more, the oldest lines go.
	maxConsole = 64 << 10
	// maxAll is how many bytes all consoles keep: of more, the one goes into which nobody has
	// written for the longest time.
	maxAll = 32 << 20
	// lineCost and consoleCost are what a line and a console take beside the text.
	lineCost, consoleCost = 48, 512
)

// Consoles are those of the containers of a server. The zero value is ready. Its methods, and those
// of its consoles, may be called from any goroutine.
type Consoles struct {
	mu    sync.Mutex // guards everything below, and the consoles
	all   map[types.UID]map[string]*Console
	bytes int
	clock uint64 // counts writes, to find the console that had none for the longest time

	now           func() time.Time // nil: the time
	each, maximum int              // 0: maxConsole, maxAll
}

// Console is what a container has printed, line by line.
type Console struct {
	set       *Consoles
	pod       types.UID
	container string

	first   int64 // the number of lines[0]; lines before it are forgotten
	lines   []line
	bytes   int
	written uint64
	changed chan struct{} // closed, and replaced, when there is more to read
	ended   bool
}

// line is a line without its end, and the time when it was printed.
type line struct {
	at   time.Time
	text []byte
}

// Of returns the console of a container. There is an empty one from the first time that somebody
// asks for it.
func (s *Consoles) Of(pod types.UID, container string) *Console {
	s.mu.Lock()
	defer s.mu.Unlock()
	if c := s.all[pod][container]; c != nil {
		return c
	}
	if s.all == nil {
		s.all = map[types.UID]map[string]*Console{}
	}
	if s.all[pod] == nil {
		s.all[pod] = map[string]*Console{}
	}
	s.clock++
	c := &Console{set: s, pod: pod, container: container, bytes: consoleCost, written: s.clock, changed: make(chan struct{})}
	s.all[pod][container] = c
	s.bytes += c.bytes
	s.makeRoom(c)
	return c
}

// Drop ends the consoles of a pod that is gone: who follows one gets what is left of it, and then
// the end.
func (s *Consoles) Drop(pod types.UID) {
	s.mu.Lock()
	defer s.mu.Unlock()
	for _, c := range s.all[pod] {
		s.end(c)
	}
}

// end ends a console and forgets it. s.mu is held.
func (s *Consoles) end(c *Console) {
	s.bytes -= c.bytes
	delete(s.all[c.pod], c.container)
	if len(s.all[c.pod]) == 0 {
		delete(s.all, c.pod)
	}
	c.ended = true
	close(c.changed)
}

// makeRoom ends consoles until all keep to the bound, but not the console that is written to. s.mu
// is held.
func (s *Consoles) makeRoom(but *Console) {
	for s.bytes > orDefault(s.maximum, maxAll) {
		var oldest *Console
		for _, pod := range s.all {
			for _, c := range pod {
				if c != but && (oldest == nil || c.written < oldest.written) {
					oldest = c
				}
			}
		}
		if oldest == nil {
			return
		}
		s.end(oldest)
	}
}

// Print appends text, which may be several lines. Into a console that has ended nothing is written.
func (c *Console) Print(text []byte) {
	s := c.set
	s.mu.Lock()
	defer s.mu.Unlock()
	if c.ended || len(text) == 0 {
		return
	}
	now := time.Now
	if s.now != nil {
		now = s.now
	}
	at := now()
	for part := range bytes.Lines(text) {
		c.lines = append(c.lines, line{at, bytes.Clone(bytes.TrimSuffix(part, []byte("\n")))})
		c.grow(len(part) + lineCost)
	}
	drop := 0
	for ; drop < len(c.lines)-1 && c.bytes > orDefault(s.each, maxConsole); drop++ {
		c.grow(-len(c.lines[drop].text) - 1 - lineCost)
	}
	c.lines = slices.Delete(c.lines, 0, drop)
	c.first += int64(drop)
	s.clock++
	c.written = s.clock
	close(c.changed)
	c.changed = make(chan struct{})
	s.makeRoom(c)
}

func (c *Console) grow(by int) {
	c.bytes += by
	c.set.bytes += by
}

// end is where the next line will be.
func (c *Console) end() int64 {
	c.set.mu.Lock()
	defer c.set.mu.Unlock()
	return c.first + int64(len(c.lines))
}

// read returns the lines from a place on, as far as they are still there, and the place behind
// them. changed is closed when there is more; after the last line of a console that has ended, it
// is nil.
func (c *Console) read(from int64) (lines []line, next int64, changed <-chan struct{}) {
	c.set.mu.Lock()
	defer c.set.mu.Unlock()
	next = c.first + int64(len(c.lines))
	if from < next {
		lines = slices.Clone(c.lines[max(0, from-c.first):])
	}
	if c.ended {
		return lines, next, nil
	}
	return lines, next, c.changed
}

func orDefault(n, standard int) int {
	if n == 0 {
		return standard
	}
	return n
}
