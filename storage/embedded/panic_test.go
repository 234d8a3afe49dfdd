package embedded

import (
	"context"
	"log/slog"
	"strings"
	"sync"
	"testing"
	"time"

	"google.golang.org/grpc"

	"github.com/typeplane/typeplane/internal/recovery"
)

// hostileSink panics for records with a word.
type hostileSink struct{ sink }

func (s *hostileSink) Handle(ctx context.Context, r slog.Record) error {
	if strings.Contains(r.Message, "hostile") || strings.Contains(r.Message, "panicked") {
		panic("the log is hostile")
	}
	return s.sink.Handle(ctx, r)
}

// TestPanicOfLog: the record is lost, and the next one is written.
func TestPanicOfLog(t *testing.T) {
	s := &hostileSink{sink{gate: make(chan struct{})}}
	close(s.gate)
	l := newLogger(slog.New(s))
	l.say(slog.LevelError, "hostile")
	l.say(slog.LevelError, "good")
	l.close()
	if len(s.messages) != 1 || s.messages[0] != "etcd: good" {
		t.Errorf("%q", s.messages)
	}
}

// TestPanicOfRequest: a panic of etcd is an error of the request.
func TestPanicOfRequest(t *testing.T) {
	do := func(context.Context, int, ...grpc.CallOption) (int, error) { panic("the page is hostile") }
	_, err, ended := await(t.Context(), do, 1, nil, nil)
	if ended || err == nil || !strings.Contains(err.Error(), "the page is hostile") {
		t.Errorf("%v, %v", err, ended)
	}
}

// TestPanicOfFailedEtcd: an etcd that panics when it is read is not readable.
func TestPanicOfFailedEtcd(t *testing.T) {
	l := newLogger(nil)
	defer l.close()
	l.health.tryReading(func() { panic("the page is hostile") })
	if l.health.readable.Load() {
		t.Error("it is readable")
	}
}

// TestPanicOfKeepers: the space is measured again after a panic.
func TestPanicOfKeepers(t *testing.T) {
	l := newLogger(nil)
	defer l.close()
	hostile := &disk{log: l, free: func(string) (int64, error) { panic("the disk is hostile") }}
	keepers := map[string]func(context.Context){
		"etcd disk":  func(ctx context.Context) { hostile.keep(ctx, l.health) },
		"etcd space": (&keeper{log: l, every: time.Millisecond, done: make(chan struct{})}).run, // without etcd
	}
	for loop, run := range keepers {
		before := recovery.Panics()[loop]
		ctx, cancel := context.WithCancel(t.Context())
		var running sync.WaitGroup
		running.Go(func() { run(ctx) })
		until(t, loop+" panics twice", func() bool { return recovery.Panics()[loop] >= before+2 })
		cancel()
		running.Wait()
	}
}
