// Package migration rewrites stored values that are not in the form in which a store writes them
// today: those of an older version, another media type, another key.
//
// A store says which entries these are (storage.Entry.Stale), and a write of the same canonical
// value mends one. So a migration has no state of its own. One that was stopped goes on where it
// was, because what it has done is not stale any more. Two at once, or one beside running servers,
// do each other no harm. Watchers get one Modified event for each entry that is rewritten, with the
// same value.
//
// Start reading at Run. This package knows no objects; it never deletes, and never touches an entry
// that can't be read.
package migration
