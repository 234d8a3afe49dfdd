// Package diag collects what is wrong with the user's packages, so that one run says all of it.
//
// A plug-in adds problems and goes on; Run prints them sorted by position and writes no file if
// there is one. A plug-in warns where what it prints is sound, and what is there was probably meant
// otherwise.
package diag

import (
	"fmt"
	"go/token"
	"slices"
	"sort"
	"strings"
	"sync"
)

// Problem is one thing to mend, said to the person who wrote the Go types.
type Problem struct {
	// Pos is where to look; its Filename is as the user would type it (relative to the working
	// directory).
	Pos token.Position
	// Path is what it is about in the user's terms, like "Book.Spec.Pages"; may be empty.
	Path string
	// Message says what is wrong, Cure what to do about it (may be empty). Lower case, no trailing
	// dot.
	Message string
	Cure    string
	// Idle tells that it is about nothing but a tag that has no effect, so that what is printed is
	// sound without it.
	Idle bool
	// Passing tells that it is about what this run changes, so that the next one does not say it.
	Passing bool
	// By is the plug-in that says it; the report knows.
	By string
}

func (p Problem) String() string {
	var b strings.Builder
	if p.Pos.IsValid() || p.Pos.Filename != "" {
		fmt.Fprintf(&b, "%s: ", p.Pos)
	}
	if p.Path != "" {
		fmt.Fprintf(&b, "%s: ", p.Path)
	}
	b.WriteString(p.Message)
	if p.Cure != "" {
		b.WriteString("; " + p.Cure)
	}
	return b.String()
}

// Report is a set of problems. The zero value is ready; it may be used from any goroutine.
type Report struct {
	mu       sync.Mutex // guards the rest
	by       string
	problems []Problem
	warnings []Problem
	aside    func(Problem) bool // nil for none
}

// Leave says which problems and warnings are about what is none of the run's business. They are in
// Left only, and stop nothing.
func (r *Report) Leave(aside func(Problem) bool) {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.aside = aside
}

// Hearing says which plug-in speaks from now on.
func (r *Report) Hearing(plugin string) {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.by = plugin
}

// Add takes one problem down.
func (r *Report) Add(p Problem) {
	r.mu.Lock()
	defer r.mu.Unlock()
	p.By = r.by
	r.problems = append(r.problems, p)
}

// Warn takes something down that stops nothing.
func (r *Report) Warn(p Problem) {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.warnings = append(r.warnings, p)
}

// Stops tells whether there is a problem without which what is printed would not be sound.
func (r *Report) Stops() bool {
	r.mu.Lock()
	defer r.mu.Unlock()
	return slices.ContainsFunc(r.problems, func(p Problem) bool { return !p.Idle && !r.isAside(p) })
}

func (r *Report) isAside(p Problem) bool { return r.aside != nil && r.aside(p) }

// ours are those of some problems that are the run's business, theirs the others.
func (r *Report) split(problems []Problem) (ours, theirs []Problem) {
	for _, p := range problems {
		if r.isAside(p) {
			theirs = append(theirs, p)
		} else {
			ours = append(ours, p)
		}
	}
	return ours, theirs
}

// Problems returns what was added, sorted by position, each once.
func (r *Report) Problems() []Problem {
	r.mu.Lock()
	defer r.mu.Unlock()
	ours, _ := r.split(r.problems)
	return inOrder(ours)
}

// Left returns the problems that are none of the run's business, sorted by position, each once.
func (r *Report) Left() []Problem {
	r.mu.Lock()
	defer r.mu.Unlock()
	_, theirs := r.split(r.problems)
	return inOrder(theirs)
}

// Warnings returns what was warned of, sorted by position, each once.
func (r *Report) Warnings() []Problem {
	r.mu.Lock()
	defer r.mu.Unlock()
	ours, _ := r.split(r.warnings)
	return inOrder(ours)
}

func inOrder(problems []Problem) []Problem {
	out := append([]Problem(nil), problems...)
	sort.SliceStable(out, func(i, j int) bool { return less(out[i], out[j]) })
	unique := out[:0]
	for i, p := range out {
		if i == 0 || !same(p, out[i-1]) {
			unique = append(unique, p)
		}
	}
	return unique
}

func same(p, q Problem) bool {
	p.By, q.By = "", ""
	return p == q
}

func less(a, b Problem) bool {
	if a.Pos.Filename != b.Pos.Filename {
		return a.Pos.Filename < b.Pos.Filename
	}
	if a.Pos.Line != b.Pos.Line {
		return a.Pos.Line < b.Pos.Line
	}
	if a.Pos.Column != b.Pos.Column {
		return a.Pos.Column < b.Pos.Column
	}
	return a.String() < b.String()
}
