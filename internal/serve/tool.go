package serve

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"time"

	"github.com/typeplane/typeplane/registry"
	"github.com/typeplane/typeplane/registry/rest"
	"github.com/typeplane/typeplane/runtime"
	"github.com/typeplane/typeplane/storage"
	"github.com/typeplane/typeplane/storage/cacher"
	"github.com/typeplane/typeplane/storage/embedded"
	"github.com/typeplane/typeplane/storage/encryption"
	"github.com/typeplane/typeplane/storage/etcd3"
)

// toolPatience is how long a cluster may take for the first answer to a command: with an election
// under way, some seconds.
const toolPatience = 10 * time.Second

// openForTool connects a command to the database of a server. That is the storage of the program's
// own, the cluster that the options name, or the etcd inside a server that runs on the data
// directory. If no server runs there, the etcd is started in this process for a moment. The files
// of an etcd alone are not read: its newest writes are in the log, and not in the database yet.
func (s Server) openForTool(ctx context.Context, o *StoreOptions, c console) (d *database, err error) {
	log := toolLog(c)
	if s.Storage != nil {
		d, err = s.openStorage(ctx, o, log)
	} else {
		d, err = openEtcdForTool(ctx, o, log, c)
	}
	if err != nil {
		return nil, err
	}
	d.root, d.log = o.EtcdPrefix, log
	return d, nil
}

func toolLog(c console) *slog.Logger { return slog.New(slog.NewTextHandler(c.err, nil)) }

// inDatabase calls use with the database of a server, in which it can read what is encrypted.
func (s Server) inDatabase(ctx context.Context, k *kinds, o *StoreOptions, c console, use func(*database) error) (err error) {
	lock, err := k.unlock(o, c)
	if err != nil {
		return err
	}
	defer lock()
	db, err := s.openForTool(ctx, o, c)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, db.close()) }()
	return use(db)
}

func openEtcdForTool(ctx context.Context, o *StoreOptions, log *slog.Logger, c console) (*database, error) {
	if len(o.EtcdServers) > 0 {
		d, err := dialEtcd(ctx, o)
		if err != nil {
			return nil, err
		}
		if err := etcd3.Await(ctx, d.client, toolPatience); err != nil {
			return nil, fmt.Errorf("--etcd-servers: %s: %w", noQuorum, errors.Join(err, d.close()))
		}
		return d, nil
	}
	socket, running, err := embedded.FindSocket(ctx, o.DataDir)
	if err != nil {
		return nil, fmt.Errorf("--data-dir: %w", err)
	}
	if running {
		client, err := etcd3.Dial(ctx, etcd3.DialConfig{Endpoints: []string{"unix://" + socket}})
		if err != nil {
			return nil, fmt.Errorf("the server that runs on --data-dir=%s: %w", o.DataDir, err)
		}
		return etcdDatabase(client), nil
	}
	if !embedded.HasDatabase(o.DataDir) {
		return nil, fmt.Errorf("--data-dir=%s: no server runs on it, and there is no database in it; name another one, or a cluster with --etcd-servers", o.DataDir)
	}
	fmt.Fprintf(c.err, "no server runs on %s: its etcd runs in this process until the command ends\n", o.DataDir)
	return openEtcd(ctx, o, func(string) {}, log)
}

// kinds is what is known of the objects of a server, and how they are stored: the server itself and
// its commands go by the same.
type kinds struct {
	scheme    *runtime.Scheme
	resources []registry.Resource
	options   []registry.Options // of the resource with the same index
	// encryption is nil where values lie in etcd as they are.
	encryption *encryption.Encryption
}

// unlock opens the encryption that the options name. What it returns closes it again.
func (k *kinds) unlock(o *StoreOptions, c console) (lock func(), err error) {
	k.encryption, err = openEncryption(o, k.resources, toolLog(c))
	if err != nil || k.encryption == nil {
		return func() {}, err
	}
	k.encryption.Start(nil) // without it a KMS plug-in's key is good for three minutes only
	return k.encryption.Close, nil
}

// form returns how the values of the resource with this index lie in etcd.
func (k *kinds) form(i int, root string) (storage.Form, error) {
	return k.cachedForm(i, root, nil)
}

// cachedForm is form with the memory of a cache inside it: what is recalled is what lies below
// the encryption.
func (k *kinds) cachedForm(i int, root string, writes *cacher.WriteCache) (storage.Form, error) {
	form, err := k.resources[i].Form(k.scheme, k.options[i])
	if err != nil {
		return storage.Form{}, err
	}
	if writes != nil {
		form = writes.Form(form)
	}
	return encryptedForm(k.encryption, root, k.resources[i], form), nil
}

// kinds returns them in the forms that the options choose.
func (s Server) kinds(o *StoreOptions) (*kinds, error) {
	scheme, err := s.scheme()
	if err != nil {
		return nil, err
	}
	versions, err := s.storageVersions(scheme, o.Versions)
	if err != nil {
		return nil, err
	}
	k := &kinds{scheme: scheme, resources: s.Resources}
	for _, r := range s.Resources {
		opts := registry.Options{StorageVersion: versions[r.GroupResource()], StorageMediaType: rest.MediaType(o.MediaType)}
		if kind, err := scheme.Kind(r.StorageVersion(opts).WithKind(r.GroupKind().Kind)); err == nil && !kind.Protobuf() {
			opts.StorageMediaType = rest.JSON
		}
		k.options = append(k.options, opts)
	}
	return k, nil
}
