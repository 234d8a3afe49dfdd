package embedded

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"net/url"
	"os"
	"sync"
	"time"

	"go.etcd.io/etcd/server/v3/embed"
	"google.golang.org/grpc"

	"github.com/typeplane/typeplane/internal/diskspace"
	"github.com/typeplane/typeplane/storage/etcd3"
)

// MaxRequestBytes is the most bytes that one write may have.
const MaxRequestBytes = 4 << 20

// readyWithin is how long the one member may take to elect itself, once its files are open.
const readyWithin = 30 * time.Second

// Config says how to run etcd.
type Config struct {
	// Dir is the data directory; it is made if it is missing. No other process may use it.
	Dir string
	// History is how long old revisions are kept at least, at most twice as long; 0 means 5
	// minutes, less than 0 for ever. Watches and continued lists that are older get CodeCompacted.
	History time.Duration
	// Quota is how large the database file may grow before writes are refused; 0 means 8 GiB. From
	// 80 % on the log warns.
	Quota int64
	// ProgressInterval is how often a quiet watch gets a bookmark; 0 means 5 s. It is one value per
	// process.
	ProgressInterval time.Duration
	// NoSync acknowledges writes that are not on the disk yet. It is for tests of what does not
	// depend on the disk: when the machine loses power, such writes are lost, and the database may
	// be.
	NoSync bool
	// Log gets etcd's warnings and errors; nil drops them. A repeated warning is one record with a
	// count for each minute. A handler that blocks loses records, but does not block etcd.
	Log *slog.Logger

	spaceEvery time.Duration                   // how often the space is looked at
	free       func(dir string) (int64, error) // of the disk; nil asks the system
}

// Server is a running etcd.
type Server struct {
	config  Config
	socket  string
	lock    *dirLock
	log     *logger
	health  *health
	disk    *disk
	streams *streams
	etcd    *embed.Etcd
	ready   bool // etcd has answered
	client  *etcd3.Client
	keeper  *keeper
	looking context.CancelFunc // ends disk.keep
	done    chan struct{}
	closing sync.Once
}

// Start starts etcd and returns when it answers. ctx bounds the start only. The caller closes the
// server, after whatever uses its client.
func Start(ctx context.Context, config Config) (s *Server, err error) {
	if err := config.complete(); err != nil {
		return nil, fmt.Errorf("embedded etcd: %w", err)
	}
	s = &Server{config: config, done: make(chan struct{})}
	defer func() {
		if err != nil {
			s.Close()
			s, err = nil, fmt.Errorf("embedded etcd: data directory %s: %w", config.Dir, withCure(err))
		}
	}()
	if err := prepareDir(config.Dir); err != nil {
		return s, err
	}
	if s.lock, err = lockDir(config.Dir); err != nil {
		return s, err
	}
	if err := checkRestored(config.Dir); err != nil {
		return s, err
	}
	if err := beginFirst(config.Dir); err != nil {
		return s, err
	}
	if err := checkLayout(config.Dir); err != nil {
		return s, err
	}
	if err := probe(config.Dir); err != nil {
		return s, err
	}
	if s.socket, err = socketPath(config.Dir); err != nil {
		return s, err
	}
	s.log = newLogger(config.Log)
	s.health = s.log.health
	s.health.dir = config.Dir
	s.disk = &disk{dir: config.Dir, free: config.free, log: s.log}
	gate := &gate{health: s.health, disk: s.disk}
	if s.etcd, err = start(s.etcdConfig(gate), s.health); err != nil {
		return s, err
	}
	select {
	case <-s.etcd.Server.ReadyNotify():
	case <-s.health.failed:
		return s, s.health.failure.Load()
	case err := <-s.etcd.Err():
		return s, err
	case <-ctx.Done():
		return s, fmt.Errorf("not ready: %w", ctx.Err())
	case <-time.After(readyWithin):
		return s, fmt.Errorf("no leader within %v: does it come from a cluster of several members? Then restore a backup of that", readyWithin)
	}
	s.ready = true
	if err := endFirst(config.Dir); err != nil {
		return s, err
	}
	if err := os.Chmod(s.socket, 0o600); err != nil {
		return s, err
	}
	s.client = newClient(s.etcd.Server, gate)
	s.health.reads(func() {
		// Never unlocked: the database must not be written any more, and a commit that failed would
		// lock out all who read.
		s.etcd.Server.Backend().BatchTx().LockOutsideApply()
		s.etcd.Server.KV().Rev()
	})
	s.log.settle()
	s.keeper = newKeeper(s, config.spaceEvery)
	if err := s.health.unlessFailed("defragment", s.keeper.start); err != nil {
		return s, err
	}
	s.disk.look(s.health)
	var looking context.Context
	looking, s.looking = context.WithCancel(context.Background())
	go s.disk.keep(looking, s.health)
	go func() {
		defer close(s.done)
		select {
		case <-s.etcd.Server.StopNotify():
		case <-s.health.over:
		}
	}()
	return s, nil
}

