package database

import (
	"context"
	"errors"
	"fmt"
	"math"
	"slices"
	"strconv"
	"strings"
	"sync"
	"time"

	"k8s.io/apimachinery/pkg/runtime/schema"

	"github.com/typeplane/typeplane/internal/bookkeeping"
	"github.com/typeplane/typeplane/storage"
	"github.com/typeplane/typeplane/storage/cacher"
)

// A transaction is of one etcd. A write may depend on a key of another one (storage.Expect). Then
// it depends on a voucher instead: a key in its own etcd, which says at which revision the other
// key was seen.
//
// Who writes a voucher reads it first, then the other key from its etcd, and then writes the
// voucher only if nobody else has meanwhile. Fence moves a voucher after the other key has changed.
// So whatever is written after a Fence has seen that change, however long its writer has slept.

// voucherPrefix is where vouchers lie. No resource has a name that begins with a dot.
const voucherPrefix = "/.vouchers"

// voucherLife is how long a voucher is good, and how long a Fence is remembered. It is much longer
// than any request may take.
const voucherLife = 24 * time.Hour

// never is a revision that no key has: a transaction that expects it is a conflict, after which it
// is looked again.
const never = math.MaxInt64

// maxVouchers is how many vouchers are remembered before all are forgotten.
const maxVouchers = 10_000

// vouchers are those in one database for keys of others. All methods may be called from any
// goroutine.
type vouchers struct {
	here  storage.Interface
	where func(key string) *Database // that has a key

	mu    sync.Mutex // guards known
	known map[string]voucher
}

// voucher says that a key was at a revision, and is at a revision itself.
type voucher struct{ revision, at int64 }

func newVouchers(db *Database, where func(key string) *Database) *vouchers {
	return &vouchers{here: db.Source(storage.Form{}), where: where, known: map[string]voucher{}}
}

// translate makes operations of those that are about keys of other databases. again says that a
// transaction has failed on the ones of before.
func (v *vouchers) translate(ctx context.Context, db *Database, with []storage.Op, again bool) ([]storage.Op, error) {
	foreign := func(o storage.Op) bool { return o.Key != "" && v.where(o.Key) != db }
	if !slices.ContainsFunc(with, foreign) {
		return with, nil
	}
	with = slices.Clone(with)
	for i, o := range with {
		if !foreign(o) {
			continue
		}
		if o.Act != storage.Expect {
			return nil, fmt.Errorf("%s is in another etcd than what is written with it, and no transaction is of two: give both the same with --etcd-servers-overrides", o.Key)
		}
		at, err := v.vouch(ctx, o.Key, o.Expected, again)
		if err != nil {
			return nil, err
		}
		with[i] = storage.Op{Key: voucherPrefix + o.Key, Expected: at, Act: storage.Expect}
	}
	return with, nil
}

// vouch returns the revision of the voucher that says that key is at a revision; never if it is
// not.
func (v *vouchers) vouch(ctx context.Context, key string, revision int64, again bool) (int64, error) {
	if known, ok := v.remembered(key); ok && !again && known.revision == revision {
		return known.at, nil
	}
	for {
		now, err := v.read(ctx, key)
		if err != nil {
			return 0, err
		}
		if now.at == 0 || now.revision != revision {
			if now, err = v.write(ctx, key, revision, now); errors.Is(err, errOvertaken) {
				continue
			}
			if err != nil || now.at == never {
				return now.at, err
			}
		}
		v.remember(key, now)
		return now.at, nil
	}
}

var errOvertaken = errors.New("somebody else has written the voucher")

// write writes the voucher if key is at revision, and the voucher still as it was seen.
func (v *vouchers) write(ctx context.Context, key string, revision int64, seen voucher) (voucher, error) {
	e, err := v.where(key).Source(storage.Form{}).Get(ctx, key, storage.GetOptions{})
	if err != nil && storage.CodeOf(err) != storage.CodeNotFound {
		return voucher{}, fmt.Errorf("look at %s, on which the write depends: %w", key, err)
	}
	if e.Revision != revision {
		return voucher{at: never}, nil
	}
	value, life := strconv.AppendInt(nil, revision, 10), storage.Lifetime(voucherLife)
	if seen.at == 0 {
		e, err = v.here.Create(ctx, voucherPrefix+key, value, life)
	} else {
		e, err = v.here.GuaranteedUpdate(ctx, voucherPrefix+key, func(current storage.Entry) ([]byte, []storage.Op, error) {
			if current.Revision != seen.at {
				return nil, nil, errOvertaken
			}
			return value, []storage.Op{life}, nil
		})
	}
	if code := storage.CodeOf(err); code == storage.CodeExists || code == storage.CodeNotFound {
		err = errOvertaken
	}
	return voucher{revision, e.Revision}, err
}

// read reads the voucher for key; the zero voucher is none.
func (v *vouchers) read(ctx context.Context, key string) (voucher, error) {
	e, err := v.here.Get(ctx, voucherPrefix+key, storage.GetOptions{})
	if storage.CodeOf(err) == storage.CodeNotFound {
		return voucher{}, nil
	}
	if err != nil {
		return voucher{}, err
	}
	revision, err := vouchedRevision(e)
	return voucher{revision, e.Revision}, err
}

