package main

import (
	"context"
	"fmt"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"syscall"
	"time"
)

// etcd is one member, as a process of its own.
type etcd struct {
	url string
	cmd *exec.Cmd
}

// startEtcd starts one with its data in dir, and returns when it answers.
func startEtcd(ctx context.Context, bin, dir string) (*etcd, error) {
	var urls [2]string // for clients, and for other members
	for i := range urls {
		port, err := freePort()
		if err != nil {
			return nil, err
		}
		urls[i] = fmt.Sprintf("http://127.0.0.1:%d", port)
	}
	log, err := os.Create(filepath.Join(dir, "etcd.log"))
	if err != nil {
		return nil, err
	}
	defer log.Close()
	e := &etcd{url: urls[0], cmd: exec.Command(filepath.Join(bin, "etcd"), "--data-dir", filepath.Join(dir, "etcd"), "--log-level=warn",
		"--listen-client-urls", urls[0], "--advertise-client-urls", urls[0],
		"--listen-peer-urls", urls[1], "--initial-advertise-peer-urls", urls[1], "--initial-cluster", "default="+urls[1])}
	e.cmd.Stdout, e.cmd.Stderr = log, log
	if err := e.cmd.Start(); err != nil {
		return nil, err
	}
	for {
		resp, err := http.Get(e.url + "/health")
		if err == nil {
			resp.Body.Close()
			if resp.StatusCode == http.StatusOK {
				return e, nil
			}
		}
		select {
		case <-ctx.Done():
			e.stop()
			return nil, fmt.Errorf("etcd is not healthy: %w, see %s", context.Cause(ctx), log.Name())
		case <-time.After(50 * time.Millisecond):
		}
	}
}

// stop ends it and waits for that.
func (e *etcd) stop() {
	e.cmd.Process.Signal(syscall.SIGTERM)
	e.cmd.Wait()
}
