package view

import "github.com/typeplane/typeplane/registry/internal/canonical"

// Factory makes the views of a version: what it answers, before anybody asks for a media type.
type Factory struct {
	canonical.Version
	table *Columns
	// head is how an object begins that says its kind; "" if objects begin in another way.
	head string
}

// NewFactory shows objects of a version, in a Table with these columns.
func NewFactory(v canonical.Version, table *Columns) Factory {
	return Factory{Version: v, table: table, head: headIn(v)}
}
