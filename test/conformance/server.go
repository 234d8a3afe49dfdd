package main

import (
	"bufio"
	"context"
	"crypto/tls"
	"crypto/x509"
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

	"sigs.k8s.io/yaml"
)

// server is an examples/cluster that runs until it is closed.
type server struct {
	kubeconfig string
	cmd        *exec.Cmd
	log        *os.File
	url        string
	http       *http.Client
}

// serve starts one, in a directory of its own, and returns when it is ready.
func (w *workshop) serve(ctx context.Context, flags ...string) (*server, error) {
	dir, err := os.MkdirTemp(w.dir, "server")
	if err != nil {
		return nil, err
	}
	s := &server{kubeconfig: filepath.Join(dir, "data", "admin.kubeconfig")}
	if s.log, err = os.Create(filepath.Join(dir, "log")); err != nil {
		return nil, err
	}
	s.cmd = exec.Command(w.path("cluster"), append([]string{"--data-dir", filepath.Join(dir, "data"), "--secure-port", "0"}, flags...)...)
	s.cmd.Stderr = s.log
	stdout, err := s.cmd.StdoutPipe()
	if err != nil {
		return nil, err
	}
	if err := s.cmd.Start(); err != nil {
		return nil, err
	}
	if err := s.ready(ctx, stdout); err != nil {
		s.close()
		return nil, err
	}
	return s, nil
}

// ready waits until the server has said where its kubeconfig is, and then that it is ready.
func (s *server) ready(ctx context.Context, stdout io.Reader) error {
	lines := bufio.NewScanner(stdout)
	for lines.Scan() && !strings.HasPrefix(lines.Text(), "export KUBECONFIG=") {
	}
	go io.Copy(io.Discard, stdout)
	if err := s.connect(); err != nil {
		said, _ := os.ReadFile(s.log.Name())
		return fmt.Errorf("the server did not start: %w\n%s", err, tail(said))
	}
	ctx, cancel := context.WithTimeout(ctx, 2*time.Minute)
	defer cancel()
	for {
		_, err := s.get(ctx, "/readyz")
		if err == nil {
			return nil
		}
		select {
		case <-ctx.Done():
			return err
		case <-time.After(20 * time.Millisecond):
		}
	}
}

// connect makes a client of what the kubeconfig says.
func (s *server) connect() error {
	data, err := os.ReadFile(s.kubeconfig)
	if err != nil {
		return err
	}
	var config struct {
		Clusters []struct {
			Cluster struct {
				Server string `json:"server"`
				CA     []byte `json:"certificate-authority-data"`
			} `json:"cluster"`
		} `json:"clusters"`
		Users []struct {
			User struct {
				Certificate []byte `json:"client-certificate-data"`
				Key         []byte `json:"client-key-data"`
			} `json:"user"`
		} `json:"users"`
	}
	if err := yaml.Unmarshal(data, &config); err != nil {
		return err
	}
	cluster, user := config.Clusters[0].Cluster, config.Users[0].User
	certificate, err := tls.X509KeyPair(user.Certificate, user.Key)
	if err != nil {
		return err
	}
	authorities := x509.NewCertPool()
	authorities.AppendCertsFromPEM(cluster.CA)
	s.url = cluster.Server
	s.http = &http.Client{Transport: &http.Transport{TLSClientConfig: &tls.Config{RootCAs: authorities, Certificates: []tls.Certificate{certificate}}}}
	return nil
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
	r, err := http.NewRequestWithContext(ctx, method, s.url+path, strings.NewReader(body))
	if err != nil {
		return nil, err
	}
	if mediaType != "" {
		r.Header.Set("Content-Type", mediaType)
	}
	resp, err := s.http.Do(r)
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
	s.cmd.Process.Signal(syscall.SIGTERM)
	s.cmd.Wait()
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
