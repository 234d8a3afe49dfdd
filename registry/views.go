package registry

import "github.com/typeplane/typeplane/registry/internal/canonical"

// views is a version as answers are written in it.
type views struct {
	canonical.Version
	table *columns
	// head is how an object begins that says its kind; "" if objects begin in another way.
	head    string
	encoded *EncodeCache // nil: nothing is kept
}

// newViews shows objects of a version, in a Table with these columns.
func newViews(v canonical.Version, table *columns, encoded *EncodeCache) views {
	if v.Decorate != nil {
		encoded = nil // what is shown may change without a write
	}
	return views{Version: v, table: table, head: headIn(v), encoded: encoded}
}
