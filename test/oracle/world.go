package main

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"net/http/httptest"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"time"

	clientv3 "go.etcd.io/etcd/client/v3"
	"go.uber.org/zap"

	"github.com/typeplane/typeplane/internal/etcdproc"
	"github.com/typeplane/typeplane/internal/faultdisk"
	"github.com/typeplane/typeplane/internal/testserver"
)

// Config is what a run is made of.
type Config struct {
	Seed    uint64
	Servers int           // of ours, on one etcd
	Members int           // of etcd; 0: the one server has its own, on a disk whose power can be cut
	Load    time.Duration // how long clients write, and faults happen
	Faults  []Fault
	Whole   bool          // a cut of power leaves nothing of what was not synced, else some sectors now and then
	CatchUp time.Duration // how long watches have to deliver everything in the end; 0 is patience
	Settle  time.Duration // how long everything has to work again in the end; 0 is patience
	Args    []string      // further flags of the servers
	// Replicas puts a balancer before the servers, and rules around the books; see replicas.go.
	Replicas bool
	Env      []string // further environment of the servers
	Library  string   // the server's program
	Etcd     string   // etcd's program
}

// Numbers of clients in a run.
const (
	drivers   = 8
	followers = 8
)

// patience bounds what a run waits for once all faults are over.
const patience = 3 * time.Minute

// world is what runs.
type world struct {
	config   Config
	dir      string
	etcd     *etcdproc.Cluster
	direct   *clientv3.Client // past all proxies
	oracle   *oracle
	servers  []*server
	recorder *recorder
	board    *board
	follows  []*follower
	outages  []Outage // owned by injectFaults until it returns
	settled  time.Duration

	// Of replicas; nil for other servers.
	sealed   *sealed
	balancer *testserver.Balancer
	hooks    *httptest.Server
	keeper   *keeper

	mu   sync.Mutex    // guards done
	done map[Fault]int // how often each happened
}

// Run makes one run, and returns what is known of it. An error means that the run could not be
// made, or that something did not come back after the faults were over.
func Run(ctx context.Context, config Config) (h *History, exposed Exposed, err error) {
	dir, err := os.MkdirTemp("", "oracle")
	if err != nil {
		return nil, exposed, err
	}
	w := &world{config: config, dir: dir, recorder: newRecorder(), board: newBoard(), done: map[Fault]int{}}
	defer func() {
		err = errors.Join(err, w.close())
		if err == nil {
			err = os.RemoveAll(dir)
		}
	}()
	if err := w.start(ctx); err != nil {
		return nil, exposed, err
	}
	h, err = w.play(ctx)
	if err != nil {
		return nil, exposed, fmt.Errorf("seed %d, logs in %s: %w", config.Seed, dir, err)
	}
	return h, w.exposed(h), nil
}

// start starts what there is in this world.
func (w *world) start(ctx context.Context) error {
	if w.config.Members == 0 {
		return w.startEmbedded(ctx)
	}
	return w.startCluster(ctx)
}

// startEmbedded starts one server with its own etcd, and the oracle at the socket of that.
func (w *world) startEmbedded(ctx context.Context) (err error) {
	dir := filepath.Join(w.dir, "server-0")
	disk, err := faultdisk.New(filepath.Join(dir, "member"))
	if err != nil {
		return err
	}
	if err := w.startServer(ctx, 0, "", disk); err != nil {
		return err
	}
	return w.watchEtcd("unix://" + filepath.Join(dir, "etcd.sock"))
}

// watchEtcd lets the oracle begin.
func (w *world) watchEtcd(endpoints ...string) (err error) {
	if w.direct, err = clientv3.New(clientv3.Config{Endpoints: endpoints, Logger: zap.NewNop(), DialKeepAliveTime: 10 * time.Second, DialKeepAliveTimeout: 5 * time.Second}); err != nil {
		return err
	}
	w.oracle = startOracle(w.direct, w.sealed)
	return nil
}

// startServer starts a server of ours.
func (w *world) startServer(ctx context.Context, number int, endpoints string, disk *faultdisk.Disk) error {
	started, cancel := context.WithTimeout(ctx, patience)
	defer cancel()
	args := w.config.Args
	if !w.config.Replicas {
		args = append([]string{"--enable-api=none"}, args...)
	}
	s, err := newServer(started, number, w.config.Library, filepath.Join(w.dir, fmt.Sprintf("server-%d", number)), endpoints, disk, args, w.config.Env)
	if s != nil {
		w.servers = append(w.servers, s)
	}
	return err
}

