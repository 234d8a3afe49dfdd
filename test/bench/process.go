package main

import (
	"context"
	"fmt"
	"io"
	"net"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"syscall"
	"time"
)

const (
	// startTimeout bounds what a server may take to list 100,000 pods, on a machine that has other
	// things to do.
	startTimeout = 5 * time.Minute
	// pollEvery is how exact the times of starts are.
	pollEvery = 10 * time.Millisecond
)

// process is a program that runs beside the harness. Its output is in a file of the working
// directory.
type process struct {
	name   string
	cmd    *exec.Cmd
	begun  time.Time
	log    string
	exited chan struct{}
	debug  *http.Client // nil if the program has no socket for profiles
}

// start runs bin/name. The environment is that of the harness without what would change Go's
// runtime.
func start(dir, bin, name string, debug bool, args ...string) (*process, error) {
	p := &process{name: name, log: filepath.Join(dir, name+".log"), exited: make(chan struct{})}
	if debug {
		socket := filepath.Join(dir, name+".sock")
		os.Remove(socket) // of one that ran here before
		args = append(args, "--debug", socket)
		p.debug = &http.Client{Transport: &http.Transport{DialContext: func(ctx context.Context, _, _ string) (net.Conn, error) {
			return new(net.Dialer).DialContext(ctx, "unix", socket)
		}}}
	}
	log, err := os.Create(p.log)
	if err != nil {
		return nil, err
	}
	defer log.Close()
	p.cmd = exec.Command(filepath.Join(bin, name), args...)
	p.cmd.Stdout, p.cmd.Stderr = log, log
	p.cmd.Env = append(os.Environ(), "GOGC=", "GOMEMLIMIT=", "GODEBUG=", "GOMAXPROCS=")
	p.begun = time.Now()
	if err := p.cmd.Start(); err != nil {
		return nil, err
	}
	go func() {
		p.cmd.Wait()
		close(p.exited)
	}()
	return p, nil
}

// stop asks the process to end, and makes it after ten seconds.
func (p *process) stop() {
	p.cmd.Process.Signal(syscall.SIGTERM)
	select {
	case <-p.exited:
	case <-time.After(10 * time.Second):
		p.cmd.Process.Kill()
		<-p.exited
	}
}

func (p *process) pid() int { return p.cmd.Process.Pid }

// ask gets a path from the socket for profiles.
func (p *process) ask(ctx context.Context, path string, to io.Writer) error {
	req, err := http.NewRequestWithContext(ctx, http.MethodGet, "http://debug"+path, nil)
	if err != nil {
		return err
	}
	resp, err := p.debug.Do(req)
	if err != nil {
		return err
	}
	defer resp.Body.Close()
	if resp.StatusCode != http.StatusOK {
		return fmt.Errorf("%s: %s answered %s", p.name, path, resp.Status)
	}
	_, err = io.Copy(to, resp.Body)
	return err
}

// collect makes the process collect its garbage, so that a measurement does not pay for the one
// before.
func (p *process) collect(ctx context.Context) error { return p.ask(ctx, "/collect", io.Discard) }

// until calls ready until it succeeds, the process is gone, or startTimeout has passed.
func (p *process) until(ctx context.Context, ready func(context.Context) error) error {
	ctx, cancel := context.WithTimeout(ctx, startTimeout)
	defer cancel()
	for {
		err := ready(ctx)
		if err == nil {
			return nil
		}
		select {
		case <-p.exited:
			text, _ := os.ReadFile(p.log)
			return fmt.Errorf("%s has ended: %s", p.name, text)
		case <-ctx.Done():
			return fmt.Errorf("%s is not ready: %w; its output is in %s", p.name, err, p.log)
		case <-time.After(pollEvery):
		}
	}
}

// freePort returns a TCP port of 127.0.0.1 that nobody listens on right now.
func freePort() (int, error) {
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		return 0, err
	}
	defer l.Close()
	return l.Addr().(*net.TCPAddr).Port, nil
}
