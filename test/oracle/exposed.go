package main

import (
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/typeplane/typeplane/internal/drill"
)

// Exposed is how much happened in a run, or in several.
type Exposed struct {
	Runs  int
	Count map[string]int
	// Settled is the longest that it took after the faults until everything worked again.
	Settled time.Duration
}

func (e *Exposed) add(name string, n int) {
	if e.Count == nil {
		e.Count = map[string]int{}
	}
	e.Count[name] += n
}

// Add adds what happened in another run.
func (e *Exposed) Add(other Exposed) {
	e.Runs += other.Runs
	e.Settled = max(e.Settled, other.Settled)
	for name, n := range other.Count {
		e.add(name, n)
	}
}

// exposed counts what is in a history.
func (w *world) exposed(h *History) Exposed {
	e := Exposed{Runs: 1, Settled: w.settled}
	for i := range h.Ops {
		op := &h.Ops[i]
		e.add("operations", 1)
		e.add(fmt.Sprintf("%s %s", op.Verb, op.Outcome), 1)
		e.add("items read", len(op.Items))
		if op.Status == 410 {
			e.add("410 for lists", 1)
		}
		if op.Dry {
			e.add("dry runs", 1)
		}
		if op.Verb == Apply && op.Status == 409 {
			e.add("apply refused by 409", 1)
		}
		switch {
		case op.refusedForQuota():
			e.add("refused by a quota", 1)
		case op.refusedForNamespace():
			e.add("refused by a namespace that goes", 1)
		case denied(op.Message):
			e.add("refused by a webhook", 1)
		}
		if op.Verb == Collection {
			e.add("objects in deleted collections", len(op.Items))
		}
		if op.Query.After != "" {
			e.add("later pages", 1)
		}
		if !op.written() {
			e.add("reads "+string(op.Query.Match), 1)
		}
		if op.Status >= 500 {
			e.add(fmt.Sprintf("answers %d", op.Status), 1)
		}
	}
	for i := range h.Watches {
		watch := &h.Watches[i]
		e.add("watches", 1)
		e.add("watches "+string(watch.Start), 1)
		for _, event := range watch.Events {
			if event.Type == Bookmark {
				e.add("bookmarks", 1)
			} else {
				e.add("events", 1)
			}
		}
	}
	for _, f := range w.follows {
		e.add("resumes", f.tally.resumes)
		e.add("410 for watches", f.tally.expired)
	}
	e.add("revisions", len(h.Truth.Versions))
	for _, n := range h.Truth.Namespaces {
		if n.Gone {
			e.add("namespaces gone", 1)
		}
	}
	v := newView(h)
	asked, silent, _ := v.unanswered()
	e.add("requests outside of faults", asked)
	e.add("requests outside of faults, unanswered", silent)
	for i := range h.Truth.Versions {
		if kind := effectOf(&h.Truth.Versions[i], v.before[i]); kind != "" {
			e.add("effect: "+kind, 1)
		}
	}
	w.mu.Lock()
	defer w.mu.Unlock()
	for f, n := range w.done {
		e.add("fault: "+string(f), n)
	}
	return e
}

// note adds what a run exposed, and which promises it broke, to the scorecard.
func (e Exposed) note(broken []Violation) {
	of := func(properties ...string) (n int) {
		for _, v := range broken {
			if slices.Contains(properties, v.Property) {
				n++
			}
		}
		return n
	}
	for _, row := range []drill.Row{drill.Serializable, drill.ExactWatches, drill.Bookmarks, drill.CacheIsStore, drill.Pages} {
		row.Count("runs", e.Runs)
	}
	faults := 0
	for name, n := range e.Count {
		if strings.HasPrefix(name, "fault: ") {
			faults += n
		}
	}
	drill.Serializable.Count("operations", e.Count["operations"])
	drill.Serializable.Count("faults", faults)
	drill.Serializable.Count("violations", of("C1", "C2", "C3", "C4", "C5", "C8"))
	drill.ExactWatches.Count("events", e.Count["events"])
	drill.ExactWatches.Count("violations", of("C6"))
	drill.Bookmarks.Count("bookmarks", e.Count["bookmarks"])
	drill.Bookmarks.Count("violations", of("C7"))
	drill.CacheIsStore.Count("differences", of("C9"))
	drill.Pages.Count("later pages", e.Count["later pages"])
	drill.Pages.Count("answers 410", e.Count["410 for lists"])
	drill.Pages.Count("compactions", e.Count["fault: "+string(Compaction)])
	drill.Pages.Count("mixed pages", of("C3"))
	drill.Races.Count("runs", e.Runs)
	drill.Races.Count("deleted collections", e.Count[string(Collection)+" ok"])
	drill.Races.Count("namespaces emptied", e.Count["namespaces gone"])
	drill.Races.Count("violations", of("C14", "C16", "C17"))
}

func (e Exposed) String() string {
	var names []string
	for name := range e.Count {
		names = append(names, name)
	}
	slices.Sort(names)
	var b strings.Builder
	fmt.Fprintf(&b, "%d runs, in which everything worked again after %v at most\n", e.Runs, e.Settled.Round(time.Millisecond))
	for _, name := range names {
		fmt.Fprintf(&b, "  %-40s %9d\n", name, e.Count[name])
	}
	return b.String()
}