// vouchedRevision returns the revision in a stored voucher.
func vouchedRevision(e storage.Entry) (int64, error) {
	content, _, err := bookkeeping.Decode(e.Key, e.Value, bookkeeping.First.Number)
	if err != nil {
		return 0, err
	}
	revision, err := strconv.ParseInt(string(content), 10, 64)
	if err != nil {
		return 0, fmt.Errorf("the voucher at %s can't be read: %w", e.Key, err)
	}
	return revision, nil
}

// fence moves the voucher for key, which is at revision or later: from now on nothing is written
// that has seen an earlier one.
func (v *vouchers) fence(ctx context.Context, key string, revision int64) error {
	value, life := strconv.AppendInt(nil, revision, 10), storage.Lifetime(voucherLife)
	for {
		_, err := v.here.GuaranteedUpdate(ctx, voucherPrefix+key, func(current storage.Entry) ([]byte, []storage.Op, error) {
			before, err := vouchedRevision(current)
			if err != nil || before >= revision {
				return current.Value, nil, err // the writer of before has seen the change
			}
			return value, []storage.Op{life}, nil
		})
		if storage.CodeOf(err) == storage.CodeNotFound {
			_, err = v.here.Create(ctx, voucherPrefix+key, value, life)
		}
		if storage.CodeOf(err) != storage.CodeExists {
			return err
		}
	}
}

func (v *vouchers) remembered(key string) (voucher, bool) {
	v.mu.Lock()
	defer v.mu.Unlock()
	one, ok := v.known[key]
	return one, ok
}

func (v *vouchers) remember(key string, one voucher) {
	v.mu.Lock()
	defer v.mu.Unlock()
	if len(v.known) >= maxVouchers {
		clear(v.known)
	}
	v.known[key] = one
}

// vouched is a source whose writes may depend on keys of other databases.
type vouched struct {
	cacher.Source
	db       *Database
	vouchers *vouchers
}

func (s *vouched) Create(ctx context.Context, key string, value []byte, with ...storage.Op) (storage.Entry, error) {
	with, err := s.vouchers.translate(ctx, s.db, with, false)
	if err != nil {
		return storage.Entry{}, err
	}
	e, err := s.Source.Create(ctx, key, value, with...)
	if storage.CodeOf(err) == storage.CodeConflict {
		s.vouchers.forget(with)
	}
	return e, err
}

func (s *vouched) GuaranteedUpdate(ctx context.Context, key string, try storage.TryUpdate) (storage.Entry, error) {
	return s.Source.GuaranteedUpdate(ctx, key, s.try(ctx, try))
}

func (s *vouched) UpdateKnown(ctx context.Context, known storage.Entry, try storage.TryUpdate) (storage.Entry, error) {
	return s.Source.UpdateKnown(ctx, known, s.try(ctx, try))
}

func (s *vouched) Delete(ctx context.Context, key string, check storage.CheckDelete) (storage.Entry, error) {
	return s.Source.Delete(ctx, key, s.check(ctx, check))
}

func (s *vouched) DeleteKnown(ctx context.Context, known storage.Entry, check storage.CheckDelete) (storage.Entry, error) {
	return s.Source.DeleteKnown(ctx, known, s.check(ctx, check))
}

func (s *vouched) try(ctx context.Context, try storage.TryUpdate) storage.TryUpdate {
	again := false
	return func(current storage.Entry) ([]byte, []storage.Op, error) {
		value, with, err := try(current)
		if err == nil {
			with, err = s.vouchers.translate(ctx, s.db, with, again)
		}
		again = true
		return value, with, err
	}
}

func (s *vouched) check(ctx context.Context, check storage.CheckDelete) storage.CheckDelete {
	if check == nil {
		return nil
	}
	again := false
	return func(current storage.Entry) ([]storage.Op, error) {
		with, err := check(current)
		if err == nil {
			with, err = s.vouchers.translate(ctx, s.db, with, again)
		}
		again = true
		return with, err
	}
}

// forget forgets the vouchers that a transaction depended on.
func (v *vouchers) forget(with []storage.Op) {
	v.mu.Lock()
	defer v.mu.Unlock()
	for _, o := range with {
		if key, is := strings.CutPrefix(o.Key, voucherPrefix); is {
			delete(v.known, key)
		}
	}
}

// vouch has every database depend on keys of the others by vouchers. It is called before stores are
// opened.
func (d *Databases) vouch(k *Kinds) {
	d.kinds = k
	d.where = func(key string) *Database { return d.Of(resourceOf(k, key)) }
	for _, db := range d.All() {
		if db.Client != nil || len(d.overrides) > 0 {
			db.vouchers = newVouchers(db, d.where)
		}
	}
}

// resourceOf is the resource that has a key; the zero one, of the main database, if none has.
func resourceOf(k *Kinds, key string) schema.GroupResource {
	for _, r := range k.Resources {
		if strings.HasPrefix(key, r.KeyPrefix()) {
			return r.GroupResource()
		}
	}
	return schema.GroupResource{}
}

// Fence makes every write fail that depends on the key as it was before revision, in databases that
// do not have the key. In its own that is so from the moment of the change.
func (d *Databases) Fence(ctx context.Context, key string, revision int64) error {
	if err := d.caughtUp(ctx); err != nil {
		return err
	}
	var errs []error
	for _, db := range d.All() {
		if db.vouchers != nil && db.vouchers.where(key) != db {
			errs = append(errs, db.vouchers.fence(ctx, key, revision))
		}
	}
	return errors.Join(errs...)
}
