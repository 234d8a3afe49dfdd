package storagetest

import (
	"context"

	"github.com/typeplane/typeplane/storage"
)

// In is b, but with values that lie in its database in another form, at the keys that covers says.
// The suite runs over it as over b, so a Form (a media type, an encryption) is tested with
// everything that stores, and caches over them, do.
//
// around returns the form around another one, whose stored values are the canonical ones of the
// form. What the suite writes and reads past the store it means without the form, so that is put
// around it. The contract writes operations at covered keys as they are, so they get it too.
func In(b Backend, covers func(key string) bool, around func(inner storage.Form) storage.Form) Backend {
	plain := around(storage.Form{})
	in := b
	in.Open = func(inner storage.Form) storage.Interface {
		form := around(inner)
		return formedOps{plain, covers, b.Open(storage.Form{
			Canonical: func(key string, stored []byte) ([]byte, bool, error) {
				if !covers(key) {
					return stored, false, nil
				}
				return form.Canonical(key, stored)
			},
			Stored: func(key string, value []byte) ([]byte, error) {
				if !covers(key) {
					return value, nil
				}
				return form.Stored(key, value)
			},
		})}
	}
	in.Put = func(key string, value []byte) int64 {
		if !covers(key) {
			return b.Put(key, value)
		}
		stored, err := plain.Stored(key, value)
		if err != nil {
			panic("storagetest: the form can't store what the suite writes: " + err.Error())
		}
		return b.Put(key, stored)
	}
	in.Get = func(key string) ([]byte, int64) {
		stored, revision := b.Get(key)
		if revision == 0 || !covers(key) {
			return stored, revision
		}
		value, _, err := plain.Canonical(key, stored)
		if err != nil {
			panic("storagetest: the database holds what the form can't read: " + err.Error())
		}
		return value, revision
	}
	return in
}

// formedOps puts a form around operations at covered keys.
type formedOps struct {
	form   storage.Form
	covers func(string) bool
	storage.Interface
}

func (s formedOps) formed(with []storage.Op) ([]storage.Op, error) {
	var out []storage.Op
	for _, op := range with {
		if s.covers(op.Key) {
			var err error
			if op.Value, err = s.form.Stored(op.Key, op.Value); err != nil {
				return nil, err
			}
		}
		out = append(out, op)
	}
	return out, nil
}

func (s formedOps) Create(ctx context.Context, key string, value []byte, with ...storage.Op) (storage.Entry, error) {
	with, err := s.formed(with)
	if err != nil {
		return storage.Entry{}, err
	}
	return s.Interface.Create(ctx, key, value, with...)
}

func (s formedOps) GuaranteedUpdate(ctx context.Context, key string, try storage.TryUpdate) (storage.Entry, error) {
	return s.Interface.GuaranteedUpdate(ctx, key, func(current storage.Entry) ([]byte, []storage.Op, error) {
		value, with, err := try(current)
		if err != nil {
			return nil, nil, err
		}
		with, err = s.formed(with)
		return value, with, err
	})
}
