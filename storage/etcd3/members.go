package etcd3

import (
	"context"
	"slices"
	"strings"
	"sync"
	"time"

	"go.etcd.io/etcd/api/v3/etcdserverpb"
	clientv3 "go.etcd.io/etcd/client/v3"
	"go.uber.org/zap"
	"google.golang.org/grpc/codes"

	"github.com/typeplane/typeplane/internal/recovery"
)

// How often each member of a cluster is asked whether it can answer, and how long it has to. Within
// the sum of both, new requests avoid a member that can't; when it fails a second time, what hangs
// there is ended, too.
const (
	probeEvery   = time.Second
	probeTimeout = 2 * time.Second
)

// askAfter is how long a member may take for that read until it is asked, again and again, whether
// it knows a leader.
const askAfter = 250 * time.Millisecond

// members keeps the requests of a client away from members that can't answer. The client of etcd
// sends each request to the next member that it has a connection with, also to one that is frozen,
// or that has lost the others. As long as that lasts, one request of three would hang or fail.
type members struct {
	client *clientv3.Client
	lines  *lines
	quorum *quorum
	all    []string
	log    *zap.Logger

	mu       sync.Mutex // guards failures
	failures []int      // in a row, by index in all
}

// watchMembers asks the members until the client is closed, and guards the client with what they
// answer.
func watchMembers(client *clientv3.Client, lines *lines, endpoints []string, log *zap.Logger) error {
	m := &members{client: client, lines: lines, quorum: newQuorum(endpoints), all: endpoints, log: log, failures: make([]int, len(endpoints))}
	for i, endpoint := range endpoints {
		conn, err := client.Dial(endpoint) // a connection of its own, which is made in the background
		if err != nil {
			return err
		}
		go func() {
			defer conn.Close()
			member := member{etcdserverpb.NewKVClient(conn), etcdserverpb.NewMaintenanceClient(conn)}
			recovery.Loop(client.Ctx(), nil, "etcd members", func(ctx context.Context) { m.watch(ctx, i, member) })
		}()
	}
	m.quorum.wrap(client)
	return nil
}

// watch asks one member until ctx ends.
func (m *members) watch(ctx context.Context, i int, member member) {
	ticker := time.NewTicker(probeEvery)
	defer ticker.Stop()
	for {
		err := member.look(ctx, func(s standing) { m.quorum.note(i, s) })
		if ctx.Err() != nil {
			return
		}
		m.note(i, err)
		select {
		case <-ctx.Done():
			return
		case <-ticker.C:
		}
	}
}

// member is one that is asked how it is.
type member struct {
	kv          etcdserverpb.KVClient
	maintenance etcdserverpb.MaintenanceClient
}

// look makes a read that needs a quorum, and returns an error if the member can't answer. Meanwhile
// note is told how it stands, as soon as that is known.
func (m member) look(ctx context.Context, note func(standing)) error {
	read := make(chan error, 1)
	go func() {
		read <- recovery.Call(nil, "etcd members", "", func() error { return m.probe(ctx) })
	}()
	silent := time.NewTicker(askAfter)
	defer silent.Stop()
	for {
		select {
		case err := <-read:
			if err == nil {
				note(standing{leads: true})
			} else if ctx.Err() == nil {
				note(m.standing(ctx))
			}
			return err
		case <-silent.C:
			note(m.standing(ctx))
		}
	}
}

// probe is the read. That a member doesn't want to, as this client may not read, is an answer.
func (m member) probe(ctx context.Context) error {
	ctx, cancel := context.WithTimeout(ctx, probeTimeout)
	defer cancel()
	_, err := m.kv.Range(ctx, &etcdserverpb.RangeRequest{Key: []byte("/"), CountOnly: true})
	if unanswered(err) {
		return err
	}
	return nil
}

func unanswered(err error) bool {
	code := grpcCode(err)
	return code == codes.Unavailable || code == codes.DeadlineExceeded
}

// standing asks a member that does not answer the read what it knows, which takes neither a quorum
// nor a disk.
func (m member) standing(ctx context.Context) standing {
	ctx, cancel := context.WithTimeout(ctx, probeTimeout/2)
	defer cancel()
	status, err := m.maintenance.Status(ctx, &etcdserverpb.StatusRequest{})
	switch {
	case unanswered(err):
		return standing{why: unreached(err)}
	case err == nil && status.Leader == 0:
		return standing{why: "knows no leader"}
	}
	return standing{leads: true, why: "is slow"}
}

// unreached says in few words why a member can't be reached.
func unreached(err error) string {
	if grpcCode(err) == codes.DeadlineExceeded {
		return "does not answer"
	}
	if message := err.Error(); strings.Contains(message, "connection refused") {
		return "connection refused"
	}
	return "can't be reached"
}

// note remembers how a member is. If none is well, there is nothing to choose from, and all are
// used. It is the cluster that can't answer then, and the first member that can is not to be
// missed.
func (m *members) note(i int, err error) {
	m.mu.Lock()
	defer m.mu.Unlock()
	before := m.failures[i]
	if err == nil {
		m.failures[i] = 0
	} else {
		m.failures[i]++
	}
	var use []string
	for i, endpoint := range m.all {
		if m.failures[i] == 0 {
			use = append(use, endpoint)
		}
	}
	if m.failures[i] >= 2 && len(use) > 0 {
		m.lines.cut(address(m.all[i]))
	}
	if (before == 0) == (err == nil) {
		return
	}
	if len(use) == 0 {
		use = m.all
	}
	m.log.Info("etcd member", zap.String("endpoint", m.all[i]), zap.Bool("answers", err == nil), zap.Error(err), zap.Strings("used", use))
	if !slices.Equal(use, m.client.Endpoints()) {
		m.client.SetEndpoints(use...)
	}
}

// address is what the client dials for an endpoint of a cluster.
func address(endpoint string) string {
	_, rest, _ := strings.Cut(endpoint, "://")
	host, _, _ := strings.Cut(rest, "/")
	return host
}
