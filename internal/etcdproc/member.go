package etcdproc

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync"
	"syscall"
	"time"
)

// Names of the sockets in a member's directory. etcd takes the host of a unix:// URL for the name
// of a file in its working directory, and wants a port in it.
const (
	clientSocket = "client:0"
	peerSocket   = "peer:0"
)

// Member is one etcd, running or not.
type Member struct {
	cluster *Cluster
	name    string
	sockets string // directory
	clients *Proxy
	peers   *Proxy
	http    *http.Client
	id      uint64 // set when the cluster is healthy for the first time, and by Replace
	joins   bool   // a cluster that is there: set by Replace

	mu     sync.Mutex // guards the fields below
	cmd    *exec.Cmd  // nil while it does not run
	exited chan struct{}
	frozen bool
}

// Name is m1 for the first member, and so on.
func (m *Member) Name() string { return m.name }

// Endpoint is the URL for clients, through the proxy.
func (m *Member) Endpoint() string {
	if m.cluster.config.TLS != nil {
		return "https://" + m.clients.Addr()
	}
	return "http://" + m.clients.Addr()
}

// Socket is the unix socket for clients, past the proxy.
func (m *Member) Socket() string { return filepath.Join(m.sockets, clientSocket) }

// Clients is the proxy between the member and its clients.
func (m *Member) Clients() *Proxy { return m.clients }

// LogFile is where the member's output goes; a restart adds to it.
func (m *Member) LogFile() string { return filepath.Join(m.cluster.config.Dir, m.name+".log") }

// Pid is the process that runs, or 0.
func (m *Member) Pid() int {
	m.mu.Lock()
	defer m.mu.Unlock()
	if m.cmd == nil {
		return 0
	}
	return m.cmd.Process.Pid
}

// Kill ends the process by SIGKILL and returns when it is gone. One that does not run is left
// alone.
func (m *Member) Kill() error {
	m.mu.Lock()
	defer m.mu.Unlock()
	return m.kill()
}

// kill is called with mu held.
func (m *Member) kill() error {
	if m.cmd == nil {
		return nil
	}
	if err := m.cmd.Process.Kill(); err != nil && !errors.Is(err, os.ErrProcessDone) {
		return fmt.Errorf("etcdproc: kill %s: %w", m.name, err)
	}
	<-m.exited
	m.cmd, m.frozen = nil, false
	return nil
}

// Freeze stops the process by SIGSTOP: its connections stay, and nobody answers.
func (m *Member) Freeze() error { return m.signal(syscall.SIGSTOP, true) }

// Thaw lets a frozen process go on.
func (m *Member) Thaw() error { return m.signal(syscall.SIGCONT, false) }

func (m *Member) signal(sig syscall.Signal, frozen bool) error {
	m.mu.Lock()
	defer m.mu.Unlock()
	if m.cmd == nil {
		return fmt.Errorf("etcdproc: %v for %s: it does not run", sig, m.name)
	}
	if err := m.cmd.Process.Signal(sig); err != nil {
		return fmt.Errorf("etcdproc: %v for %s: %w", sig, m.name, err)
	}
	m.frozen = frozen
	return nil
}

// Restart kills the process if it runs, and starts it again over the same data. It does not wait
// until the member is healthy, which it can't be without a quorum: Cluster.WaitHealthy does.
func (m *Member) Restart() error {
	if err := m.Kill(); err != nil {
		return err
	}
	return m.spawn()
}

// spawn starts the process.
func (m *Member) spawn() error {
	m.mu.Lock()
	defer m.mu.Unlock()
	log, err := os.OpenFile(m.LogFile(), os.O_CREATE|os.O_APPEND|os.O_WRONLY, 0o600)
	if err != nil {
		return fmt.Errorf("etcdproc: %w", err)
	}
	defer log.Close()
	cmd := exec.Command(m.cluster.config.Binary, m.args()...)
	cmd.Dir = m.sockets
	cmd.Stdout, cmd.Stderr = log, log
	// etcd reads its flags from the environment, too, and these are somebody else's.
	for _, e := range os.Environ() {
		if !strings.HasPrefix(e, "ETCD_") {
			cmd.Env = append(cmd.Env, e)
		}
	}
	if err := m.cluster.spawner.start(cmd); err != nil {
		return fmt.Errorf("etcdproc: start %s: %w", m.name, err)
	}
	exited := make(chan struct{})
	go func() {
		cmd.Wait() // how it ended is in the log
		close(exited)
	}()
	m.cmd, m.exited, m.frozen = cmd, exited, false
	return nil
}

func (m *Member) args() []string {
	c := m.cluster
	args := []string{
		"--name", m.name,
		"--data-dir", m.DataDir(),
		"--log-level", "warn",
		"--listen-peer-urls", "unix://" + peerSocket,
		"--initial-advertise-peer-urls", "http://" + m.peers.Addr(),
		"--initial-cluster", c.initial(),
		"--advertise-client-urls", m.Endpoint(),
	}
	if m.joins {
		args = append(args, "--initial-cluster-state", "existing")
	}
	if tls := c.config.TLS; tls != nil {
		args = append(args, "--listen-client-urls", "unixs://"+clientSocket,
			"--client-cert-auth", "--trusted-ca-file", tls.CAFile, "--cert-file", tls.CertFile, "--key-file", tls.KeyFile)
	} else {
		args = append(args, "--listen-client-urls", "unix://"+clientSocket)
	}
	return append(args, c.config.Args...)
}

// waitHealthy returns when the member answers a linearizable read, or is stopped or frozen on
// purpose.
func (m *Member) waitHealthy(ctx context.Context) error {
	var err error
	for {
		m.mu.Lock()
		awake, exited := m.cmd != nil && !m.frozen, m.exited
		m.mu.Unlock()
		if !awake {
			return nil
		}
		if err = m.health(ctx); err == nil {
			return nil
		}
		select {
		case <-exited:
			m.mu.Lock()
			killed := m.cmd == nil || m.exited != exited
			m.mu.Unlock()
			if !killed {
				return fmt.Errorf("etcdproc: %s has ended by itself:\n%s", m.name, m.lastWords())
			}
		case <-ctx.Done():
			return fmt.Errorf("etcdproc: %s is not healthy: %w; its log ends with\n%s", m.name, errors.Join(ctx.Err(), err), m.lastWords())
		case <-time.After(pollEvery):
		}
	}
}

// lastWords is the end of the log.
func (m *Member) lastWords() string {
	text, err := os.ReadFile(m.LogFile())
	if err != nil {
		return err.Error()
	}
	return string(text[max(0, len(text)-4096):])
}