// startCluster starts etcd, the oracle, and the servers. The first server talks to etcd through
// proxies; the others do not, so that they go on when the first is cut off.
func (w *world) startCluster(ctx context.Context) (err error) {
	if w.etcd, err = etcdproc.Start(ctx, etcdproc.Config{Binary: w.config.Etcd, Dir: filepath.Join(w.dir, "etcd"), Members: w.config.Members}); err != nil {
		return err
	}
	var sockets []string
	for _, m := range w.etcd.Members() {
		sockets = append(sockets, "unix://"+m.Socket())
	}
	if w.config.Replicas {
		flags, err := w.prepareReplicas()
		if err != nil {
			return err
		}
		w.config.Args = append(slices.Clone(w.config.Args), flags...)
	}
	if err := w.watchEtcd(sockets...); err != nil {
		return err
	}
	for i := range w.config.Servers {
		endpoints := strings.Join(w.etcd.Endpoints(), ",")
		if i > 0 {
			endpoints = strings.Join(sockets, ",")
		}
		if err := w.startServer(ctx, i, endpoints, nil); err != nil {
			return err
		}
	}
	if w.config.Replicas {
		started, cancel := context.WithTimeout(ctx, patience)
		defer cancel()
		return w.startReplicas(started)
	}
	return nil
}

// random is a source of chance for one part of the run.
func (w *world) random(part int) *rand.Rand {
	return rand.New(rand.NewPCG(w.config.Seed, uint64(part)))
}

func (w *world) driver(number int) driver {
	return driver{number: number, entrances: w.entrances(), random: w.random(number), recorder: w.recorder, board: w.board}
}

// play runs clients and faults, heals, waits until everything is quiet, and gathers what is known.
func (w *world) play(ctx context.Context) (*History, error) {
	load, endLoad := context.WithTimeout(ctx, w.config.Load)
	defer endLoad()
	watching, endWatches := context.WithCancel(ctx)
	defer endWatches()
	var driving, following sync.WaitGroup
	finish := make(chan struct{})
	for i := range drivers {
		d := w.driver(i)
		driving.Go(func() { d.run(load) })
	}
	for i := range followers {
		f := &follower{driver: w.driver(100 + i)}
		w.follows = append(w.follows, f)
		following.Go(func() { f.run(watching, finish) })
	}
	if w.keeper != nil {
		driving.Go(func() { w.keeper.run(load) })
	}
	err := w.injectFaults(load)
	driving.Wait()
	if err != nil {
		return nil, err
	}

	quiet, cancel := context.WithTimeout(ctx, cmp.Or(w.config.Settle, patience))
	defer cancel()
	close(finish)
	over := w.recorder.now()
	finals, err := w.settle(quiet)
	if err != nil {
		return nil, err
	}
	w.settled = w.recorder.now() - over
	catchingUp, cancel := context.WithTimeout(ctx, cmp.Or(w.config.CatchUp, patience))
	defer cancel()
	w.awaitFollowers(catchingUp)
	endWatches()
	following.Wait()
	members, err := w.members(ctx)
	if err != nil {
		return nil, err
	}
	return &History{Hooked: w.hooks != nil, Ops: w.recorder.ops, Watches: w.recorder.watches, Truth: w.oracle.known(), Finals: finals, Members: members, Outages: w.outages}, nil
}

// close ends everything, and looks at what the servers said of themselves.
func (w *world) close() error {
	var err error
	for _, s := range w.servers {
		err = errors.Join(err, s.stop(), w.crashes(s))
	}
	if w.balancer != nil {
		err = errors.Join(err, w.balancer.Close())
	}
	if w.hooks != nil {
		w.hooks.Close()
	}
	if w.oracle != nil {
		w.oracle.close()
	}
	if w.direct != nil {
		err = errors.Join(err, w.direct.Close())
	}
	if w.etcd != nil {
		err = errors.Join(err, w.etcd.Close())
	}
	return err
}

// crashes is C10: a server that has panicked says so.
func (w *world) crashes(s *server) error {
	text, err := os.ReadFile(s.logFile())
	if err != nil {
		return err
	}
	for _, sign := range []string{"panic", "fatal error:", "DATA RACE"} {
		if lines := strings.Split(string(text), "\n"); slices.ContainsFunc(lines, func(line string) bool { return strings.Contains(line, sign) }) {
			return fmt.Errorf("C10: server %d said %q: see %s", s.number, sign, s.logFile())
		}
	}
	return nil
}
