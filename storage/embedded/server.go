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
	"go.etcd.io/etcd/server/v3/etcdserver/api/v3client"
	"google.golang.org/grpc"

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
	// History is how long old revisions are kept at least, at most twice as long; 0 means 5 minutes, less than 0 for
	// ever. Watches and continued lists that are older get CodeCompacted.
	History time.Duration
	// Quota is how large the database file may grow before writes are refused; 0 means 8 GiB. From 80 % on the log warns.
	Quota int64
	// ProgressInterval is how often a quiet watch gets a bookmark; 0 means 5 s. It is one value per process.
	ProgressInterval time.Duration
	// NoSync acknowledges writes that are not on the disk yet. It is for tests of what does not depend on the disk: when the
	// machine loses power, such writes are lost, and the database may be.
	NoSync bool
	// Log gets etcd's warnings and errors; nil drops them. A handler that blocks loses records, and blocks nobody.
	Log *slog.Logger

	spaceEvery time.Duration // how often the space is looked at
}

// Server is a running etcd.
type Server struct {
	config  Config
	socket  string
	lock    *dirLock
	log     *logger
	streams context.CancelFunc // ends the streams that come through the socket
	etcd    *embed.Etcd
	client  *etcd3.Client
	keeper  *keeper
	closing sync.Once
}

// Start starts etcd and returns when it answers. ctx bounds the start only. The caller closes the server, after
// whatever uses its client.
func Start(ctx context.Context, config Config) (s *Server, err error) {
	if err := config.complete(); err != nil {
		return nil, fmt.Errorf("embedded etcd: %w", err)
	}
	s = &Server{config: config}
	defer func() {
		if err != nil {
			s.Close()
			s, err = nil, fmt.Errorf("embedded etcd: data directory %s: %w", config.Dir, err)
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
	if err := probe(config.Dir); err != nil {
		return s, err
	}
	if s.socket, err = socketPath(config.Dir); err != nil {
		return s, err
	}
	s.log = newLogger(config.Log)
	if s.etcd, err = start(s.etcdConfig()); err != nil {
		return s, err
	}
	select {
	case <-s.etcd.Server.ReadyNotify():
	case err := <-s.etcd.Err():
		return s, err
	case <-ctx.Done():
		return s, fmt.Errorf("not ready: %w", ctx.Err())
	case <-time.After(readyWithin):
		return s, fmt.Errorf("no leader within %v: does it come from a cluster of several members? Then restore a backup of that", readyWithin)
	}
	if err := endFirst(config.Dir); err != nil {
		return s, err
	}
	if err := os.Chmod(s.socket, 0o600); err != nil {
		return s, err
	}
	s.client = v3client.New(s.etcd.Server)
	s.log.settle()
	s.keeper = newKeeper(s, config.spaceEvery)
	s.keeper.start()
	return s, nil
}

// Client returns the client that all stores share. It is closed with the server.
func (s *Server) Client() *etcd3.Client { return s.client }

// Socket returns the path of the unix socket for tools: etcdctl --endpoints=unix://<path>.
func (s *Server) Socket() string { return s.socket }

// Done is closed when etcd has stopped, by Close or by itself; then nothing works any more.
func (s *Server) Done() <-chan struct{} { return s.etcd.Server.StopNotify() }

// Close stops etcd and waits until it has let go of everything. It may be called more than once.
func (s *Server) Close() {
	s.closing.Do(func() {
		if s.log != nil {
			s.log.end()
		}
		if s.keeper != nil {
			s.keeper.close()
		}
		if s.client != nil {
			s.client.Close()
		}
		if s.streams != nil {
			s.streams()
		}
		if s.etcd != nil {
			s.etcd.Close()
		}
		if s.lock != nil {
			s.lock.release()
		}
		if s.log != nil {
			s.log.close()
		}
	})
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
	return nil
}

func (s *Server) etcdConfig() *embed.Config {
	c := memberConfig()
	c.Dir = s.config.Dir
	c.ZapLoggerBuilder = embed.NewZapLoggerBuilder(s.log.zap)

	// One member needs nobody to talk to: no peer listener. The address is only a name in the member list.
	c.ListenPeerUrls = nil
	socket := url.URL{Scheme: "unix", Path: s.socket}
	c.ListenClientUrls = []url.URL{socket}
	c.AdvertiseClientUrls = []url.URL{socket}
	c.EnableGRPCGateway = false
	var streams context.Context
	streams, s.streams = context.WithCancel(context.Background())
	c.GRPCAdditionalServerOptions = []grpc.ServerOption{grpc.ChainStreamInterceptor(endWith(streams))}

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

// start is embed.StartEtcd with its panics, which are how etcd says that a file is broken, as errors.
func start(c *embed.Config) (e *embed.Etcd, err error) {
	defer func() {
		if r := recover(); r != nil {
			e, err = nil, fmt.Errorf("etcd can't start: %v", r)
		}
	}()
	return embed.StartEtcd(c)
}

// endWith makes streams end with ctx, so that a watch through the socket does not hold up Close.
func endWith(ctx context.Context) grpc.StreamServerInterceptor {
	return func(srv any, stream grpc.ServerStream, _ *grpc.StreamServerInfo, handler grpc.StreamHandler) error {
		own, cancel := context.WithCancel(stream.Context())
		defer cancel()
		defer context.AfterFunc(ctx, cancel)()
		return handler(srv, streamWith{stream, own})
	}
}

type streamWith struct {
	grpc.ServerStream
	ctx context.Context
}

func (s streamWith) Context() context.Context { return s.ctx }
