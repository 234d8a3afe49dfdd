package main

import (
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"net"
	"os"
	"os/exec"
	"path/filepath"
	"sync"
	"syscall"
	"time"

	"github.com/typeplane/typeplane/internal/faultdisk"
	"github.com/typeplane/typeplane/internal/testserver"
)

// server is one of our servers. It keeps its port and its directory when it is started again.
type server struct {
	entrance
	binary string
	args   []string
	env    []string
	dir    string
	disk   *faultdisk.Disk // of an embedded etcd; nil for none

	mu      sync.Mutex // guards process
	process *testserver.Process
}

// newServer starts a server over an etcd, or with its own on a disk, and returns when it is ready.
func newServer(ctx context.Context, number int, binary, dir, etcd string, disk *faultdisk.Disk, args, env []string) (*server, error) {
	port, err := freePort()
	if err != nil {
		return nil, err
	}
	s := &server{
		entrance: entrance{number: number}, binary: binary, dir: dir, env: env, disk: disk,
		args: append([]string{"--data-dir", dir, "--secure-port", fmt.Sprint(port)}, args...),
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
// talk to, is started again. Clients keep the connections that they have.
func (s *server) start(ctx context.Context) error {
	for {
		process, err := s.spawn(ctx)
		if err == nil {
			s.mu.Lock()
			defer s.mu.Unlock()
			s.process = process
			if s.client == nil {
				s.url, s.client = process.URL, process.Client
			}
			return nil
		}
		if ctx.Err() != nil {
			text, _ := os.ReadFile(s.logFile())
			return fmt.Errorf("server %d: %w\n%s", s.number, err, tail(text))
		}
	}
}

func tail(text []byte) []byte { return text[max(0, len(text)-2000):] }

// spawn starts the process, whose output is added to the log.
func (s *server) spawn(ctx context.Context) (*testserver.Process, error) {
	log, err := os.OpenFile(s.logFile(), os.O_CREATE|os.O_APPEND|os.O_WRONLY, 0o600)
	if err != nil {
		return nil, err
	}
	defer log.Close()
	cmd := exec.Command(s.binary, s.args...)
	cmd.Env = append(os.Environ(), s.env...)
	cmd.Stderr = log
	if s.disk != nil {
		return testserver.StartBy(ctx, cmd, func() error { return s.disk.Start(cmd) })
	}
	return testserver.Start(ctx, cmd)
}

// kill ends the process by SIGKILL, and returns when it is gone.
func (s *server) kill() {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.process != nil {
		s.process.Kill()
	}
}

// forget removes what a server that was killed has in its directory, but for the log.
func (s *server) forget() error {
	files, err := os.ReadDir(s.dir)
	for _, file := range files {
		if name := filepath.Join(s.dir, file.Name()); name != s.logFile() {
			err = errors.Join(err, os.RemoveAll(name))
		}
	}
	return err
}

// cutPower ends the process in the middle of a sync, and takes away what was not on the disk: of
// that, all or some sectors.
func (s *server) cutPower(random *rand.Rand, whole bool) error {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.disk.KillAt(1 + random.IntN(8))
	select {
	case <-s.process.Ended():
	case <-time.After(time.Second): // nobody writes
		s.process.Kill()
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
	if s.process == nil {
		return nil
	}
	s.process.Cmd.Process.Signal(syscall.SIGTERM)
	select {
	case <-s.process.Ended():
		return nil
	case <-time.After(patience):
		s.process.Kill()
		return fmt.Errorf("server %d did not end within %v of SIGTERM", s.number, patience)
	}
}
