package main

import (
	"bytes"
	"context"
	"net/http"
	"net/http/httptrace"

	"github.com/typeplane/typeplane/internal/testserver"
)

// entrance is where a client sends its requests: to one server, or to the balancer before all.
type entrance struct {
	url      string
	client   *http.Client
	number   int                  // of the server
	balancer *testserver.Balancer // nil without one
}

// through is an entrance by a balancer, with connections of its own. Every server takes the same
// clients, so of is any of them.
func through(balancer *testserver.Balancer, of entrance) *entrance {
	transport := of.client.Transport.(*http.Transport).Clone()
	return &entrance{url: balancer.URL, client: &http.Client{Transport: transport}, balancer: balancer}
}

// leave closes the connections of a balancer's client: the next request may go to another server.
func (e *entrance) leave() {
	if e.balancer != nil {
		e.client.CloseIdleConnections()
	}
}

// nobody is the number of the server that answers when none does.
const nobody = -1

// open sends a request, and returns when the answer begins, with the number of the server that it
// came to.
func (e *entrance) open(ctx context.Context, r request) (resp *http.Response, server int, err error) {
	target := e.url + r.path
	if len(r.query) > 0 {
		target += "?" + r.query.Encode()
	}
	server = e.number
	if e.balancer != nil {
		server = nobody
		ctx = httptrace.WithClientTrace(ctx, &httptrace.ClientTrace{GotConn: func(info httptrace.GotConnInfo) {
			if n, ok := e.balancer.Behind(info.Conn.LocalAddr()); ok {
				server = n
			}
		}})
	}
	req, err := http.NewRequestWithContext(ctx, r.method, target, bytes.NewReader(r.body))
	if err != nil {
		return nil, nobody, err
	}
	if r.contentType != "" {
		req.Header.Set("Content-Type", r.contentType)
	}
	if r.accept != "" {
		req.Header.Set("Accept", r.accept)
	}
	resp, err = e.client.Do(req)
	return resp, server, err
}
