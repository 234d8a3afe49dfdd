package main

import (
	"bytes"
	"compress/gzip"
	"context"
	"crypto/tls"
	"fmt"
	"io"
	"net/http"
	"sync/atomic"
)

// Media types, as clients ask for them.
const (
	protobuf      = "application/vnd.kubernetes.protobuf"
	protobufWatch = protobuf + ";stream=watch"
	asJSON        = "application/json"
	asTable       = "application/json;as=Table;v=v1;g=meta.k8s.io"
	mergePatch    = "application/merge-patch+json"
	applyPatch    = "application/apply-patch+yaml"
)

// connections is how many connections to a server there are, which requests use in turn.
const connections = 4

// client speaks HTTP/2 over TLS with one server, uncompressed unless a request says otherwise.
type client struct {
	base       string
	transports []*http.Client
	next       atomic.Int64
}

func newClient(port int, config *tls.Config) *client {
	c := &client{base: fmt.Sprintf("https://127.0.0.1:%d", port)}
	for range connections {
		c.transports = append(c.transports, newTransport(config))
	}
	return c
}

// newTransport is one connection.
func newTransport(config *tls.Config) *http.Client {
	return &http.Client{Transport: &http.Transport{TLSClientConfig: config, ForceAttemptHTTP2: true, DisableCompression: true}}
}

// statusError is an answer that is not a success.
type statusError struct {
	code int
	text string
}

func (e *statusError) Error() string { return e.text }

// request is what a client sends.
type request struct {
	method, path string
	accept       string
	contentType  string
	body         []byte
	gzip         bool // the answer must come compressed
}

// open sends a request and returns the answer, whose body is for the caller to close.
func (c *client) open(ctx context.Context, over *http.Client, r request) (*http.Response, error) {
	req, err := http.NewRequestWithContext(ctx, r.method, c.base+r.path, bytes.NewReader(r.body))
	if err != nil {
		return nil, err
	}
	req.Header.Set("User-Agent", "bench")
	req.Header.Set("Accept", r.accept)
	if r.gzip {
		req.Header.Set("Accept-Encoding", "gzip")
	}
	if r.body != nil {
		req.Header.Set("Content-Type", r.contentType)
	}
	resp, err := over.Do(req)
	if err != nil {
		return nil, err
	}
	if resp.ProtoMajor != 2 {
		resp.Body.Close()
		return nil, fmt.Errorf("%s %s: answered in %s, want HTTP/2", r.method, r.path, resp.Proto)
	}
	if resp.StatusCode/100 != 2 {
		defer resp.Body.Close()
		text, _ := io.ReadAll(io.LimitReader(resp.Body, 1<<10))
		return nil, &statusError{resp.StatusCode, fmt.Sprintf("%s %s: %s: %.300q", r.method, r.path, resp.Status, text)}
	}
	return resp, nil
}

// do sends a request and reads all of the answer.
func (c *client) do(ctx context.Context, r request) ([]byte, error) {
	over := c.transports[c.next.Add(1)%connections]
	resp, err := c.open(ctx, over, r)
	if err != nil {
		return nil, err
	}
	defer resp.Body.Close()
	if r.gzip {
		return unzipped(resp)
	}
	var body bytes.Buffer
	if n := resp.ContentLength; n > 0 {
		body.Grow(int(n) + bytes.MinRead)
	}
	_, err = body.ReadFrom(resp.Body)
	return body.Bytes(), err
}

// unzipped reads an answer that must be compressed.
func unzipped(resp *http.Response) ([]byte, error) {
	if coding := resp.Header.Get("Content-Encoding"); coding != "gzip" {
		return nil, fmt.Errorf("the answer has Content-Encoding %q, want gzip", coding)
	}
	reader, err := gzip.NewReader(resp.Body)
	if err != nil {
		return nil, err
	}
	return io.ReadAll(reader)
}
