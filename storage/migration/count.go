package migration

import (
	"context"

	"github.com/typeplane/typeplane/storage"
)

// pageSize is how many entries are read at once.
const pageSize = 500

// maxExamples is how many problems of one kind are kept with their reasons.
const maxExamples = 5

// Count says in which state the entries of a prefix are.
type Count struct {
	// Entries are all of them, Stale those that a write would put into another form, Unreadable
	// those that nobody can read, and that stay as they are.
	Entries, Stale, Unreadable int64
	// Examples are the reasons of the first unreadable ones.
	Examples []error
}

// Survey counts the entries below prefix. It reads page after page of the current state, so what
// changes meanwhile is counted in the one state or the other.
func Survey(ctx context.Context, store storage.Interface, prefix string) (Count, error) {
	var c Count
	err := eachPage(ctx, store, prefix, func(page []*storage.Entry) error {
		for _, e := range page {
			c.add(*e)
		}
		return nil
	})
	return c, err
}

func (c *Count) add(e storage.Entry) {
	c.Entries++
	switch {
	case e.Err != nil:
		c.Unreadable++
		if len(c.Examples) < maxExamples {
			c.Examples = append(c.Examples, e.Err)
		}
	case e.Stale:
		c.Stale++
	}
}

// eachPage reads everything below prefix. A page is of the current state, since a long migration
// must not depend on a revision that is compacted away under it. What is written after a page was
// read has today's form anyway.
func eachPage(ctx context.Context, store storage.Interface, prefix string, visit func([]*storage.Entry) error) error {
	for start := ""; ; {
		page, err := store.List(ctx, prefix, storage.ListOptions{Start: start, Limit: pageSize})
		if err != nil {
			return err
		}
		if err := visit(page.Entries); err != nil {
			return err
		}
		if page.Remaining == 0 || len(page.Entries) == 0 {
			return nil
		}
		start = page.Entries[len(page.Entries)-1].Key + "\x00"
	}
}
