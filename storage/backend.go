package storage

import "context"

// Backend is a database in which a server keeps its objects, see Server.Storage of package
// typeplane. Package storagetest has the suite that its stores pass. Only Open is needed.
type Backend struct {
	// Name is what the server calls the database in its log.
	Name string
	// Open returns a store of the keys below root, whose values are in a form. A server opens one
	// for each resource and some for itself, several on the same root. What one writes all see, and
	// there is one line of revisions for all of them.
	Open func(root string, form Form) Interface
	// Shared says that other processes may write to the database. The loops of a server run in one
	// of those that share it, and objects are moved only while nobody else writes.
	Shared bool
	// Ready fails while the database can't be read and written: /readyz does, too. nil: it always
	// can.
	Ready func(context.Context) error
	// Forget takes away the history up to now, so that watches which began before get
	// CodeCompacted. It is needed when the key prefix of a resource changes. nil: it can't be done.
	Forget func(context.Context) error
	// Close ends the database, behind the last call of all stores. nil: there is nothing to do.
	Close func() error
}
