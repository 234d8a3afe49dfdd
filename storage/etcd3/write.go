package etcd3

import (
	"bytes"
	"context"

	"github.com/typeplane/typeplane/storage"
)

// GuaranteedUpdate implements storage.Interface.
func (s *Store) GuaranteedUpdate(ctx context.Context, key string, try storage.TryUpdate) (storage.Entry, error) {
	return s.update(ctx, key, nil, try)
}

// UpdateKnown implements storage.KnownWriter.
func (s *Store) UpdateKnown(ctx context.Context, known storage.Entry, try storage.TryUpdate) (storage.Entry, error) {
	return s.update(ctx, known.Key, &version{Entry: known}, try)
}

// Delete implements storage.Interface.
func (s *Store) Delete(ctx context.Context, key string, check storage.CheckDelete) (storage.Entry, error) {
	return s.delete(ctx, key, nil, check)
}

// DeleteKnown implements storage.KnownWriter.
func (s *Store) DeleteKnown(ctx context.Context, known storage.Entry, check storage.CheckDelete) (storage.Entry, error) {
	return s.delete(ctx, known.Key, &version{Entry: known}, check)
}

// update is GuaranteedUpdate whose first attempt works on known, if that is not nil.
func (s *Store) update(ctx context.Context, key string, known *version, try storage.TryUpdate) (storage.Entry, error) {
	current, err := s.start(ctx, "update", key, known)
	for wait := (backoff{}); ; {
		switch {
		case err != nil:
			return storage.Entry{}, err
		case current == nil:
			return storage.Entry{}, &storage.Error{Code: storage.CodeNotFound, Op: "update", Key: key}
		case current.Err != nil:
			return storage.Entry{}, current.Err
		}
		value, with, refused := try(current.Entry)
		if refused != nil || !current.Stale && len(with) == 0 && bytes.Equal(value, current.Value) {
			if !current.read() {
				var same bool
				if current, same, err = s.confirm(ctx, "update", current); !same {
					continue
				}
			}
			if refused != nil {
				return storage.Entry{}, refused
			}
			return current.Entry, nil
		}
		result, err := s.put(ctx, "update", key, current, value, with)
		if err != nil {
			return storage.Entry{}, err
		}
		if result.done {
			return result.entry(key, value), nil
		}
		current = result.current
		if err := wait.next(ctx); err != nil {
			return storage.Entry{}, err
		}
	}
}

// delete is Delete whose first attempt works on known, if that is not nil.
func (s *Store) delete(ctx context.Context, key string, known *version, check storage.CheckDelete) (storage.Entry, error) {
	current, err := s.start(ctx, "delete", key, known)
	for wait := (backoff{}); ; {
		switch {
		case err != nil:
			return storage.Entry{}, err
		case current == nil:
			return storage.Entry{}, &storage.Error{Code: storage.CodeNotFound, Op: "delete", Key: key}
		}
		var with []storage.Op
		if check != nil {
			var refused error
			if with, refused = check(current.Entry); refused != nil {
				if !current.read() {
					var same bool
					if current, same, err = s.confirm(ctx, "delete", current); !same {
						continue
					}
				}
				return storage.Entry{}, refused
			}
		}
		result, err := s.remove(ctx, key, current, with)
		if err != nil {
			return storage.Entry{}, err
		}
		if result.done {
			current.Revision = result.revision
			return current.Entry, nil
		}
		current = result.current
		if err := wait.next(ctx); err != nil {
			return storage.Entry{}, err
		}
	}
}

// start returns what the first attempt at a write works on: known, or what is at key now.
func (s *Store) start(ctx context.Context, op, key string, known *version) (*version, error) {
	if err := begin(ctx, op, key); err != nil || known != nil {
		return known, err
	}
	current, _, err := s.read(ctx, op, key)
	return current, err
}

// confirm reads what is at the key of v, which was not read by the same call. same says that it is
// v after all; else everything that was worked out from v has to be worked out again.
func (s *Store) confirm(ctx context.Context, op string, v *version) (now *version, same bool, err error) {
	now, _, err = s.read(ctx, op, v.Key)
	same = err == nil && now != nil && now.Revision == v.Revision && now.Stale == v.Stale && now.Err == nil
	return now, same, err
}
