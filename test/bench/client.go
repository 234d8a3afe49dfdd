package main

import (
	"bytes"
	"cmp"
	"compress/gzip"
	"context"
	"crypto/tls"
	"fmt"
	"io"
	"net/http"
	"sync/atomic"

	"github.com/klauspost/compress/zstd"
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

// What answers may be compressed by.
const (
	gzipCoding = "gzip"
	zstdCoding = "zstd"
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
	accepts      string // codings of the answer, which need not be compressed; coding goes before
	coding       string // what the answer must be compressed by; "": by nothing
}

// open sends a request and returns the answer, whose body is for the caller to close.
func (c *client) open(ctx context.Context, over *http.Client, r request) (*http.Response, error) {
	req, err := http.NewRequestWithContext(ctx, r.method, c.base+r.path, bytes.NewReader(r.body))
	if err != nil {
		return nil, err
	}
	req.Header.Set("User-Agent", "bench")
	req.Header.Set("Accept", r.accept)
	if codings := cmp.Or(r.coding, r.accepts); codings != "" {
		req.Header.Set("Accept-Encoding", codings)
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

// do sends a request and reads all of the answer, decompressed.
func (c *client) do(ctx context.Context, r request) ([]byte, error) {
	_, body, err := c.fetch(ctx, r)
	if err != nil || r.coding == "" {
		return body, err
	}
	return decompress(body, r.coding)
}

// fetch sends a request and returns the header of the answer, and its body as it came.
func (c *client) fetch(ctx context.Context, r request) (http.Header, []byte, error) {
	over := c.transports[c.next.Add(1)%connections]
	resp, err := c.open(ctx, over, r)
	if err != nil {
		return nil, nil, err
	}
	defer resp.Body.Close()
	if coding := resp.Header.Get("Content-Encoding"); coding != r.coding {
		return nil, nil, fmt.Errorf("%s %s: the answer has Content-Encoding %q, want %q", r.method, r.path, coding, r.coding)
	}
	var body bytes.Buffer
	if n := resp.ContentLength; n > 0 {
		body.Grow(int(n) + bytes.MinRead)
	}
	_, err = body.ReadFrom(resp.Body)
	return resp.Header, body.Bytes(), err
}

func decompress(body []byte, coding string) ([]byte, error) {
	if coding == zstdCoding {
		reader, err := zstd.NewReader(bytes.NewReader(body))
		if err != nil {
			return nil, err
		}
		defer reader.Close()
		return io.ReadAll(reader)
	}
	reader, err := gzip.NewReader(bytes.NewReader(body))
	if err != nil {
		return nil, err
	}
	return io.ReadAll(reader)
}
