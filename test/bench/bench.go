package main

import (
	"context"
	"os"
	"path/filepath"
	"strconv"

	"github.com/typeplane/typeplane/internal/etcdproc"
)

// bench is an etcd with n pods for each of two servers, the servers, and what was measured of them.
type bench struct {
	options
	dir, bin string
	etcd     *etcdproc.Cluster
	endpoint string
	seeder   *seeder
	targets  []*target // ours, the peer, and in some parts the ready bytes
	stored   int       // bytes of one pod in etcd
	speaks   string    // what is not said otherwise, for our servers; "": protobuf
	cells    map[string]map[string]*cell
	memory   []moment
}

// open brings up an etcd with n pods, and both servers. The caller stops the bench.
func (l *lab) open(ctx context.Context, name string, n int) (*bench, error) {
	b, err := l.seeded(ctx, name, n)
	if err != nil {
		return nil, err
	}
	if err := b.startServers(ctx); err != nil {
		b.stop()
		return nil, err
	}
	return b, nil
}

// seeded brings up an etcd with n pods for each server, and no server yet. The caller stops the
// bench.
func (l *lab) seeded(ctx context.Context, name string, n int) (*bench, error) {
	dir, err := l.place(name)
	if err != nil {
		return nil, err
	}
	b := &bench{options: l.options, dir: dir, bin: l.bin, cells: map[string]map[string]*cell{}}
	b.n = n
	for _, step := range []func(context.Context) error{b.startEtcd, b.fill} {
		if err := step(ctx); err != nil {
			b.stop()
			return nil, err
		}
	}
	return b, nil
}

// startEtcd starts the one etcd that both servers use, with etcd's own defaults except for room for
// the largest part.
func (b *bench) startEtcd(ctx context.Context) error {
	binary, err := etcdproc.Build(ctx)
	if err != nil {
		return err
	}
	port, err := freePort()
	if err != nil {
		return err
	}
	// The servers speak TCP with etcd itself: the proxy that is there by default is in this
	// process, which has to measure.
	b.endpoint = "http://127.0.0.1:" + strconv.Itoa(port)
	b.etcd, err = etcdproc.Start(ctx, etcdproc.Config{Binary: binary, Dir: filepath.Join(b.dir, "etcd"), Args: []string{
		"--listen-client-urls", "unix://client:0," + b.endpoint,
		"--quota-backend-bytes", strconv.Itoa(8 << 30),
	}})
	if err != nil {
		return err
	}
	b.seeder, err = newSeeder(b.endpoint)
	return err
}

func (b *bench) etcdPid() int { return b.etcd.Members()[0].Pid() }

// fill puts n pods into etcd for each server.
func (b *bench) fill(ctx context.Context) (err error) {
	if b.n > 0 {
		say("putting 2 × %d pods into etcd", b.n)
	}
	b.stored, err = b.seeder.seed(ctx, b.n, "/ours", "/peer")
	return err
}

// startServers starts both, one after the other, so that the start of each is measured by itself.
func (b *bench) startServers(ctx context.Context) error {
	for _, open := range []func(context.Context, *bench) (*target, error){startOurs, startPeer} {
		t, err := open(ctx, b)
		if err != nil {
			return err
		}
		b.targets = append(b.targets, t)
	}
	return nil
}

func (b *bench) stopServers() {
	for _, t := range b.targets {
		t.stop()
	}
	b.targets = nil
}

// stop ends everything and removes the data, which may be large; logs stay.
func (b *bench) stop() {
	b.stopServers()
	if b.seeder != nil {
		b.seeder.client.Close()
	}
	if b.etcd != nil {
		b.etcd.Close()
		os.RemoveAll(filepath.Join(b.dir, "etcd", "m1"))
	}
}
