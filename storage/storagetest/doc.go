// Package storagetest is the exact definition of storage.Interface: a suite that every backend
// passes.
//
// A backend's test calls Run with a Factory. Each test gets a fresh, empty root from it, so the
// tests may share one database. They run one after the other, because compaction is a matter of the
// whole database. Start reading at Backend. There is one file for each verb (create.go, get.go,
// list.go, count.go, update.go, delete.go, watch*.go). There is also one for each thing that goes
// across verbs. These are a single key instead of a prefix (single.go), revisions and how they are
// meant (match.go), operations, forms, keys, lifetimes, and hints (where.go). A Form is tested by
// the suite over a database in which values lie in it: see In.
package storagetest
