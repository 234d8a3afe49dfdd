package boot

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"time"

	"github.com/typeplane/typeplane/storage"
	"github.com/typeplane/typeplane/storage/embedded"
	"github.com/typeplane/typeplane/storage/etcd3"
)

// readyTimeout bounds the read that readiness stands for.
const readyTimeout = 2 * time.Second

// database is the etcd that objects are kept in: the process's own, or a cluster's.
type database struct {
	client *etcd3.Client
	root   string
	close  func() error
	// died is closed when the etcd inside this process has stopped by itself; nil for a cluster's.
	died <-chan struct{}
}

// openDatabase starts the embedded etcd or connects to the cluster that the options name.
func openDatabase(ctx context.Context, o *StoreOptions, log *slog.Logger) (*database, error) {
	if len(o.EtcdServers) > 0 {
		return dialDatabase(ctx, o)
	}
	etcd, err := embedded.Start(ctx, embedded.Config{Dir: o.DataDir, Log: log})
	if err != nil {
		return nil, err
	}
	closeEtcd := func() error {
		etcd.Close()
		return nil
	}
	return &database{client: etcd.Client(), root: o.EtcdPrefix, close: closeEtcd, died: etcd.Done()}, nil
}

func dialDatabase(ctx context.Context, o *StoreOptions) (*database, error) {
	client, err := etcd3.Dial(ctx, etcd3.DialConfig{
		Endpoints: o.EtcdServers,
		CAFile:    o.EtcdCAFile,
		CertFile:  o.EtcdCertFile,
		KeyFile:   o.EtcdKeyFile,
	})
	if err != nil {
		return nil, fmt.Errorf("--etcd-servers: %w", err)
	}
	return &database{client: client, root: o.EtcdPrefix, close: client.Close}, nil
}

// store opens the store of one resource, in the form that its values have.
func (d *database) store(form storage.Form) storage.Interface {
	return etcd3.New(d.client, etcd3.Config{Root: d.root, Form: form})
}

// ready fails while the database can't answer a linearized read.
func (d *database) ready(ctx context.Context) error {
	return etcd3.Ready(ctx, d.client, readyTimeout)
}

var errEtcdDied = errors.New("the embedded etcd has stopped; what it logged says why")

// whileAlive returns a context that ends with ctx, or with errEtcdDied as its cause when the embedded etcd stops by itself.
func (d *database) whileAlive(ctx context.Context) (context.Context, context.CancelFunc) {
	alive, cancel := context.WithCancelCause(ctx)
	go func() {
		select {
		case <-d.died:
			cancel(errEtcdDied)
		case <-alive.Done():
		}
	}()
	return alive, func() { cancel(nil) }
}