// Client returns the client that all stores share. It is closed with the server.
func (s *Server) Client() *etcd3.Client { return s.client }

// Socket returns the path of the unix socket for tools: etcdctl --endpoints=unix://<path>.
func (s *Server) Socket() string { return s.socket }

// Done is closed when the server has to end: etcd has stopped, by Close or by itself, or it has
// failed and there is nothing left to wait for.
func (s *Server) Done() <-chan struct{} { return s.done }

// Err says why Done was closed. It is nil before, and after Close.
func (s *Server) Err() error {
	select {
	case <-s.health.over:
		return s.health.overErr
	default:
		return nil
	}
}

// Failed returns what etcd could not go on after, as a *Failure; nil if it works. After a failure
// nothing is written any more until a new process starts on the directory. What is in memory can be
// read until then: Done is not closed for a disk alone, but if it was full, and has room again.
func (s *Server) Failed() error {
	if f := s.health.failure.Load(); f != nil {
		return f
	}
	return nil
}

// DiskLow says that the disk of the data directory will be full soon. Whoever writes what is not
// the database should stop, since the database needs what is left.
func (s *Server) DiskLow() bool { return level(s.disk.level.Load()) >= low }

// DiskFree is how many bytes are free around the data directory.
func (s *Server) DiskFree() (int64, error) { return s.disk.free(s.disk.dir) }

// Close stops etcd and waits until it has let go of everything. It may be called more than once.
// One that has failed can't be stopped: what it holds is held until the process ends.
func (s *Server) Close() {
	s.closing.Do(func() {
		if s.log != nil {
			s.log.end()
		}
		if s.looking != nil {
			s.looking()
		}
		if s.health == nil || s.health.unlessFailed("stop", s.stop) == nil {
			if s.lock != nil {
				s.lock.release()
			}
		}
		if s.log != nil {
			s.log.close()
		}
	})
}

// stop stops etcd, and what uses it.
func (s *Server) stop() error {
	if s.keeper != nil {
		s.keeper.close()
	}
	if s.client != nil {
		s.client.Close()
	}
	if s.streams != nil {
		s.streams.end()
	}
	switch {
	case s.etcd == nil:
	case s.ready:
		s.etcd.Close()
	default:
		s.etcd.Server.Stop() // Close would wait until it is ready
	}
	return nil
}

func (c *Config) complete() error {
	if c.Dir == "" {
		return errors.New("no data directory")
	}
	if c.Quota < 0 || c.ProgressInterval < 0 {
		return errors.New("negative Quota or ProgressInterval")
	}
	if c.History == 0 {
		c.History = 5 * time.Minute
	}
	if c.Quota == 0 {
		c.Quota = 8 << 30
	}
	if c.ProgressInterval == 0 {
		c.ProgressInterval = 5 * time.Second
	}
	if c.free == nil {
		c.free = diskspace.Free
	}
	return nil
}

func (s *Server) etcdConfig(gate *gate) *embed.Config {
	c := memberConfig()
	c.Dir = s.config.Dir
	c.ZapLoggerBuilder = embed.NewZapLoggerBuilder(s.log.zap)

	// One member needs nobody to talk to: no peer listener. The address is only a name in the
	// member list.
	c.ListenPeerUrls = nil
	socket := url.URL{Scheme: "unix", Path: s.socket}
	c.ListenClientUrls = []url.URL{socket}
	c.AdvertiseClientUrls = []url.URL{socket}
	c.EnableGRPCGateway = false
	s.streams = newStreams()
	c.GRPCAdditionalServerOptions = []grpc.ServerOption{grpc.ChainUnaryInterceptor(gate.unary), grpc.ChainStreamInterceptor(gate.stream, s.streams.intercept)}

	// It elects itself, so the times of an election are only time lost at the start.
	c.TickMs, c.ElectionMs = 10, 100
	// Small snapshots and little catch-up keep the log in memory short: there are no followers.
	c.SnapshotCount, c.SnapshotCatchUpEntries = 1000, 100

	c.MaxRequestBytes = MaxRequestBytes
	c.QuotaBackendBytes = s.config.Quota
	if s.config.History > 0 {
		c.AutoCompactionMode = embed.CompactorModePeriodic
		c.AutoCompactionRetention = s.config.History.String()
	}
	c.WatchProgressNotifyInterval = s.config.ProgressInterval
	c.UnsafeNoFsync = s.config.NoSync
	return c
}

// start is embed.StartEtcd, unless etcd fails meanwhile.
func start(c *embed.Config, h *health) (*embed.Etcd, error) {
	var started *embed.Etcd
	err := h.unlessFailed("start", func() (err error) {
		started, err = embed.StartEtcd(c)
		return err
	})
	if err != nil {
		return nil, err // and started is whoever's
	}
	return started, nil
}
