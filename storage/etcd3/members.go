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
)

// How often each member of a cluster is asked whether it can answer, and how long it has to. Within the sum of both, new
// requests avoid a member that can't; when it fails a second time, what hangs there is ended, too.
const (
	probeEvery   = time.Second
	probeTimeout = 2 * time.Second
)

// members keeps the requests of a client away from members that can't answer. etcd's own client sends each request to the
// next member that it has a connection with, also to one that is frozen, or that has lost the others: of three requests
// one would hang or fail, as long as that lasts.
type members struct {
	client *clientv3.Client
	lines  *lines
	all    []string
	log    *zap.Logger

	mu       sync.Mutex // guards failures
	failures []int      // in a row, by index in all
}

// watchMembers asks the members until the client is closed. It does nothing where there is no choice.
func watchMembers(client *clientv3.Client, lines *lines, endpoints []string, log *zap.Logger) error {
	if len(endpoints) < 2 {
		return nil
	}
	m := &members{client: client, lines: lines, all: endpoints, log: log, failures: make([]int, len(endpoints))}
	for i, endpoint := range endpoints {
		conn, err := client.Dial(endpoint) // a connection of its own, which is made in the background
		if err != nil {
			return err
		}
		go func() {
			defer conn.Close()
			m.watch(client.Ctx(), i, etcdserverpb.NewKVClient(conn))
		}()
	}
	return nil
}

// watch asks one member until ctx ends.
func (m *members) watch(ctx context.Context, i int, kv etcdserverpb.KVClient) {
	ticker := time.NewTicker(probeEvery)
	defer ticker.Stop()
	for {
		err := probe(ctx, kv)
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

// probe makes a read that needs a quorum, and returns an error if the member can't answer. That it doesn't want to, as
// this client may not read, is an answer.
func probe(ctx context.Context, kv etcdserverpb.KVClient) error {
	ctx, cancel := context.WithTimeout(ctx, probeTimeout)
	defer cancel()
	_, err := kv.Range(ctx, &etcdserverpb.RangeRequest{Key: []byte("/"), CountOnly: true})
	if code := grpcCode(err); code == codes.Unavailable || code == codes.DeadlineExceeded {
		return err
	}
	return nil
}

// note remembers how a member is. If none is well, there is nothing to choose from, and all are used: it is the
// cluster that can't answer then, and the first member that can is not to be missed.
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
