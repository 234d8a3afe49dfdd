package main

import (
	"bytes"
	"encoding/json"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"
)

// TestLeader runs two controllers: one acts, and the other does nothing until the first is gone.
// The server's audit log tells who wrote what.
func TestLeader(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	policy, log := filepath.Join(dir, "policy.yaml"), filepath.Join(dir, "audit.log")
	must(t, os.WriteFile(policy, []byte("apiVersion: audit.k8s.io/v1\nkind: Policy\nomitStages: [RequestReceived]\nrules: [{level: Metadata}]\n"), 0o600))
	s := startCluster(t, "--audit-policy-file", policy, "--audit-log-path", log)
	w := newWorld(t, s)
	scale := func(sizes ...int32) {
		t.Helper()
		for _, n := range sizes {
			must(t, w.scale(t.Context(), "plain", n))
			eventually(t, func() string { return w.differs(map[string]int32{"plain": n}) })
		}
	}

	first := startController(t, "first", s, "--leader-elect")
	must(t, w.Create(t.Context(), newRC("plain", 2)))
	scale(3)
	second := startController(t, "second", s, "--leader-elect")
	eventually(t, func() string {
		return says(!second.said("Attempting to acquire leader lease"), "the second one does not stand for election")
	})
	scale(6, 3, 8)
	killed := time.Now()
	first.kill()
	scale(12, 1)

	// The log is in order: what is not there when the last of this is, is not there at all.
	var writes []write
	eventually(t, func() string {
		writes = readWrites(t, log)
		made, deleted := 0, 0
		for _, w := range writes {
			if w.by == "second" && w.verb == "create pods" {
				made++
			}
			if w.by == "second" && w.verb == "delete pods" {
				deleted++
			}
		}
		return says(made < 4 || deleted < 11, "the second one has not made 4 pods and deleted 11")
	})
	acted := 0
	for _, w := range writes {
		switch {
		case w.by == "first":
			acted++
		case w.by == "second" && w.at.Before(killed):
			t.Errorf("the second one does %q while the first one leads", w.verb)
		}
	}
	if acted < 8 {
		t.Errorf("the first one wrote %d times", acted)
	}
}

// write is a change of pods, replication controllers or autoscalers.
type write struct {
	by, verb string // the program, and "create pods" for example
	at       time.Time
}

func readWrites(t *testing.T, log string) (writes []write) {
	t.Helper()
	text, err := os.ReadFile(log)
	must(t, err)
	for line := range bytes.Lines(text) {
		if !bytes.HasSuffix(line, []byte("\n")) {
			break // it is just being written
		}
		var event struct {
			Verb, UserAgent          string
			RequestReceivedTimestamp time.Time
			ObjectRef                struct{ Resource string }
		}
		must(t, json.Unmarshal(line, &event))
		switch event.Verb {
		case "create", "update", "patch", "delete":
		default:
			continue
		}
		switch event.ObjectRef.Resource {
		case "pods", "replicationcontrollers", "horizontalpodautoscalers":
			by, _, _ := strings.Cut(event.UserAgent, "/")
			writes = append(writes, write{by, event.Verb + " " + event.ObjectRef.Resource, event.RequestReceivedTimestamp})
		}
	}
	return writes
}
