package etcd3test

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"hash/fnv"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"time"

	"github.com/typeplane/typeplane/storage/embedded"
	"github.com/typeplane/typeplane/storage/etcd3"
)

// engine names an etcd in the environment. Tests then run over a process of it, and not over the
// etcd inside their own: so they say what another version does.
const engine = "ENGINE"

// startsWithin is how long an etcd may take until it answers, on a machine that has other things
// to do.
const startsWithin = time.Minute

// Server is an etcd of one member, inside this process or beside it.
type Server struct {
	client *etcd3.Client
	url    string
	end    func()
}

// Client is for the server, and ends with it.
func (s *Server) Client() *etcd3.Client { return s.client }

// URL is where other clients reach it. A later server over the same directory has the same.
func (s *Server) URL() string { return s.url }

// Close ends it, and leaves its directory as it is.
func (s *Server) Close() { s.end() }

// Open starts an etcd as config says, or goes on with what is in its directory.
func Open(config embedded.Config) (*Server, error) {
	if binary := os.Getenv(engine); binary != "" {
		return openProcess(binary, config)
	}
	s, err := embedded.Start(context.Background(), config)
	if err != nil {
		return nil, err
	}
	return &Server{s.Client(), "unix://" + s.Socket(), s.Close}, nil
}

// clientSocket and peerSocket are names in the directory that etcd runs in. It wants a port in
// them.
const clientSocket, peerSocket = "client:0", "peer:0"

// openProcess starts the etcd of a program.
func openProcess(binary string, config embedded.Config) (*Server, error) {
	version, err := exec.Command(binary, "--version").Output()
	if err != nil {
		return nil, fmt.Errorf("etcd3test: %s: %w", binary, err)
	}
	name := fnv.New64()
	io.WriteString(name, config.Dir)
	sockets := filepath.Join(os.TempDir(), fmt.Sprintf("etcd%x", name.Sum64())) // config.Dir is too long a path for a socket
	if err := os.MkdirAll(sockets, 0o700); err != nil {
		return nil, err
	}
	// The shell ends with its input, which ends with this process, however that does.
	cmd := exec.Command("sh", append([]string{"-c", `"$@" & cat >/dev/null; kill -9 $!; wait`, "sh", binary}, processArgs(version, config)...)...)
	cmd.Dir = sockets
	var log bytes.Buffer
	cmd.Stdout, cmd.Stderr = &log, &log
	input, err := cmd.StdinPipe()
	if err == nil {
		err = cmd.Start()
	}
	if err != nil {
		return nil, fmt.Errorf("etcd3test: %w", err)
	}
	end := func() {
		input.Close()
		cmd.Wait() // with the error of who was killed
		os.RemoveAll(sockets)
	}
	url := "unix://" + filepath.Join(sockets, clientSocket)
	client, err := awaitProcess(url)
	if err != nil {
		end()
		return nil, fmt.Errorf("etcd3test: %w\n%s", err, log.Bytes())
	}
	return &Server{client, url, func() {
		client.Close()
		end()
	}}, nil
}

// processArgs says config in the flags of a version.
func processArgs(version []byte, config embedded.Config) []string {
	progress := "--watch-progress-notify-interval"
	if strings.Contains(string(version), "etcd Version: 3.5.") {
		progress = "--experimental-watch-progress-notify-interval"
	}
	args := []string{
		"--data-dir", filepath.Join(config.Dir, "process"), "--log-level", "warn",
		"--listen-client-urls", "unix://" + clientSocket, "--advertise-client-urls", "unix://" + clientSocket,
		"--listen-peer-urls", "unix://" + peerSocket, "--initial-advertise-peer-urls", "http://127.0.0.1:1", "--initial-cluster", "default=http://127.0.0.1:1",
		"--heartbeat-interval", "10", "--election-timeout", "100", // it elects itself
		"--max-request-bytes", fmt.Sprint(embedded.MaxRequestBytes), "--quota-backend-bytes", fmt.Sprint(config.Quota),
	}
	if config.ProgressInterval > 0 {
		args = append(args, progress, config.ProgressInterval.String())
	}
	if config.NoSync {
		args = append(args, "--unsafe-no-fsync")
	}
	return args
}

// awaitProcess connects to an etcd as soon as it answers.
func awaitProcess(url string) (*etcd3.Client, error) {
	ctx, cancel := context.WithTimeout(context.Background(), startsWithin)
	defer cancel()
	for {
		client, err := etcd3.Dial(ctx, etcd3.DialConfig{Endpoints: []string{url}, Timeout: time.Second})
		if err == nil {
			if err = etcd3.Await(ctx, client, startsWithin); err == nil {
				return client, nil
			}
			err = errors.Join(err, client.Close())
		}
		if ctx.Err() != nil {
			return nil, err
		}
		time.Sleep(5 * time.Millisecond)
	}
}
