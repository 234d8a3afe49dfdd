package etcdproc

import (
	"context"
	"fmt"
	"net/http"
	"os"
	"path/filepath"
	"strconv"
	"time"
)

// DataDir is where the member keeps its data.
func (m *Member) DataDir() string { return filepath.Join(m.cluster.config.Dir, m.name) }

// Replace puts an empty member in the place of m, as after the loss of a machine. m is killed and
// taken out of the cluster. It comes back under a new ID with a new data directory. Replace returns
// when the member answers. There must be a quorum without it.
func (c *Cluster) Replace(ctx context.Context, m *Member) error {
	if err := m.Kill(); err != nil {
		return err
	}
	other := c.members[0]
	if other == m {
		other = c.members[1]
	}
	remove := map[string]string{"ID": strconv.FormatUint(m.id, 10)}
	if err := other.change(ctx, "/v3/cluster/member/remove", remove); err != nil {
		return err
	}
	if err := os.RemoveAll(m.DataDir()); err != nil {
		return fmt.Errorf("etcdproc: %w", err)
	}
	add := map[string][]string{"peerURLs": {"http://" + m.peers.Addr()}}
	if err := other.change(ctx, "/v3/cluster/member/add", add); err != nil {
		return err
	}
	m.joins = true
	if err := m.spawn(); err != nil {
		return err
	}
	if err := m.waitHealthy(ctx); err != nil {
		return err
	}
	return m.learnID(ctx)
}

// change asks for a change of the members until it is made: one is refused while a member that was
// killed a moment ago is still waited for.
func (m *Member) change(ctx context.Context, path string, request any) error {
	for {
		err := m.Call(ctx, path, request, &struct{}{})
		if err == nil {
			return nil
		}
		select {
		case <-ctx.Done():
			return fmt.Errorf("etcdproc: %s %s: %w", http.MethodPost, path, err)
		case <-time.After(pollEvery):
		}
	}
}
