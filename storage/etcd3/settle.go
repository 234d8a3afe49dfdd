package etcd3

import (
	"bytes"
	"context"
	"errors"
	"time"

	"go.etcd.io/etcd/api/v3/v3rpc/rpctypes"
	clientv3 "go.etcd.io/etcd/client/v3"

	"github.com/typeplane/typeplane/storage"
)

// patience is how long a write that etcd could not take, or of which it did not say what became, is
// tried again.
const patience = 5 * time.Second

// commit carries t out. A transaction that certainly did nothing is tried again, for patience. One
// whose outcome etcd did not tell is settled where that is possible:
//
//   - One with a base is simply sent again: at most one of the two can be carried out, for the
//     revision of base never comes back. If the second is, the first was not and never will be. If
//     it is not, the version that is there now may tell that the first was not either (see
//     excludes); then it is an ordinary conflict.
//   - A creation must not be sent again: the first could still arrive after somebody has deleted
//     what the second made. But if its value is there, it was carried out: no other writer makes
//     the same (storage.Interface says so).
//
// What remains is CodeUnknown, and so is everything as soon as ctx has ended.
func (s *Store) commit(ctx context.Context, t transaction) (outcome, error) {
	var doubt error // of an earlier attempt, that may have been carried out
	wait := backoff{limit: firstPause}
	for until := time.Now().Add(patience); ; {
		out, err := s.run(ctx, t)
		switch {
		case err == nil && (doubt == nil || out.done || s.excludes(ctx, out.current, t)):
			return out, nil
		case err == nil:
			return outcome{}, doubt
		case errors.Is(err, rpctypes.ErrNoSpace):
			return s.afterNoSpace(ctx, t, doubt)
		case errors.Is(err, storage.ErrNoQuorum):
			return outcome{}, first(doubt, writeError(ctx, t.op, t.key, err))
		}
		err = writeError(ctx, t.op, t.key, err)
		switch code := storage.CodeOf(err); {
		case code == storage.CodeUnknown && t.base == nil:
			return s.afterCreate(ctx, t, err)
		case code == storage.CodeUnknown && doubt == nil:
			doubt = err
		case code != storage.CodeUnknown && code != storage.CodeUnavailable:
			return outcome{}, first(doubt, err)
		}
		if time.Now().After(until) || s.client.Ctx().Err() != nil || wait.next(ctx) != nil {
			return outcome{}, first(doubt, err)
		}
	}
}

// afterCreate looks whether a creation was carried out. That it is not there yet says nothing.
func (s *Store) afterCreate(ctx context.Context, t transaction, doubt error) (outcome, error) {
	if ctx.Err() != nil || s.client.Ctx().Err() != nil {
		return outcome{}, doubt
	}
	current, _, err := s.read(ctx, t.op, t.key)
	if err == nil && current != nil && current.writes == 1 && bytes.Equal(current.stored, t.value) {
		return outcome{done: true, revision: current.Revision, lease: t.lease}, nil
	}
	return outcome{}, doubt
}

// afterNoSpace finds out what became of a transaction to which etcd said that it has no space. It
// looks at its quota twice, and after the second time it has written anyway; but when it answers,
// that is decided.
func (s *Store) afterNoSpace(ctx context.Context, t transaction, doubt error) (outcome, error) {
	unknown := &storage.Error{Code: storage.CodeUnknown, Op: t.op, Key: t.key, Err: errNoSpace}
	current, _, err := s.read(ctx, t.op, t.key)
	unchanged := err == nil && (current == nil && t.base == nil || current != nil && t.base != nil && current.Revision == t.base.Revision)
	switch {
	case doubt == nil && (unchanged || err == nil && s.excludes(ctx, current, t)):
		return outcome{}, &storage.Error{Code: storage.CodeNoSpace, Op: t.op, Key: t.key, Err: errNoSpace}
	case t.base == nil && err == nil && current != nil && current.writes == 1 && bytes.Equal(current.stored, t.value):
		return outcome{done: true, revision: current.Revision, lease: t.lease}, nil
	}
	return outcome{}, unknown
}

// version is an entry with what etcd knows of its past.
type version struct {
	storage.Entry
	created int64  // the revision of the key's creation; 0 if the entry was not read by this call
	writes  int64  // how many there were since, the creation included
	stored  []byte // as it is stored
}

// read says whether the entry was read by this call, and is not one that somebody knew.
func (v *version) read() bool { return v.created != 0 }

// excludes says that t was certainly not carried out and never will be, given that v is at its key
// now, and not what t wants there.
func (s *Store) excludes(ctx context.Context, v *version, t transaction) bool {
	if v == nil || t.base == nil || v.Revision == t.base.Revision {
		return false
	}
	base := t.base
	if !base.read() {
		// What etcd knows of it is in the history, if that reaches back so far.
		resp, err := s.get(ctx, s.root+t.key, clientv3.WithRev(base.Revision))
		if err != nil || len(resp.Kvs) == 0 {
			return false
		}
		base = s.version(t.key, resp.Kvs)
	}
	if v.created != base.created {
		return false
	}
	if t.value == nil {
		return true // a deletion would have ended the life that began at created
	}
	// The one write after base was of something else.
	return v.writes == base.writes+1 && !bytes.Equal(v.stored, t.value)
}

func first(a, b error) error {
	if a != nil {
		return a
	}
	return b
}
