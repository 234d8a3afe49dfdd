package main

import "fmt"

// checkBookmarks is C7.
func checkBookmarks(v *view) []string {
	var bad []string
	for i := range v.Watches {
		w := &v.Watches[i]
		if text := v.wrongBookmarks(w); text != "" {
			bad = append(bad, fmt.Sprintf("%s: %s", w, text))
		}
	}
	return bad
}

func (v *view) wrongBookmarks(w *Watch) string {
	from, text := v.start(w)
	if text != "" || !from.known {
		return "" // C6 has it
	}
	want := v.changes(w.Scope, from.after)
	reached, marked := from.after, from.after
	for _, e := range w.Events[from.first:] {
		revision := e.Item.Revision
		if e.Type != Bookmark {
			if revision <= marked {
				return fmt.Sprintf("%s %s came behind a bookmark of revision %d", e.Type, e.Item, marked)
			}
			for len(want) > 0 && want[0].revision <= revision {
				want = want[1:]
			}
			reached = revision
			continue
		}
		switch {
		case revision < reached:
			return fmt.Sprintf("a bookmark of revision %d came behind revision %d", revision, reached)
		case len(want) > 0 && want[0].revision <= revision:
			return fmt.Sprintf("a bookmark of revision %d came before %s", revision, want[0])
		case revision > from.after && revision >= v.clock.ceiling(e.At):
			return fmt.Sprintf("a bookmark of revision %d came when there was no such revision", revision)
		}
		reached, marked = revision, revision
	}
	return ""
}
