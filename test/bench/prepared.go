package main

import (
	"context"
	"crypto/tls"
	"encoding/binary"
	"encoding/json"
	"os"
	"path/filepath"
	"strconv"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
)

// startReady starts the server of ready bytes, and gives it the answers of ours to all that the
// rows may ask.
func (b *bench) startReady(ctx context.Context, rows []row) error {
	port, err := freePort()
	if err != nil {
		return err
	}
	p, err := start(b.dir, b.bin, nameReady, true, "--port", strconv.Itoa(port), "--dir", b.dir)
	if err != nil {
		return err
	}
	t := &target{process: p, n: b.n}
	t.change = func(ctx context.Context, i int, round, accept string) error {
		frame, err := b.frame(i, round, accept)
		if err != nil {
			return err
		}
		_, err = t.client.do(ctx, request{method: "POST", path: everywhere, accept: accept, body: frame})
		return err
	}
	err = t.until(ctx, func(ctx context.Context) error {
		pem, err := os.ReadFile(filepath.Join(b.dir, "serving.crt"))
		if err != nil {
			return err
		}
		t.tls = &tls.Config{RootCAs: pool(pem)}
		t.client = newClient(port, t.tls)
		return t.learn(ctx, b.targets[0], []request{{method: "GET", path: newest, accept: asJSON}})
	})
	if err == nil {
		err = t.learnRows(ctx, b.targets[0], b.wanted(rows))
	}
	if err != nil {
		t.stop()
		return err
	}
	b.targets = append(b.targets, t)
	return nil
}

func (t *target) learnRows(ctx context.Context, from *target, rows []row) error {
	for _, r := range rows {
		if r.read == nil {
			continue
		}
		say("preparing: %s", r.name)
		if err := t.learn(ctx, from, r.read.requests(t.n)); err != nil {
			return err
		}
	}
	return nil
}

// learn puts the answers of another server to these requests into that of ready bytes.
func (t *target) learn(ctx context.Context, from *target, requests []request) error {
	r := row{name: "preparing answers", workers: 4}
	return r.repeat(ctx, t, func(ctx context.Context, t *target, i int) error {
		q := requests[i]
		header, body, err := from.client.fetch(ctx, q)
		if err != nil {
			return err
		}
		_, err = t.client.do(ctx, request{method: "PUT", path: q.path, accept: q.accept, accepts: q.coding, contentType: header.Get("Content-Type"), body: body})
		return err
	}, len(requests))
}

// frame is the event of a pod that was changed, as a watcher gets it.
func (b *bench) frame(i int, round, accept string) ([]byte, error) {
	form := protobuf
	if accept == asJSON {
		form = asJSON
	}
	pod := b.seeder.pod(i, round)
	pod.ResourceVersion = round
	object, err := encode(pod, form)
	if err != nil {
		return nil, err
	}
	event := metav1.WatchEvent{Type: "MODIFIED", Object: runtime.RawExtension{Raw: object}}
	if form == asJSON {
		line, err := json.Marshal(event)
		return append(line, '\n'), err
	}
	message, err := event.Marshal()
	return append(binary.BigEndian.AppendUint32(nil, uint32(len(message))), message...), err
}
