package etcdproc

import (
	"bytes"
	"context"
	"crypto/tls"
	"crypto/x509"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"os"
	"strconv"
	"time"
)

const (
	pollEvery  = 20 * time.Millisecond
	askTimeout = 2 * time.Second
)

// status is what a member says of itself. Numbers are strings in etcd's JSON.
type status struct {
	Header struct {
		ID uint64 `json:"member_id,string"`
	} `json:"header"`
	Leader uint64 `json:"leader,string"`
	Term   uint64 `json:"raftTerm,string"`
}

func (m *Member) status(ctx context.Context) (status, error) {
	ctx, cancel := context.WithTimeout(ctx, askTimeout)
	defer cancel()
	var s status
	err := m.Call(ctx, "/v3/maintenance/status", struct{}{}, &s)
	return s, err
}

// learnID asks until the member answers, or ctx ends.
func (m *Member) learnID(ctx context.Context) error {
	for {
		s, err := m.status(ctx)
		if err == nil {
			m.id = s.Header.ID
			return nil
		}
		select {
		case <-ctx.Done():
			return err
		case <-time.After(pollEvery):
		}
	}
}

// Call asks the member through its JSON gateway
// (https://etcd.io/docs/v3.7/dev-guide/api_grpc_gateway), past the proxy: path is like
// /v3/kv/range; keys and values are []byte. What has already been sent is not taken back when ctx
// ends.
func (m *Member) Call(ctx context.Context, path string, request, answer any) error {
	body, err := json.Marshal(request)
	if err != nil {
		return fmt.Errorf("etcdproc: %s: %w", path, err)
	}
	return m.do(ctx, http.MethodPost, path, body, answer)
}

// health makes a linearizable read.
func (m *Member) health(ctx context.Context) error {
	ctx, cancel := context.WithTimeout(ctx, askTimeout)
	defer cancel()
	var answer struct{ Health, Reason string }
	if err := m.do(ctx, http.MethodGet, "/health", nil, &answer); err != nil {
		return err
	}
	if answer.Health != "true" {
		return fmt.Errorf("etcdproc: %s is not healthy: %s", m.name, answer.Reason)
	}
	return nil
}

func (m *Member) do(ctx context.Context, method, path string, body []byte, answer any) error {
	scheme := "http://"
	if m.cluster.config.TLS != nil {
		scheme = "https://"
	}
	req, err := http.NewRequestWithContext(ctx, method, scheme+"127.0.0.1"+path, bytes.NewReader(body))
	if err != nil {
		return fmt.Errorf("etcdproc: %w", err)
	}
	resp, err := m.http.Do(req)
	if err != nil {
		return fmt.Errorf("etcdproc: ask %s: %w", m.name, err)
	}
	defer resp.Body.Close()
	data, err := io.ReadAll(resp.Body)
	if err != nil {
		return fmt.Errorf("etcdproc: ask %s: %w", m.name, err)
	}
	if resp.StatusCode != http.StatusOK {
		return fmt.Errorf("etcdproc: %s answers %s to %s: %s", m.name, resp.Status, path, bytes.TrimSpace(data))
	}
	if err := json.Unmarshal(data, answer); err != nil {
		return fmt.Errorf("etcdproc: %s answers %s with %q: %w", m.name, path, data, err)
	}
	return nil
}

// newHTTPClient makes a client of a socket. A connection serves one request: one to a frozen
// process would keep the next request waiting after it.
func newHTTPClient(socket string, files *TLS) (*http.Client, error) {
	transport := &http.Transport{
		DisableKeepAlives: true,
		DialContext: func(ctx context.Context, _, _ string) (net.Conn, error) {
			return new(net.Dialer).DialContext(ctx, "unix", socket)
		},
	}
	if files != nil {
		ca, err := os.ReadFile(files.CAFile)
		if err != nil {
			return nil, err
		}
		pair, err := tls.LoadX509KeyPair(files.CertFile, files.KeyFile)
		if err != nil {
			return nil, err
		}
		pool := x509.NewCertPool()
		if !pool.AppendCertsFromPEM(ca) {
			return nil, errors.New("no certificate in " + files.CAFile)
		}
		transport.TLSClientConfig = &tls.Config{RootCAs: pool, Certificates: []tls.Certificate{pair}}
	}
	return &http.Client{Transport: transport}, nil
}

// memberID is how members name themselves to each other.
func memberID(id uint64) string { return strconv.FormatUint(id, 16) }
