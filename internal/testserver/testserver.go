// Package testserver runs a server's program as a process of its own, for tests and demos.
//
// Start returns when the server is ready, with a client of its administrator. A Balancer stands
// before several servers. This package needs the standard library only, so that nested modules with
// any set of dependencies can use it.
package testserver

import (
	"bufio"
	"bytes"
	"context"
	"crypto/tls"
	"crypto/x509"
	"encoding/base64"
	"fmt"
	"io"
	"net/http"
	"os"
	"os/exec"
	"regexp"
	"strings"
	"sync"
	"time"
)

// Process is a server that runs until it ends or is killed.
type Process struct {
	Cmd *exec.Cmd
	// Kubeconfig is the administrator's file, URL the address in it.
	Kubeconfig, URL string
	// Client has the administrator's certificate, and trusts the server.
	Client *http.Client

	output lockedBuffer
	ended  chan struct{}
	err    error // how it ended; set before ended is closed
}

// Start starts a server and waits until it is ready. What it says goes to cmd.Stderr, and to Output
// if that is nil. A server that is not ready when ctx ends is killed. ctx has no other effect.
func Start(ctx context.Context, cmd *exec.Cmd) (*Process, error) {
	return StartBy(ctx, cmd, cmd.Start)
}

// StartBy is Start for a cmd that is not started by itself: something stands between the server and
// its disk.
func StartBy(ctx context.Context, cmd *exec.Cmd, start func() error) (*Process, error) {
	return startBy(ctx, cmd, start, make(chan string, 1), 2*time.Millisecond)
}

// StartWith is Start for a server of others, which prints no kubeconfig: the caller has written one
// for its administrator.
func StartWith(ctx context.Context, cmd *exec.Cmd, kubeconfig string) (*Process, error) {
	exported := make(chan string, 1)
	exported <- kubeconfig
	return startBy(ctx, cmd, cmd.Start, exported, 100*time.Millisecond)
}

// startBy asks every so often whether the server is ready.
func startBy(ctx context.Context, cmd *exec.Cmd, start func() error, exported chan string, every time.Duration) (*Process, error) {
	p := &Process{Cmd: cmd, ended: make(chan struct{})}
	if cmd.Stderr == nil {
		cmd.Stderr = &p.output
	}
	stdout, err := cmd.StdoutPipe()
	if err != nil {
		return nil, err
	}
	if err := start(); err != nil {
		return nil, err
	}
	go p.follow(stdout, exported)
	if err := p.waitReady(ctx, exported, every); err != nil {
		p.Kill()
		return nil, fmt.Errorf("%s: %w\n%s", cmd, err, p.Output())
	}
	return p, nil
}

// follow reads what the server prints until it ends.
func (p *Process) follow(stdout io.Reader, exported chan<- string) {
	for lines := bufio.NewScanner(stdout); lines.Scan(); {
		fmt.Fprintln(p.Cmd.Stderr, lines.Text())
		if file, ok := strings.CutPrefix(lines.Text(), "export KUBECONFIG="); ok {
			exported <- strings.Trim(file, `'"`)
		}
	}
	p.err = p.Cmd.Wait()
	close(p.ended)
}

func (p *Process) waitReady(ctx context.Context, exported <-chan string, every time.Duration) (err error) {
	select {
	case p.Kubeconfig = <-exported:
	case <-p.ended:
		return fmt.Errorf("it has ended before it was ready (%v)", p.err)
	case <-ctx.Done():
		return fmt.Errorf("it does not say where its kubeconfig is: %w", ctx.Err())
	}
	if p.URL, p.Client, err = Connect(p.Kubeconfig); err != nil {
		return err
	}
	for {
		err := p.ready(ctx)
		if err == nil {
			return nil
		}
		select {
		case <-p.ended:
			return fmt.Errorf("it has ended before it was ready (%v)", p.err)
		case <-ctx.Done():
			return fmt.Errorf("it is not ready: %w", err)
		case <-time.After(every):
		}
	}
}

func (p *Process) ready(ctx context.Context) error {
	req, err := http.NewRequestWithContext(ctx, http.MethodGet, p.URL+"/readyz", nil)
	if err != nil {
		return err
	}
	resp, err := p.Client.Do(req)
	if err != nil {
		return err
	}
	defer resp.Body.Close()
	if resp.StatusCode != http.StatusOK {
		text, _ := io.ReadAll(resp.Body)
		return fmt.Errorf("%s %s", resp.Status, text)
	}
	return nil
}

// Output is what the server has said so far, unless that goes elsewhere.
func (p *Process) Output() string { return p.output.String() }

// Ended is closed when the server has ended; from then on Err says how.
func (p *Process) Ended() <-chan struct{} { return p.ended }

// Err is how the server has ended, nil for exit code 0.
func (p *Process) Err() error { return p.err }

// Kill ends the server as a machine that loses power does, and returns when it is gone.
func (p *Process) Kill() {
	p.Cmd.Process.Kill()
	<-p.ended
}

// Connect makes a client of a kubeconfig that a server has written: each value is in a line.
func Connect(kubeconfig string) (url string, client *http.Client, err error) {
	text, err := os.ReadFile(kubeconfig)
	if err != nil {
		return "", nil, err
	}
	values := map[string]string{}
	for _, m := range lineOf.FindAllStringSubmatch(string(text), -1) {
		values[m[1]] = m[2]
	}
	var pems [3][]byte
	for i, key := range []string{"certificate-authority-data", "client-certificate-data", "client-key-data"} {
		if pems[i], err = base64.StdEncoding.DecodeString(values[key]); err != nil {
			return "", nil, fmt.Errorf("%s: %s: %w", kubeconfig, key, err)
		}
	}
	pair, err := tls.X509KeyPair(pems[1], pems[2])
	if err != nil {
		return "", nil, fmt.Errorf("%s: %w", kubeconfig, err)
	}
	roots := x509.NewCertPool()
	roots.AppendCertsFromPEM(pems[0])
	return values["server"], &http.Client{Transport: &http.Transport{
		TLSClientConfig:   &tls.Config{RootCAs: roots, Certificates: []tls.Certificate{pair}, ServerName: values["tls-server-name"]},
		ForceAttemptHTTP2: true,
	}}, nil
}

// lineOf finds a key and its value in YAML that is written in blocks.
var lineOf = regexp.MustCompile(`(?m)^[ -]*([a-z-]+): "?([^"\s]+)"?$`)

// lockedBuffer is a buffer that several goroutines may use.
type lockedBuffer struct {
	mu     sync.Mutex // guards buffer
	buffer bytes.Buffer
}

func (b *lockedBuffer) Write(p []byte) (int, error) {
	b.mu.Lock()
	defer b.mu.Unlock()
	return b.buffer.Write(p)
}

func (b *lockedBuffer) String() string {
	b.mu.Lock()
	defer b.mu.Unlock()
	return b.buffer.String()
}
