package database

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"time"

	"github.com/typeplane/typeplane/internal/program"
	"github.com/typeplane/typeplane/storage/embedded"
	"github.com/typeplane/typeplane/storage/etcd3"
)

// toolPatience is how long a cluster may take for the first answer to a command: with an election
// under way, some seconds.
const toolPatience = 10 * time.Second

// Attach connects a command to the database of a server. That is the storage of the program's
// own, the cluster that the options name, or the etcd inside a server that runs on the data
// directory. If no server runs there, the etcd is started in this process for a moment. The files
// of an etcd alone are not read: its newest writes are in the log, and not in the database yet.
func Attach(ctx context.Context, s program.Server, o *program.StoreOptions, say func(string), log *slog.Logger) (d *Database, err error) {
	if s.Storage != nil {
		d, err = openStorage(ctx, s, o, log)
	} else {
		d, err = AttachEtcd(ctx, o, say, log)
	}
	if err != nil {
		return nil, err
	}
	d.Root, d.log = o.EtcdPrefix, log
	return d, nil
}

// AttachEtcd is Attach for an etcd.
func AttachEtcd(ctx context.Context, o *program.StoreOptions, say func(string), log *slog.Logger) (d *Database, err error) {
	defer func() {
		if err == nil {
			d.Root, d.log = o.EtcdPrefix, log
		}
	}()
	if len(o.EtcdServers) > 0 {
		return attachCluster(ctx, mainPlace(o), o, log)
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
	say(fmt.Sprintf("no server runs on %s: its etcd runs in this process until the command ends", o.DataDir))
	return openEtcd(ctx, o, func(string) {}, log)
}

// attachCluster connects to a cluster that answers soon.
func attachCluster(ctx context.Context, at etcdPlace, o *program.StoreOptions, log *slog.Logger) (*Database, error) {
	d, err := dialEtcd(ctx, at, o)
	if err != nil {
		return nil, err
	}
	if err := etcd3.Await(ctx, d.Client, toolPatience); err != nil {
		return nil, fmt.Errorf("%s: %s: %w", at.flag, noQuorum, errors.Join(err, d.Close()))
	}
	d.Root, d.log = o.EtcdPrefix, log
	return d, nil
}
