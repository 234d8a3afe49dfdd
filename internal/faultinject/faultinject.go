// Package faultinject breaks the promises of a store on purpose, for the tests of test/oracle. The
// test that proves that test/oracle finds faults builds a server with the tag faultinject. In every
// other server, package serve does not import this package.
//
// Each Bug is a way in which stores like ours have failed somewhere. A bug stands around the part
// whose fault it imitates, so that the part knows nothing of it. Above stands around what the
// registry reads, Below around what a watch cache follows, Served around what the server sends.
// Unsynced is a setting of the embedded etcd. Only books have bugs, and only for clients: a server
// that can't trust what it reads itself would not get as far as serving them.
package faultinject

import (
	"context"
	"fmt"
	"slices"
	"strings"

	"github.com/typeplane/typeplane/registry/rest"
	"github.com/typeplane/typeplane/storage"
)

// Bug is a broken promise. "" is none.
type Bug string

// The bugs.
const (
	StaleRead       Bug = "stale-read"        // a read that should be of the newest state is served from memory as it is
	GoesBack        Bug = "goes-back"         // a list of any state is now and then older than the one before
	NewerItem       Bug = "newer-item"        // a list at a revision has the items of now
	NewerPage       Bug = "newer-page"        // the second page is of a newer state than the first
	LostUpdate      Bug = "lost-update"       // what a change was made of is not compared with what it replaces
	UnknownIsFailed Bug = "unknown-is-failed" // a write that etcd did not answer is said to have failed
	DroppedEvent    Bug = "dropped-event"     // a watch that begins in the past misses its first event
	DuplicatedEvent Bug = "duplicated-event"  // a watch says something twice
	SwappedEvents   Bug = "swapped-events"    // events of two keys come in the wrong order
	OldDeletion     Bug = "old-deletion"      // the event of a deletion has the revision of the last write
	EarlyBookmark   Bug = "early-bookmark"    // a bookmark comes before the events that it stands for
	LostAtStart     Bug = "lost-at-start"     // the cache's watch begins one revision too late
	LostInCache     Bug = "lost-in-cache"     // the cache misses a change now and then
	LostWrite       Bug = "lost-write"        // a write is acknowledged that was never on the disk, and its revision is used again
	AckedUnsynced   Bug = "acked-unsynced"    // a write is acknowledged before it was synced to the disk

	IgnoredFinalizer  Bug = "ignored-finalizer"   // a deletion does not see a finalizer that was added since it looked
	CreatedOver       Bug = "created-over"        // an object that waits for its finalizers is replaced by a new one of its name
	StaleRefusal      Bug = "stale-refusal"       // an update is refused for what the server wrote last
	AppliedOnConflict Bug = "applied-on-conflict" // an apply patch that is refused with 409 is written anyway
	StolenField       Bug = "stolen-field"        // an apply patch takes fields of others without force
	CollectionByName  Bug = "collection-by-name"  // deletecollection deletes objects that took the names of those in its list
	CollectionSkips   Bug = "collection-skips"    // deletecollection leaves objects that were changed since its list
	WetRun            Bug = "wet-run"             // a dry run of a deletion deletes
	StaleTouch        Bug = "stale-touch"         // a write that changes nothing of what the server wrote last is not compared with what there is

	Uncharged         Bug = "uncharged"          // a create is now and then not charged to the quota
	LateCreate        Bug = "late-create"        // a create looks at its namespace, and does not depend on it
	ForgottenWebhooks Bug = "forgotten-webhooks" // a server does not learn of the webhooks that were there when it started
)

// Bugs are all of them.
var Bugs = []Bug{
	StaleRead, GoesBack, NewerItem, NewerPage, LostUpdate, UnknownIsFailed, DroppedEvent, DuplicatedEvent, SwappedEvents,
	OldDeletion, EarlyBookmark, LostAtStart, LostInCache, LostWrite, AckedUnsynced,
	IgnoredFinalizer, CreatedOver, StaleRefusal, AppliedOnConflict, StolenField, CollectionByName, CollectionSkips,
	WetRun, StaleTouch,
	Uncharged, LateCreate, ForgottenWebhooks,
}

// Parse returns the bug with a name, or an error.
func Parse(name string) (Bug, error) {
	if bug := Bug(name); name == "" || slices.Contains(Bugs, bug) {
		return bug, nil
	}
	return "", fmt.Errorf("no bug is called %q: choose of %q", name, Bugs)
}

// source is what a watch cache follows.
type source interface {
	storage.Interface
	RequestProgress(ctx context.Context) error
	EachRevision(ctx context.Context, prefix string, revision int64, visit func(key string, modified int64)) error
	UpdateKnown(ctx context.Context, known storage.Entry, try storage.TryUpdate) (storage.Entry, error)
	DeleteKnown(ctx context.Context, known storage.Entry, check storage.CheckDelete) (storage.Entry, error)
}

// broken is the resource that has the bugs, as clients call it.
const broken = "books"

// Above returns the store of a resource with the bug, if it is one of reads, writes, or watches.
func (b Bug) Above(s storage.Interface, resource string) storage.Interface {
	if resource != broken {
		return s
	}
	switch b {
	case "", AckedUnsynced, EarlyBookmark, LostAtStart, LostInCache, AppliedOnConflict, StolenField, CollectionByName, CollectionSkips, WetRun, ForgottenWebhooks:
		return s
	}
	return &store{Interface: s, bug: b}
}

// Below returns s, which is of a resource, with the bug, if it is one between etcd and the cache.
func (b Bug) Below(s source, resource string) source {
	if resource != broken || b != LostAtStart && b != LostInCache {
		return s
	}
	return &feed{source: s, bug: b}
}

// Unsynced says whether the embedded etcd has the bug of not waiting for the disk.
func (b Bug) Unsynced() bool { return b == AckedUnsynced }

// Served gives resources the bug, if it is one of streams, apply patches, deletions, or webhooks.
func (b Bug) Served(resources []rest.Resource) {
	for i := range resources {
		switch r := &resources[i]; {
		case b == ForgottenWebhooks && strings.HasSuffix(r.Name, "webhookconfigurations"):
			r.List = forgetting{r.List}
		case r.Name != broken:
		case b == EarlyBookmark && r.Watch != nil:
			r.Watch = marker{r.Watch}
		case (b == AppliedOnConflict || b == StolenField) && r.Patch != nil:
			r.Patch = applying{r.Patch, b}
		case (b == CollectionByName || b == CollectionSkips) && r.DeleteCollection != nil:
			r.DeleteCollection = collecting{r.List, r.Delete, b}
		case b == WetRun && r.Delete != nil:
			r.Delete = wet{r.Delete}
		}
	}
}
