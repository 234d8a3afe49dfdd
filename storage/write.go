package storage

import (
	"slices"
	"time"
)

// TryUpdate makes the next value of an entry. It may be called several times, each time with a
// newer entry, and must have no effect outside; its last answer counts. It may return current.Value
// itself, but never a changed one: that is shared. The store keeps the returned value.
type TryUpdate func(current Entry) (value []byte, with []Op, err error)

// CheckDelete allows the deletion of current, with what has to be written in the same transaction,
// or says why not. It may be called several times, each time with a newer entry, and must have no
// effect outside; its last answer counts. A deletion has no Lifetime.
type CheckDelete func(current Entry) (with []Op, err error)

// Op is one more thing in the transaction of a write. It is a compare-and-put at another key of the
// same root, or what its Act says, or the Lifetime of the entry itself. Its value is written as it
// is: a Form does not apply.
type Op struct {
	Key string
	// Expected is the revision that Key must have; 0 means that it must not exist.
	Expected int64
	// Act is what happens to Key then.
	Act Act
	// Value is what Put puts there.
	Value []byte

	lifetime time.Duration
}

// Act is what an Op does to its key, when that has the expected revision.
type Act int

const (
	// Put writes Op.Value.
	Put Act = iota
	// Expect does nothing: the transaction depends on the revision. It is no change, and no watch
	// sees it.
	Expect
	// Remove deletes what is there; nothing can't be removed.
	Remove
)

// Lifetime makes the entry that is written disappear by itself: not before d is over, and soon
// after it, like any deletion. Entries share leases of etcd, so the end may be later by 5 % of d,
// one second at least and 60 at most, in whole seconds. The time is counted from the write. An
// update without a Lifetime leaves that of the entry as it is.
func Lifetime(d time.Duration) Op { return Op{lifetime: d} }

// SplitOps takes the Lifetime, 0 if there is none, out of the operations that go with a write.
// Backends call it after CheckOps.
func SplitOps(with []Op) (lifetime time.Duration, puts []Op) {
	i := slices.IndexFunc(with, func(o Op) bool { return o.lifetime != 0 })
	if i < 0 {
		return 0, with
	}
	return with[i].lifetime, slices.Delete(slices.Clone(with), i, i+1)
}
