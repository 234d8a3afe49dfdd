package embedded

import (
	"errors"
	"fmt"
	"log/slog"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/google/go-cmp/cmp"
	"go.uber.org/zap"
)

// logged starts a logger whose lines are returned without times and without all attributes but
// error and repeated.
func logged(t *testing.T) (*logger, func() []string) {
	t.Helper()
	var text strings.Builder
	l := newLogger(slog.New(slog.NewTextHandler(&text, &slog.HandlerOptions{ReplaceAttr: func(_ []string, a slog.Attr) slog.Attr {
		switch a.Key {
		case slog.LevelKey, slog.MessageKey, "error", "repeated":
			return a
		}
		return slog.Attr{}
	}})))
	return l, func() []string {
		synctest.Wait()
		lines := strings.Split(strings.TrimSpace(text.String()), "\n")
		text.Reset()
		if lines[0] == "" {
			return nil
		}
		return lines
	}
}

// TestRepeatedWarnings: the first of equal warnings is logged at once, the others with their count.
func TestRepeatedWarnings(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		l, logged := logged(t)
		want := func(lines ...string) {
			t.Helper()
			if diff := cmp.Diff(lines, logged()); diff != "" {
				t.Errorf("-want +got\n%s", diff)
			}
		}
		slow := func(n int) {
			for i := range n {
				l.zap.Warn("slow", zap.Duration("took", time.Duration(i)))
			}
		}
		slow(159)
		want(`level=WARN msg="etcd: slow"`)
		time.Sleep(repeatsEvery)
		want(`level=WARN msg="etcd: slow" repeated=158`)
		slow(2)
		want()
		time.Sleep(repeatsEvery)
		want(`level=WARN msg="etcd: slow" repeated=2`)
		time.Sleep(repeatsEvery)
		want()
		slow(1)
		want(`level=WARN msg="etcd: slow"`)

		for i := range 4 {
			l.zap.Warn("failed", zap.Error(fmt.Errorf("reason %d", i%2)))
		}
		want(`level=WARN msg="etcd: failed" error="reason 0"`, `level=WARN msg="etcd: failed" error="reason 1"`)
		l.zap.Error("slow")
		l.zap.Error("slow")
		want(`level=ERROR msg="etcd: slow"`, `level=ERROR msg="etcd: slow"`)
		l.close()
		want(`level=WARN msg="etcd: failed" error="reason 0" repeated=1`, `level=WARN msg="etcd: failed" error="reason 1" repeated=1`)
	})
}

// TestManyDifferentWarnings: what is remembered of them is bounded, and all are logged.
func TestManyDifferentWarnings(t *testing.T) {
	r := repeats{counts: map[string]*repeat{}}
	for i := range 2 * maxRepeats {
		if !r.first(record{message: "m"}, errors.New(fmt.Sprint(i))) {
			t.Fatalf("warning %d is taken for another one", i)
		}
	}
	if len(r.counts) > maxRepeats {
		t.Errorf("%d are remembered", len(r.counts))
	}
	r.take()
	if len(r.counts) > 0 {
		t.Errorf("%d are remembered although they were not repeated", len(r.counts))
	}
}
