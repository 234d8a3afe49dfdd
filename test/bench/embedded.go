package main

import (
	"context"
	"crypto/tls"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strconv"
	"time"

	"github.com/typeplane/typeplane/test/bench/pods"
)

// embedded measures how long our server takes to be ready when etcd is inside it. The peer has no
// such thing.
func embedded(ctx context.Context, l *lab, out io.Writer) error {
	dir, err := l.place("embedded")
	if err != nil {
		return err
	}
	var empty, full embeddedStarts
	for round := range l.rounds {
		data := filepath.Join(dir, "empty"+strconv.Itoa(round))
		say("embedded etcd, empty, round %d of %d", round+1, l.rounds)
		if err := l.startEmbedded(ctx, dir, data, &empty, nil); err != nil {
			return err
		}
		if err := os.RemoveAll(data); err != nil {
			return err
		}
	}
	data := filepath.Join(dir, "full")
	say("embedded etcd, creating %d pods", l.n)
	if err := l.startEmbedded(ctx, dir, data, new(embeddedStarts), func(ctx context.Context, t *target) error {
		r := row{name: "filling the embedded etcd", workers: 8}
		return r.repeat(ctx, t, insert, l.n)
	}); err != nil {
		return err
	}
	for round := range l.rounds {
		say("embedded etcd, %d pods, round %d of %d", l.n, round+1, l.rounds)
		if err := l.startEmbedded(ctx, dir, data, &full, func(ctx context.Context, t *target) error {
			return listed(ctx, t, request{path: "/api/v1/pods", accept: protobuf}, l.n)
		}); err != nil {
			return err
		}
	}
	fmt.Fprint(out, "### Start with the embedded etcd\n\nFrom the start of the process to `/readyz` saying ok; CPU time and resident memory of server and etcd at that time. An empty one makes its keys and certificates as well.\n\n")
	fmt.Fprint(out, "| | ready after | at most | CPU | MiB |\n|---|---|---|---|---|\n")
	fmt.Fprintf(out, "| empty | %s | 500 ms | %s | %d |\n", span(empty.ready, true), span(empty.cpu, false), middle(empty.mib))
	most := "–"
	if l.n == 10_000 {
		most = "1.00 s"
	}
	fmt.Fprintf(out, "| %d pods | %s | %s | %s | %d |\n\n", l.n, span(full.ready, true), most, span(full.cpu, false), middle(full.mib))
	return nil
}

// embeddedStarts are what several of them took.
type embeddedStarts struct {
	ready, cpu []time.Duration
	mib        []int
}

// startEmbedded starts the server over a data directory, adds what that took to s, calls then,
// which may be nil, and stops the server.
func (l *lab) startEmbedded(ctx context.Context, dir, data string, s *embeddedStarts, then func(context.Context, *target) error) error {
	port, err := freePort()
	if err != nil {
		return err
	}
	p, err := start(dir, l.bin, "ours", true, "--secure-port", strconv.Itoa(port), "--data-dir", data, "--storage-migration-rate", "0")
	if err != nil {
		return err
	}
	defer p.stop()
	// Who may ask and whom to trust is written while the server starts; a probe cares for neither.
	health := &target{process: p, client: newClient(port, &tls.Config{InsecureSkipVerify: true})}
	if err := p.until(ctx, func(ctx context.Context) error {
		_, err := health.client.do(ctx, request{method: "GET", path: "/readyz", accept: "text/plain"})
		return err
	}); err != nil {
		return err
	}
	s.ready = append(s.ready, time.Since(p.begun))
	spent, err := cpu(p.pid())
	if err != nil {
		return err
	}
	mib, err := resident(p.pid())
	if err != nil {
		return err
	}
	s.cpu, s.mib = append(s.cpu, spent), append(s.mib, mib)
	if then == nil {
		return nil
	}
	config, err := adminTLS(filepath.Join(data, "admin.kubeconfig"))
	if err != nil {
		return err
	}
	return then(ctx, &target{process: p, client: newClient(port, config)})
}

// insert creates the pod with number i, with its status.
func insert(ctx context.Context, t *target, i int) error {
	pod := pods.Stored(i)
	pod.UID, pod.ResourceVersion = "", ""
	body, err := encode(pod, protobuf)
	if err != nil {
		return err
	}
	_, err = t.client.do(ctx, request{method: "POST", path: path(pod.Namespace, ""), accept: protobuf, contentType: protobuf, body: body})
	return err
}
