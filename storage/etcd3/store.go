package etcd3

import (
	"context"
	"errors"
	"fmt"
	"sync"
	"time"

	"go.etcd.io/etcd/api/v3/mvccpb"
	clientv3 "go.etcd.io/etcd/client/v3"
	"google.golang.org/grpc/codes"

	"github.com/typeplane/typeplane/storage"
)

// Client is etcd's client. One is enough for a whole server; whoever made it closes it.
type Client = clientv3.Client

// Config says what a Store is.
type Config struct {
	// Root is put before every key: "/registry", or "" for none. A malformed one is a panic, for it
	// is a constant.
	Root string
	// Form maps between canonical and stored values.
	Form storage.Form
	// Barrier is a key of package function Barrier, "" for none: while it is there, nothing is read
	// or written through the Store.
	Barrier string
}

// Store is a storage.Interface on etcd. It shares its client with others.
type Store struct {
	client  *Client
	root    string
	form    storage.Form
	barrier string

	leases   leases
	progress sync.Map // the open watches (*watcher) that want bookmarks
}

var _ storage.Interface = (*Store)(nil)

// New returns a store on client, which must outlive it.
func New(client *Client, config Config) *Store {
	if err := storage.CheckRoot(config.Root); err != nil {
		panic("etcd3.New: " + err.Error())
	}
	return &Store{client: client, root: config.Root, form: config.Form, barrier: config.Barrier, leases: newLeases(client)}
}

// readWithin is how long etcd has for the answer to one request that changes nothing, where the
// caller does not want it sooner. A caller who is connected to an etcd that is gone or frozen would
// otherwise wait for as long as it may. A list is made of many requests.
const readWithin = 30 * time.Second

// get sends etcd one read, and gives it up after readWithin.
func (s *Store) get(ctx context.Context, key string, opts ...clientv3.OpOption) (*clientv3.GetResponse, error) {
	short, cancel := context.WithTimeout(ctx, readWithin)
	defer cancel()
	resp, err := s.client.Get(short, key, opts...)
	return resp, s.noAnswer(ctx, short, err)
}

// noAnswer is err, or says that the time of short, which is shorter than that of ctx, has ended. It
// is for a request that changes nothing, also if that is a transaction.
func (s *Store) noAnswer(ctx, short context.Context, err error) error {
	if errors.Is(err, errLostQuorum) {
		return fmt.Errorf("%w: %v", storage.ErrNoQuorum, err)
	}
	if err != nil && ctx.Err() == nil && (short.Err() != nil || grpcCode(err) == codes.DeadlineExceeded) {
		return fmt.Errorf("%w within %v: %v", storage.ErrNoAnswer, readWithin, err)
	}
	return err
}

// Get implements storage.Interface. Every answer is linearizable, also with opts.Any.
func (s *Store) Get(ctx context.Context, key string, opts storage.GetOptions) (storage.Entry, error) {
	if err := begin(ctx, "get", key); err != nil {
		return storage.Entry{}, err
	}
	current, revision, err := s.read(ctx, "get", key)
	if err != nil {
		return storage.Entry{}, err
	}
	if err := storage.CheckReached("get", key, opts.NotOlderThan, revision); err != nil {
		return storage.Entry{}, err
	}
	if current == nil {
		return storage.Entry{}, &storage.Error{Code: storage.CodeNotFound, Op: "get", Key: key}
	}
	if current.Err != nil {
		return storage.Entry{}, current.Err
	}
	return current.Entry, nil
}

// Create implements storage.Interface.
func (s *Store) Create(ctx context.Context, key string, value []byte, with ...storage.Op) (storage.Entry, error) {
	if err := begin(ctx, "create", key); err != nil {
		return storage.Entry{}, err
	}
	result, err := s.put(ctx, "create", key, nil, value, with)
	switch {
	case err != nil:
		return storage.Entry{}, err
	case result.done:
		return result.entry(key, value), nil
	case result.current != nil:
		return storage.Entry{}, &storage.Error{Code: storage.CodeExists, Op: "create", Key: key}
	}
	return storage.Entry{}, &storage.Error{Code: storage.CodeConflict, Op: "create",
		Key: result.conflict.Key, Revision: result.conflict.Expected, Current: result.found}
}

// Revision implements storage.Interface.
func (s *Store) Revision(ctx context.Context) (int64, error) {
	if err := ctx.Err(); err != nil {
		return 0, err
	}
	// No key is just a slash: the answer is empty except for the header.
	resp, err := s.get(ctx, s.root+"/", clientv3.WithCountOnly())
	if err != nil {
		return 0, readError(ctx, "revision", "/", err)
	}
	return resp.Header.Revision, nil
}

// read returns what is at key now, nil if nothing is, and the revision of the database.
func (s *Store) read(ctx context.Context, op, key string) (*version, int64, error) {
	kvs, revision, err := s.getBarred(ctx, key)
	if err != nil {
		return nil, 0, readError(ctx, op, key, err)
	}
	return s.version(key, kvs), revision, nil
}

// version returns what etcd found at key, nil if that is nothing.
func (s *Store) version(key string, kvs []*mvccpb.KeyValue) *version {
	if len(kvs) == 0 {
		return nil
	}
	kv := kvs[0]
	return &version{Entry: s.entry(key, kv), created: kv.CreateRevision, writes: kv.Version, stored: kv.Value}
}

// entry makes an entry of what etcd has at key.
func (s *Store) entry(key string, kv *mvccpb.KeyValue) storage.Entry {
	e := s.form.ReadEntry(key, kv.Value, kv.ModRevision)
	e.Lease = kv.Lease
	return e
}

// begin is the first step of every method on a key.
func begin(ctx context.Context, op, key string) error {
	if err := ctx.Err(); err != nil {
		return err
	}
	return storage.CheckKey(op, key)
}
