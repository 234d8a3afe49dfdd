package faultinject

import (
	"context"
	"errors"
	"strings"
	"sync"
	"sync/atomic"

	"github.com/typeplane/typeplane/auth"
	"github.com/typeplane/typeplane/storage"
)

// store has a bug of reads, writes, or watches.
type store struct {
	storage.Interface
	bug   Bug
	lists atomic.Int64
	count atomic.Int64 // writes that LostWrite might lose, and creates that Uncharged might not charge
	wrote sync.Map     // by key, what this store wrote there last: for StaleRefusal and StaleTouch
}

// backwards is how many revisions GoesBack goes back.
const backwards = 10

// own says that the server reads for itself, and not for a client. It sees what there is: else it
// would wait for ever for what it does not see, and the run would show nothing.
func own(ctx context.Context) bool {
	user := auth.UserFrom(ctx)
	return user == nil || strings.HasPrefix(user.Name, "system:serviceaccount:kube-system:")
}

func (s *store) Get(ctx context.Context, key string, opts storage.GetOptions) (storage.Entry, error) {
	opts.Any = opts.Any || s.bug == StaleRead && !own(ctx)
	return s.Interface.Get(ctx, key, opts)
}

func (s *store) List(ctx context.Context, prefix string, opts storage.ListOptions) (storage.Page, error) {
	exact := opts.Match == storage.Exact
	switch {
	case own(ctx):
	case s.bug == StaleRead && opts.Match == storage.Latest:
		opts.Match = storage.Any
	case s.bug == NewerPage && exact && opts.Start != "":
		opts.Match = storage.Latest
	case s.bug == NewerItem && exact:
		asked := opts.Revision
		opts.Match = storage.Latest
		page, err := s.Interface.List(ctx, prefix, opts)
		page.Revision = asked
		return page, err
	case s.bug == GoesBack && opts.Match == storage.Any && s.lists.Add(1)%4 == 0:
		return s.earlier(ctx, prefix, opts)
	}
	return s.Interface.List(ctx, prefix, opts)
}

// earlier lists a state of some revisions ago, if that is still there.
func (s *store) earlier(ctx context.Context, prefix string, opts storage.ListOptions) (storage.Page, error) {
	now, err := s.Interface.List(ctx, prefix, opts)
	if err != nil || now.Revision <= backwards {
		return now, err
	}
	opts.Match, opts.Revision = storage.Exact, now.Revision-backwards
	if then, err := s.Interface.List(ctx, prefix, opts); err == nil {
		return then, nil
	}
	return now, nil
}

func (s *store) Create(ctx context.Context, key string, value []byte, with ...storage.Op) (storage.Entry, error) {
	if s.bug == CreatedOver {
		return s.recreate(ctx, key, value, with...)
	}
	if s.loses() {
		return s.imagine(ctx, key, value)
	}
	with = s.lonely(with)
	entry, err := s.Interface.Create(ctx, key, value, with...)
	return entry, s.written(err)
}

func (s *store) GuaranteedUpdate(ctx context.Context, key string, try storage.TryUpdate) (storage.Entry, error) {
	if s.bug == LostUpdate {
		return s.blindly(ctx, key, try, s.overwrite)
	}
	if s.bug == StaleRefusal || s.bug == StaleTouch {
		return s.rememberedUpdate(ctx, key, try)
	}
	if s.loses() {
		return s.blindly(ctx, key, try, s.imagine)
	}
	entry, err := s.Interface.GuaranteedUpdate(ctx, key, try)
	return entry, s.written(err)
}

func (s *store) Delete(ctx context.Context, key string, check storage.CheckDelete) (storage.Entry, error) {
	if s.bug == IgnoredFinalizer {
		return s.hastyDelete(ctx, key, check)
	}
	entry, err := s.Interface.Delete(ctx, key, check)
	return entry, s.written(err)
}

// blindly makes the value of what is there at first, and writes it whatever is there then.
func (s *store) blindly(ctx context.Context, key string, try storage.TryUpdate, write func(context.Context, string, []byte, ...storage.Op) (storage.Entry, error)) (storage.Entry, error) {
	current, err := s.Interface.Get(ctx, key, storage.GetOptions{})
	if err != nil {
		return storage.Entry{}, err
	}
	value, with, err := try(current)
	if err != nil {
		return storage.Entry{}, err
	}
	return write(ctx, key, value, with...)
}

func (s *store) overwrite(ctx context.Context, key string, value []byte, with ...storage.Op) (storage.Entry, error) {
	return s.Interface.GuaranteedUpdate(ctx, key, func(storage.Entry) ([]byte, []storage.Op, error) { return value, with, nil })
}

// loses says if the next write is one that LostWrite does not make.
func (s *store) loses() bool { return s.bug == LostWrite && s.count.Add(1)%8 == 0 }

// imagine answers as if the value had been written.
func (s *store) imagine(ctx context.Context, key string, value []byte, _ ...storage.Op) (storage.Entry, error) {
	now, err := s.Interface.Revision(ctx)
	return storage.Entry{Key: key, Value: value, Revision: now + 1}, err
}

// written is what the client is told of a write.
func (s *store) written(err error) error {
	var e *storage.Error
	if s.bug != UnknownIsFailed || !errors.As(err, &e) || e.Code != storage.CodeUnknown {
		return err
	}
	failed := *e
	failed.Code = storage.CodeUnavailable
	return &failed
}

func (s *store) Watch(ctx context.Context, prefix string, opts storage.WatchOptions) (storage.Watcher, error) {
	w, err := s.Interface.Watch(ctx, prefix, opts)
	if err != nil || own(ctx) {
		return w, err
	}
	return &watcher{Watcher: w, change: changeOf[s.bug]}, nil
}
