package etcdproc

import (
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"time"
)

// Config says what to start. Its zero value, with a Binary and a Dir, is one member over plain
// HTTP.
type Config struct {
	// Binary is an etcd, see Build.
	Binary string
	// Dir is for data and logs: <Dir>/m1 is the data directory of the first member, <Dir>/m1.log
	// what it says. It is made if it is missing. What is there already is continued, if Members and
	// Ports are as they were.
	Dir string
	// Members is how many; 0 means 1.
	Members int
	// Ports are the TCP ports of 127.0.0.1 for clients and for members: Members of the one, then
	// Members of the other. An empty one takes free ports, for a Dir without data: members know
	// each other by their ports.
	Ports []int
	// TLS is for clients. Members talk to each other without it.
	TLS *TLS
	// Args are further flags for each member.
	Args []string
}

// TLS are files in PEM. The certificate is for 127.0.0.1; it is shown to clients, and, by this
// package, to the members. Clients must have one that the CA signed.
type TLS struct{ CAFile, CertFile, KeyFile string }

// Cluster is a running etcd. Its methods may be called concurrently, but not those that change the
// same member.
type Cluster struct {
	config  Config
	sockets string // directory; short, since the name of a socket may have about 100 bytes
	members []*Member
	spawner *spawner
}

// startTimeout bounds what Start and Restart wait for, on a machine that has other things to do.
const startTimeout = 3 * time.Minute

// Start starts the members and returns when each of them answers a linearizable read. The caller
// closes the cluster. Members die with this process.
func Start(ctx context.Context, config Config) (*Cluster, error) {
	if config.Members == 0 {
		config.Members = 1
	}
	c, err := prepare(config)
	if err != nil {
		return nil, fmt.Errorf("etcdproc: %w", err)
	}
	for _, m := range c.members {
		err = errors.Join(err, m.spawn())
	}
	ctx, cancel := context.WithTimeout(ctx, startTimeout)
	defer cancel()
	if err == nil {
		err = c.WaitHealthy(ctx)
	}
	for _, m := range c.members {
		if err == nil {
			err = m.learnID(ctx)
		}
	}
	if err != nil {
		return nil, errors.Join(err, c.Close())
	}
	return c, nil
}

// prepare makes directories and proxies; no process runs yet.
func prepare(config Config) (c *Cluster, err error) {
	if len(config.Ports) == 0 {
		if _, err := os.Stat(filepath.Join(config.Dir, "m1")); err == nil {
			return nil, fmt.Errorf("%s has the data of members that know each other by their ports: name these", config.Dir)
		}
		config.Ports = make([]int, 2*config.Members)
	}
	if len(config.Ports) != 2*config.Members {
		return nil, fmt.Errorf("%d ports for %d members: want one for clients and one for members, each", len(config.Ports), config.Members)
	}
	if config.Dir, err = filepath.Abs(config.Dir); err != nil {
		return nil, err
	}
	// Members run in directories of their own.
	if config.Binary, err = exec.LookPath(config.Binary); err != nil {
		return nil, err
	}
	if config.Binary, err = filepath.Abs(config.Binary); err != nil {
		return nil, err
	}
	if err := os.MkdirAll(config.Dir, 0o700); err != nil {
		return nil, err
	}
	sockets, err := os.MkdirTemp("", "etcd")
	if err != nil {
		return nil, err
	}
	c = &Cluster{config: config, sockets: sockets, spawner: newSpawner()}
	defer func() {
		if err != nil {
			err = errors.Join(err, c.Close())
		}
	}()
	for i := range config.Members {
		m := &Member{cluster: c, name: fmt.Sprintf("m%d", i+1)}
		m.sockets = filepath.Join(sockets, m.name)
		if err := os.Mkdir(m.sockets, 0o700); err != nil {
			return c, err
		}
		if m.clients, err = newProxy(config.Ports[i], filepath.Join(m.sockets, clientSocket), false); err != nil {
			return c, err
		}
		c.members = append(c.members, m)
		if m.peers, err = newProxy(config.Ports[config.Members+i], filepath.Join(m.sockets, peerSocket), true); err != nil {
			return c, err
		}
		if m.http, err = newHTTPClient(filepath.Join(m.sockets, clientSocket), config.TLS); err != nil {
			return c, err
		}
	}
	return c, nil
}

// Members returns all members, running or not. The slice is the cluster's own.
func (c *Cluster) Members() []*Member { return c.members }

// Endpoints are the URLs of all members for clients, through the proxies.
func (c *Cluster) Endpoints() []string {
	var urls []string
	for _, m := range c.members {
		urls = append(urls, m.Endpoint())
	}
	return urls
}

// WaitHealthy returns when each member that runs and is not frozen answers a linearizable read.
func (c *Cluster) WaitHealthy(ctx context.Context) error {
	for _, m := range c.members {
		if err := m.waitHealthy(ctx); err != nil {
			return err
		}
	}
	return nil
}

// Leader waits until a member says who leads, and returns that member. A member that was cut off
// may still take itself for the leader. The member that has heard of the latest election is
// believed. One that was killed or frozen a moment ago is returned until the others have noticed.
func (c *Cluster) Leader(ctx context.Context) (*Member, error) {
	for {
		if m := c.leader(ctx); m != nil {
			return m, nil
		}
		select {
		case <-ctx.Done():
			return nil, fmt.Errorf("etcdproc: no leader: %w", ctx.Err())
		case <-time.After(pollEvery):
		}
	}
}

// leader asks all members at once and returns nil if none knows.
func (c *Cluster) leader(ctx context.Context) *Member {
	answers := make(chan status, len(c.members))
	for _, m := range c.members {
		go func() {
			s, err := m.status(ctx)
			if err != nil {
				s = status{}
			}
			answers <- s
		}()
	}
	var latest status
	for range c.members {
		if s := <-answers; s.Leader != 0 && s.Term > latest.Term {
			latest = s
		}
	}
	for _, m := range c.members {
		if latest.Leader != 0 && m.id == latest.Leader {
			return m
		}
	}
	return nil
}

// Isolate puts whatever goes between m and the other members, in both directions, into mode.
// Clients of m are not concerned: their way is m.Clients.
func (c *Cluster) Isolate(m *Member, mode Mode) {
	m.peers.Set(mode)
	for _, other := range c.members {
		if other != m {
			other.peers.setFrom(memberID(m.id), mode)
		}
	}
}

// Heal opens all proxies.
func (c *Cluster) Heal() {
	for _, m := range c.members {
		m.clients.Set(Open)
		m.peers.Set(Open)
	}
}

// Close kills the members, closes the proxies and leaves Dir as it is. Members are not asked to
// stop: what they have acknowledged is on disk, and the last ones would wait for others to lead.
func (c *Cluster) Close() error {
	var err error
	for _, m := range c.members {
		err = errors.Join(err, m.Kill())
		m.clients.close()
		if m.peers != nil {
			m.peers.close()
		}
	}
	c.spawner.close()
	return errors.Join(err, os.RemoveAll(c.sockets))
}

// initial is the value of --initial-cluster.
func (c *Cluster) initial() string {
	var pairs []string
	for _, m := range c.members {
		pairs = append(pairs, m.name+"=http://"+m.peers.Addr())
	}
	return strings.Join(pairs, ",")
}
