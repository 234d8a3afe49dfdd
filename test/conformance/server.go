package main

import (
	"context"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"
	"time"

	"github.com/typeplane/typeplane/internal/testserver"
)

// server is an examples/cluster that runs until it is closed.
type server struct {
	*testserver.Process
	log *os.File
}

// serve starts one, in a directory of its own, and returns when it is ready.
func (w *workshop) serve(ctx context.Context, flags ...string) (*server, error) {
	dir, err := os.MkdirTemp(w.dir, "server")
	if err != nil {
		return nil, err
	}
	s := new(server)
	if s.log, err = os.Create(filepath.Join(dir, "log")); err != nil {
		return nil, err
	}
	cmd := exec.Command(w.path("cluster"), append([]string{"--data-dir", filepath.Join(dir, "data"), "--secure-port", "0"}, flags...)...)
	cmd.Stderr = s.log
	ctx, cancel := context.WithTimeout(ctx, 2*time.Minute)
	defer cancel()
	if s.Process, err = testserver.Start(ctx, cmd); err != nil {
		s.log.Close()
		said, _ := os.ReadFile(s.log.Name())
		return nil, fmt.Errorf("%w\n%s", err, tail(said))
	}
	return s, nil
}

// get reads a path. An answer other than 200 is an error with its status.
func (s *server) get(ctx context.Context, path string) ([]byte, error) {
	return s.ask(ctx, http.MethodGet, path, "", "")
}

// object reads one as JSON.
func (s *server) object(ctx context.Context, path string) (object, error) {
	data, err := s.get(ctx, path)
	if err != nil {
		return nil, err
	}
	var o object
	return o, json.Unmarshal(data, &o)
}

// ask sends a body of a media type, or none.
func (s *server) ask(ctx context.Context, method, path, mediaType, body string) ([]byte, error) {
	r, err := http.NewRequestWithContext(ctx, method, s.URL+path, strings.NewReader(body))
	if err != nil {
		return nil, err
	}
	if mediaType != "" {
		r.Header.Set("Content-Type", mediaType)
	}
	resp, err := s.Client.Do(r)
	if err != nil {
		return nil, err
	}
	defer resp.Body.Close()
	answer, err := io.ReadAll(resp.Body)
	if err != nil {
		return nil, err
	}
	if resp.StatusCode >= 300 {
		return nil, fmt.Errorf("%s %s: %s: %s", method, path, resp.Status, answer)
	}
	return answer, nil
}

// close stops the server, and returns when it has ended.
func (s *server) close() {
	s.Cmd.Process.Signal(syscall.SIGTERM)
	<-s.Ended()
	s.log.Close()
}

// object is one as JSON says it.
type object map[string]any

// at is what stands at a path of fields, nil if nothing does.
func (o object) at(fields ...string) any {
	var here any = map[string]any(o)
	for _, f := range fields {
		m, _ := here.(map[string]any)
		here = m[f]
	}
	return here
}
