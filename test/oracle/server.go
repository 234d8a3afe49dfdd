package main

import (
	"bufio"
	"context"
	"crypto/tls"
	"crypto/x509"
	"errors"
	"fmt"
	"math/rand/v2"
	"net"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync"
	"syscall"
	"time"

	"sigs.k8s.io/yaml"

	"github.com/typeplane/typeplane/internal/faultdisk"
)

// server is one of our servers. It keeps its port and its directory when it is started again.
type server struct {
	number int
	binary string
	args   []string
	env    []string
	dir    string
	url    string
	client *http.Client
	disk   *faultdisk.Disk // of an embedded etcd; nil for none

	mu     sync.Mutex // guards cmd and exited
	cmd    *exec.Cmd
	exited chan struct{}
}

// newServer starts a server over an etcd, or with its own on a disk, and returns when it is ready.
func newServer(ctx context.Context, number int, binary, dir, etcd string, disk *faultdisk.Disk, args, env []string) (*server, error) {
	port, err := freePort()
	if err != nil {
		return nil, err
	}
	s := &server{
		number: number, binary: binary, dir: dir, env: env, disk: disk, url: fmt.Sprintf("https://127.0.0.1:%d", port),
		args: append([]string{"--data-dir", dir, "--secure-port", fmt.Sprint(port), "--enable-api=none"}, args...),
	}
	if etcd != "" {
		s.args = append(s.args, "--etcd-servers", etcd)
	}
	if err := os.MkdirAll(dir, 0o700); err != nil {
		return nil, err
	}
	return s, s.start(ctx)
}

func freePort() (int, error) {
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		return 0, err
	}
	defer l.Close()
	return l.Addr().(*net.TCPAddr).Port, nil
}

func (s *server) logFile() string { return filepath.Join(s.dir, "log") }

// start starts the process until it is ready: one that ends before, because there is no etcd to
// talk to, is started again.
func (s *server) start(ctx context.Context) error {
	for {
		exited, err := s.spawn()
		if err != nil {
			return err
		}
		if s.ready(ctx, exited) {
			return nil
		}
		if ctx.Err() != nil {
			text, _ := os.ReadFile(s.logFile())
			return fmt.Errorf("server %d is not ready: %w\n%s", s.number, ctx.Err(), tail(text))
		}
	}
}

func tail(text []byte) []byte { return text[max(0, len(text)-2000):] }

// spawn starts the process, whose output is added to the log, and makes the client when it has said
// how.
func (s *server) spawn() (exited chan struct{}, err error) {
	log, err := os.OpenFile(s.logFile(), os.O_CREATE|os.O_APPEND|os.O_WRONLY, 0o600)
	if err != nil {
		return nil, err
	}
	defer log.Close()
	cmd := exec.Command(s.binary, s.args...)
	cmd.Env = append(os.Environ(), s.env...)
	cmd.Stderr = log
	stdout, err := cmd.StdoutPipe()
	if err != nil {
		return nil, err
	}
	start := cmd.Start
	if s.disk != nil {
		start = func() error { return s.disk.Start(cmd) }
	}
	if err := start(); err != nil {
		return nil, err
	}
	exited = make(chan struct{})
	s.mu.Lock()
	s.cmd, s.exited = cmd, exited
	s.mu.Unlock()
	lines := bufio.NewScanner(stdout)
	for s.client == nil && lines.Scan() {
		if file, ok := strings.CutPrefix(lines.Text(), "export KUBECONFIG="); ok {
			if s.client, err = newClient(strings.Trim(file, `'`)); err != nil {
				return nil, err
			}
		}
	}
	go func() {
		for lines.Scan() {
		}
		cmd.Wait()
		close(exited)
	}()
	return exited, nil
}

// ready waits until the server answers, and returns false if it ends, or ctx does.
func (s *server) ready(ctx context.Context, exited chan struct{}) bool {
	for {
		if s.client != nil && s.isReady(ctx) {
			return true
		}
		select {
		case <-exited:
			return false
		case <-ctx.Done():
			return false
		case <-time.After(20 * time.Millisecond):
		}
	}
}

func (s *server) isReady(ctx context.Context) bool {
	ctx, cancel := context.WithTimeout(ctx, 3*time.Second)
	defer cancel()
	req, err := http.NewRequestWithContext(ctx, http.MethodGet, s.url+"/readyz", nil)
	if err != nil {
		return false
	}
	resp, err := s.client.Do(req)
	if err != nil {
		return false
	}
	resp.Body.Close()
	return resp.StatusCode == http.StatusOK
}

// kill ends the process by SIGKILL, and returns when it is gone.
func (s *server) kill() {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.cmd != nil {
		s.cmd.Process.Kill()
		<-s.exited
	}
}

// cutPower ends the process in the middle of a sync, and takes away what was not on the disk: of
// that, all or some sectors.
func (s *server) cutPower(random *rand.Rand, whole bool) error {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.disk.KillAt(1 + random.IntN(8))
	select {
	case <-s.exited:
	case <-time.After(time.Second): // nobody writes
		s.cmd.Process.Kill()
		<-s.exited
	}
	s.disk.KillAt(0)
	if whole || random.IntN(2) == 0 {
		random = nil
	}
	return s.disk.Cut(random)
}

// stop ends the process as an administrator does.
func (s *server) stop() error {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.cmd == nil {
		return nil
	}
	s.cmd.Process.Signal(syscall.SIGTERM)
	select {
	case <-s.exited:
		return nil
	case <-time.After(patience):
		s.cmd.Process.Kill()
		return fmt.Errorf("server %d did not end within %v of SIGTERM", s.number, patience)
	}
}

// newClient makes an HTTPS client of a kubeconfig.
func newClient(kubeconfig string) (*http.Client, error) {
	data, err := os.ReadFile(kubeconfig)
	if err != nil {
		return nil, err
	}
	var config struct {
		Clusters []struct {
			Cluster struct {
				CA []byte `json:"certificate-authority-data"`
			}
		}
		Users []struct {
			User struct {
				Cert []byte `json:"client-certificate-data"`
				Key  []byte `json:"client-key-data"`
			}
		}
	}
	if err := yaml.Unmarshal(data, &config); err != nil {
		return nil, err
	}
	if len(config.Clusters) == 0 || len(config.Users) == 0 {
		return nil, errors.New("the kubeconfig names no cluster or no user")
	}
	pool := x509.NewCertPool()
	pool.AppendCertsFromPEM(config.Clusters[0].Cluster.CA)
	pair, err := tls.X509KeyPair(config.Users[0].User.Cert, config.Users[0].User.Key)
	if err != nil {
		return nil, err
	}
	return &http.Client{Transport: &http.Transport{
		TLSClientConfig:   &tls.Config{RootCAs: pool, Certificates: []tls.Certificate{pair}},
		ForceAttemptHTTP2: true,
	}}, nil
}
