package tool

import (
	"fmt"
	"strings"
	"time"
)

// How often a progress is shown: as a bar that is painted over on a terminal, else as a line.
const (
	paintEvery = 100 * time.Millisecond
	lineEvery  = 5 * time.Second
	barWidth   = 30
)

// progress shows how far something has come. Only one goroutine may use it.
type progress struct {
	Console
	label       string
	unit        func(int64) string
	began, last time.Time
	done, total int64
	painted     bool
}

func newProgress(c Console, label string, unit func(int64) string) *progress {
	now := time.Now()
	return &progress{Console: c, label: label, unit: unit, began: now, last: now}
}

// set says how much is done, of how much in all.
func (p *progress) set(done, total int64) {
	p.done, p.total = done, total
	every := lineEvery
	if p.Terminal {
		every = paintEvery
	}
	if now := time.Now(); now.Sub(p.last) >= every {
		p.last = now
		p.show()
	}
}

// end shows the last state for good, where a bar or lines were shown.
func (p *progress) end() {
	if p.painted {
		p.show()
		if p.Terminal {
			fmt.Fprintln(p.Err)
		}
	}
}

func (p *progress) show() {
	p.painted = true
	text := fmt.Sprintf("%s of %s", p.unit(p.done), p.unit(p.total))
	if elapsed := time.Since(p.began).Seconds(); elapsed > 0 {
		text += fmt.Sprintf(", %s/s", p.unit(int64(float64(p.done)/elapsed)))
	}
	if !p.Terminal {
		fmt.Fprintf(p.Err, "%s: %s\n", p.label, text)
		return
	}
	full := barWidth
	if p.total > 0 {
		full = int(min(barWidth, p.done*barWidth/p.total))
	}
	fmt.Fprintf(p.Err, "\r%s [%s%s] %s\x1b[K", p.label, strings.Repeat("#", full), strings.Repeat(" ", barWidth-full), text)
}

func plainCount(n int64) string { return fmt.Sprint(n) }

func byteCount(n int64) string {
	switch {
	case n >= 10<<30:
		return fmt.Sprintf("%d GiB", n>>30)
	case n >= 10<<20:
		return fmt.Sprintf("%d MiB", n>>20)
	case n >= 10<<10:
		return fmt.Sprintf("%d KiB", n>>10)
	}
	return fmt.Sprintf("%d bytes", n)
}
