package console

import (
	"fmt"
	"strings"
	"testing"
	"time"
)

// texts are the lines that a console has, from a place on.
func texts(c *Console, from int64) string {
	lines, _, _ := c.read(from)
	var out []string
	for _, l := range lines {
		out = append(out, string(l.text))
	}
	return strings.Join(out, "|")
}

func TestConsole(t *testing.T) {
	var s Consoles
	c := s.Of("pod", "a")
	if again := s.Of("pod", "a"); again != c {
		t.Error("a container has two consoles")
	}
	c.Print([]byte("one\n\ntwo\nthree"))
	s.Of("pod", "b").Print([]byte("another\n"))
	if got := texts(c, 0); got != "one||two|three" || texts(c, 3) != "three" || texts(c, 9) != "" || c.end() != 4 {
		t.Errorf("%q, %q, %d", got, texts(c, 3), c.end())
	}
	_, next, changed := c.read(0)
	select {
	case <-changed:
		t.Error("it has changed, though nothing was printed")
	default:
	}
	c.Print([]byte("four\n"))
	<-changed
	if got := texts(c, next); got != "four" {
		t.Errorf("%q", got)
	}

	_, _, changed = c.read(next)
	s.Drop("pod")
	<-changed
	if lines, _, more := c.read(0); more != nil || len(lines) != 5 {
		t.Errorf("after the end: %d lines, more to come: %v", len(lines), more != nil)
	}
	c.Print([]byte("late\n"))
	if len(s.all) != 0 || s.bytes != 0 || texts(s.Of("pod", "a"), 0) != "" || c.end() != 5 {
		t.Errorf("something is left of a pod that is gone: %d bytes", s.bytes)
	}
}

// Whatever is printed, no more is kept than allowed; of one console the oldest lines go, of all the
// one that is silent for longest.
func TestBounds(t *testing.T) {
	s := Consoles{each: 4000, maximum: 10000}
	for i := range 200 {
		s.Of("one", "a").Print(fmt.Appendf(nil, "line %d\n", i))
	}
	c := s.Of("one", "a")
	if lines, next, _ := c.read(0); next != 200 || string(lines[len(lines)-1].text) != "line 199" || c.bytes > 4000 || len(lines) < 20 {
		t.Errorf("%d lines of %d, %d bytes", len(lines), next, c.bytes)
	}
	if got := texts(c, 198); got != "line 198|line 199" {
		t.Errorf("%q", got)
	}
	for i := range 20 {
		s.Of("other", fmt.Sprint(i)).Print([]byte(strings.Repeat("x", 1000)))
		c.Print([]byte("still here\n"))
	}
	sum := 0
	for _, pod := range s.all {
		for _, c := range pod {
			sum += c.bytes
		}
	}
	if s.bytes > 10000 || sum != s.bytes || c.ended || s.Of("one", "a") != c {
		t.Errorf("%d bytes of 10000, counted %d; the console that is written is gone: %v", s.bytes, sum, c.ended)
	}
	if texts(s.Of("other", "0"), 0) != "" {
		t.Error("the oldest console is still there")
	}
	huge := s.Of("huge", "a")
	huge.Print([]byte(strings.Repeat("y", 20000)))
	if len(texts(huge, 0)) != 20000 || len(s.all) != 1 {
		t.Errorf("a line that is too long for all is not kept while it is the last: %d, %d pods", len(texts(huge, 0)), len(s.all))
	}
}

func TestInput(t *testing.T) {
	for name, tc := range map[string]struct {
		typed    string
		terminal bool
		lines    string
		shown    string
		rest     string
		end      bool
	}{
		"lines":            {typed: "a\n\nb\nc", lines: "a\n\nb\n", rest: "c\n"},
		"bytes":            {typed: "\x03\x7f\r\n", lines: "\x03\x7f\r\n"},
		"keys":             {typed: "hj\x7fi\rx", terminal: true, lines: "hi\n", shown: "hj\b \bi\r\nx", rest: "x\n"},
		"nothing to erase": {typed: "\x7f\x08a", terminal: true, shown: "a", rest: "a\n"},
		"ends":             {typed: "a\r\x04b", terminal: true, lines: "a\n", shown: "a\r\n", end: true},
		"breaks off":       {typed: "a\x03", terminal: true, shown: "a", rest: "a\n", end: true},
	} {
		var i input
		lines, shown, end := i.take([]byte(tc.typed), tc.terminal)
		if rest := string(i.rest()); string(lines) != tc.lines || string(shown) != tc.shown || end != tc.end || rest != tc.rest {
			t.Errorf("%s: %q %q %v, rest %q", name, lines, shown, end, rest)
		}
	}
	var i input
	lines, _, _ := i.take([]byte(strings.Repeat("x", 2*maxLine+10)), false)
	if n := strings.Count(string(lines), "\n"); n != 2 || len(i.rest()) != 11 {
		t.Errorf("a long line was cut into %d", n)
	}
}

// clock is a time that a test moves.
type clock struct{ time.Time }

func (c *clock) now() time.Time { return c.Time }
