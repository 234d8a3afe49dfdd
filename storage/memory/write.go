package memory

import (
	"bytes"
	"context"
	"errors"
	"strings"

	"github.com/typeplane/typeplane/storage"
)

// Create implements storage.Interface.
func (s *Store) Create(ctx context.Context, key string, value []byte, with ...storage.Op) (storage.Entry, error) {
	if err := begin(ctx, "create", key); err != nil {
		return storage.Entry{}, err
	}
	revision, conflict, err := s.put(key, 0, value, with, "create")
	switch {
	case err != nil:
		return storage.Entry{}, err
	case revision > 0:
		return storage.Entry{Key: key, Value: value, Revision: revision}, nil
	case conflict == 0:
		return storage.Entry{}, &storage.Error{Code: storage.CodeExists, Op: "create", Key: key}
	}
	_, puts := storage.SplitOps(with)
	op := puts[conflict-1]
	_, current := s.db.Get(s.root + op.Key)
	return storage.Entry{}, &storage.Error{Code: storage.CodeConflict, Op: "create", Key: op.Key, Revision: op.Expected, Current: current}
}

// GuaranteedUpdate implements storage.Interface. It does not back off: a conflict means that
// somebody else got on.
func (s *Store) GuaranteedUpdate(ctx context.Context, key string, try storage.TryUpdate) (storage.Entry, error) {
	return s.update(ctx, key, nil, try)
}

// UpdateKnown implements storage.KnownWriter.
func (s *Store) UpdateKnown(ctx context.Context, known storage.Entry, try storage.TryUpdate) (storage.Entry, error) {
	return s.update(ctx, known.Key, &known, try)
}

// Delete implements storage.Interface.
func (s *Store) Delete(ctx context.Context, key string, check storage.CheckDelete) (storage.Entry, error) {
	return s.delete(ctx, key, nil, check)
}

// DeleteKnown implements storage.KnownWriter.
func (s *Store) DeleteKnown(ctx context.Context, known storage.Entry, check storage.CheckDelete) (storage.Entry, error) {
	return s.delete(ctx, known.Key, &known, check)
}

// update is GuaranteedUpdate whose first attempt works on known, if that is not nil.
func (s *Store) update(ctx context.Context, key string, known *storage.Entry, try storage.TryUpdate) (storage.Entry, error) {
	for ; ; known = nil {
		current, err := s.current(ctx, "update", key, known)
		switch {
		case err != nil:
			return storage.Entry{}, err
		case current.Err != nil:
			return storage.Entry{}, current.Err
		}
		value, with, err := try(current)
		if err != nil || !current.Stale && len(with) == 0 && bytes.Equal(value, current.Value) {
			switch {
			case known != nil && !s.still(*known):
				continue
			case err != nil:
				return storage.Entry{}, err
			}
			return current, nil
		}
		revision, _, err := s.put(key, current.Revision, value, with, "update")
		if err != nil {
			return storage.Entry{}, err
		}
		if revision > 0 {
			return storage.Entry{Key: key, Value: value, Revision: revision}, nil
		}
	}
}

// delete is Delete whose first attempt works on known, if that is not nil.
func (s *Store) delete(ctx context.Context, key string, known *storage.Entry, check storage.CheckDelete) (storage.Entry, error) {
	for ; ; known = nil {
		current, err := s.current(ctx, "delete", key, known)
		if err != nil {
			return storage.Entry{}, err
		}
		var with []storage.Op
		if check != nil {
			if with, err = check(current); err != nil {
				if known != nil && !s.still(*known) {
					continue
				}
				return storage.Entry{}, err
			}
			if err := storage.CheckDeleteOps(key, with); err != nil {
				return storage.Entry{}, err
			}
		}
		revision, _, err := s.commit("delete", write{key: s.root + key, expected: current.Revision, act: storage.Remove}, with)
		if err != nil {
			return storage.Entry{}, err
		}
		if revision > 0 {
			current.Revision = revision
			return current, nil
		}
	}
}

// current returns what an attempt at a write works on: known, or what is at key now, which may be
// poisoned.
func (s *Store) current(ctx context.Context, op, key string, known *storage.Entry) (storage.Entry, error) {
	if err := begin(ctx, op, key); err != nil {
		return storage.Entry{}, err
	}
	if known != nil {
		return *known, nil
	}
	value, written := s.db.Get(s.root + key)
	if written == 0 {
		return storage.Entry{}, &storage.Error{Code: storage.CodeNotFound, Op: op, Key: key}
	}
	return s.form.ReadEntry(key, value, written), nil
}

// still says whether known is what is at its key now.
func (s *Store) still(known storage.Entry) bool {
	value, written := s.db.Get(s.root + known.Key)
	if written != known.Revision {
		return false
	}
	now := s.form.ReadEntry(known.Key, value, written)
	return now.Stale == known.Stale && now.Err == nil
}

// put writes value at key and the operations with it. A conflict is a revision of 0 and the index
// of the write that stood in the way: 0 is key, others are one more than the index in with.
func (s *Store) put(key string, expected int64, value []byte, with []storage.Op, op string) (int64, int, error) {
	if err := storage.CheckOps(op, key, with); err != nil {
		return 0, 0, err
	}
	stored, err := s.form.WriteValue(key, value)
	if err != nil {
		return 0, 0, err
	}
	lifetime, with := storage.SplitOps(with)
	return s.commit(op, write{key: s.root + key, expected: expected, value: stored, lifetime: lifetime}, with)
}

// commit carries out first and the operations with it. A conflict is as with put.
func (s *Store) commit(op string, first write, with []storage.Op) (int64, int, error) {
	writes := make([]write, 0, 1+len(with))
	writes = append(writes, first)
	for _, o := range with {
		writes = append(writes, write{key: s.root + o.Key, expected: o.Expected, act: o.Act, value: o.Value})
	}
	revision, conflict, err := s.db.commit(writes)
	var e *storage.Error
	if errors.As(err, &e) {
		e.Op, e.Key = op, strings.TrimPrefix(e.Key, s.root)
	}
	return revision, conflict, err
}
