package embedded

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"net"
	"sync"
	"testing"
	"time"

	"go.uber.org/zap"
)

// sink is a slog.Handler that can block.
type sink struct {
	mu       sync.Mutex
	gate     chan struct{}
	messages []string
}

func (s *sink) Enabled(context.Context, slog.Level) bool { return true }
func (s *sink) WithAttrs([]slog.Attr) slog.Handler       { return s }
func (s *sink) WithGroup(string) slog.Handler            { return s }
func (s *sink) Handle(_ context.Context, r slog.Record) error {
	<-s.gate
	s.mu.Lock()
	defer s.mu.Unlock()
	s.messages = append(s.messages, r.Message)
	return nil
}

func TestBlockedLogBlocksNobody(t *testing.T) {
	s := &sink{gate: make(chan struct{})}
	l := newLogger(slog.New(s))
	begin := time.Now()
	for i := range 2000 {
		l.zap.Warn("slow disk", zap.Error(fmt.Errorf("reason %d", i)))
	}
	l.zap.Info("not interesting")
	if took := time.Since(begin); took > time.Minute {
		t.Errorf("2000 warnings took %v", took)
	}
	close(s.gate)
	l.zap.Error("last") // it may be among the lost ones
	l.close()
	s.mu.Lock()
	defer s.mu.Unlock()
	lost, info := false, false
	for _, m := range s.messages {
		lost = lost || m == "etcd: log records were lost because the log blocked"
		info = info || m == "etcd: not interesting"
	}
	if !lost || info || len(s.messages) < 100 {
		t.Errorf("%d messages, lost ones said: %v, info passed: %v", len(s.messages), lost, info)
	}
}

// What is harmless at one time is news at another, and with another error.
func TestHarmlessInItsPlaceOnly(t *testing.T) {
	const serving, schema, token = "setting up serving from embedded etcd failed.", "failed to update storage version", "simple token is not cryptographically signed"
	gone := errors.New("cannot detect storage schema version: missing term information")
	for _, tc := range []struct {
		phase   phase
		message string
		err     error
		want    bool
	}{
		{starting, token, nil, true},
		{running, token, nil, false},
		{starting, schema, gone, true},
		{running, schema, gone, false},
		{starting, schema, errors.New("disk I/O error"), false},
		{starting, schema, nil, false},
		{closing, serving, fmt.Errorf("accept: %w", net.ErrClosed), true},
		{closing, serving, errors.New("mux: server closed"), true},
		{closing, serving, errors.New("http: Server closed"), true},
		{closing, serving, errors.New("too many open files"), false},
		{running, serving, net.ErrClosed, false},
		{starting, serving, errors.New("address already in use"), false},
		{running, "alarm raised", nil, false},
		{closing, schema, gone, false},
		{hasty, schema, gone, true},
		{hasty, serving, net.ErrClosed, true},
		{hasty, schema, errors.New("disk I/O error"), false},
	} {
		var fields []zap.Field
		if tc.err != nil {
			fields = []zap.Field{zap.String("cluster-version", "3.7.0"), zap.Error(tc.err)}
		}
		if got := isHarmless(tc.phase, tc.message, fields); got != tc.want {
			t.Errorf("phase %d, %q, %v: %t", tc.phase, tc.message, tc.err, got)
		}
	}
}
