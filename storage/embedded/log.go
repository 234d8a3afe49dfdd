package embedded

import (
	"context"
	"log/slog"
	"slices"
	"strings"
	"sync/atomic"
	"time"

	"go.uber.org/zap"
	"go.uber.org/zap/zapcore"

	"github.com/typeplane/typeplane/internal/recovery"
)

// logger passes etcd's warnings on to a slog.Logger through a queue. A log sink that blocks must
// not block etcd: it would stop answering reads and still look healthy.
type logger struct {
	zap     *zap.Logger
	to      *slog.Logger
	health  *health // is told what etcd can't go on after
	queue   chan record
	repeats repeats
	dropped atomic.Int64
	phase   atomic.Int32 // what isHarmless depends on
	stop    chan struct{}
	done    chan struct{}
}

type record struct {
	level   slog.Level
	message string
	attrs   []any
}

func newLogger(to *slog.Logger) *logger {
	l := &logger{to: to, queue: make(chan record, 256), repeats: repeats{counts: map[string]*repeat{}}, stop: make(chan struct{}), done: make(chan struct{})}
	if to == nil {
		l.to = slog.New(slog.DiscardHandler)
	}
	l.health = newHealth(l)
	l.zap = zap.New(core{log: l}, zap.WithFatalHook(l.health), zap.WithPanicHook(l.health))
	go l.run()
	return l
}

// settle ends the phase of starting, in a moment.
func (l *logger) settle() {
	time.AfterFunc(settleTime, func() { l.phase.CompareAndSwap(int32(starting), int32(running)) })
}

// end begins the phase of closing.
func (l *logger) end() {
	if !l.phase.CompareAndSwap(int32(starting), int32(hasty)) {
		l.phase.Store(int32(closing))
	}
}

// close waits until all is written, but not for a sink that blocks.
func (l *logger) close() {
	close(l.stop)
	select {
	case <-l.done:
	case <-time.After(time.Second):
	}
}

func (l *logger) run() {
	defer close(l.done)
	ticker := time.NewTicker(repeatsEvery)
	defer ticker.Stop()
	for {
		select {
		case r := <-l.queue:
			l.write(r)
		case <-ticker.C:
			l.writeRepeats()
		case <-l.stop:
			for len(l.queue) > 0 {
				l.write(<-l.queue)
			}
			l.writeRepeats()
			return
		}
	}
}

func (l *logger) writeRepeats() {
	for _, r := range l.repeats.take() {
		l.write(r)
	}
}

func (l *logger) write(r record) {
	_ = recovery.Object(l.to, "etcd log", "", func() {
		if n := l.dropped.Swap(0); n > 0 {
			l.to.Warn("etcd: log records were lost because the log blocked", "records", n)
		}
		l.to.Log(context.Background(), r.level, r.message, r.attrs...)
	})
}

// say passes on a record of our own, as if it were etcd's.
func (l *logger) say(level slog.Level, message string, attrs ...any) {
	select {
	case l.queue <- record{level: level, message: "etcd: " + message, attrs: attrs}:
	default:
		l.dropped.Add(1)
	}
}

// raised are records that etcd thinks little of and that are warnings to us, in words of our own.
var raised = map[string]string{
	"repaired": "the write-ahead log ended in the middle of a record, as after a power failure; it was cut there, and what was cut is beside it as *.broken",
}

// heralds are how records of the database begin which say of a commit that it failed. etcd fails of
// it, and health says all of that.
var heralds = []string{"writeAt failed", "writing data failed: ", "writeMeta failed: ", "growing db size failed, ", "Committing transaction failed: ", "[GOOS: "}

func isHerald(message string) bool {
	return slices.ContainsFunc(heralds, func(h string) bool { return strings.HasPrefix(message, h) })
}

// core is the zapcore.Core in front of the queue.
type core struct {
	log    *logger
	fields []zapcore.Field
}

func (c core) Enabled(level zapcore.Level) bool { return level >= zapcore.InfoLevel }

func (c core) With(fields []zapcore.Field) zapcore.Core {
	return core{log: c.log, fields: append(c.fields[:len(c.fields):len(c.fields)], fields...)}
}

func (c core) Check(e zapcore.Entry, ce *zapcore.CheckedEntry) *zapcore.CheckedEntry {
	// What is above errors is what etcd can't go on after: health says it. All that comes later are
	// echoes.
	if e.Level > zapcore.ErrorLevel || c.log.health.failure.Load() != nil {
		return ce
	}
	if isHerald(e.Message) {
		return ce
	}
	if e.Level >= zapcore.WarnLevel || raised[e.Message] != "" {
		return ce.AddCore(e, c)
	}
	return ce
}

func (c core) Write(e zapcore.Entry, fields []zapcore.Field) error {
	fields = append(c.fields[:len(c.fields):len(c.fields)], fields...)
	if isHarmless(phase(c.log.phase.Load()), e.Message, fields) {
		return nil
	}
	if text := raised[e.Message]; text != "" {
		e.Message = text
	}
	r := record{level: slog.LevelWarn, message: "etcd: " + e.Message}
	if e.Level >= zapcore.ErrorLevel {
		r.level = slog.LevelError
	}
	values := zapcore.NewMapObjectEncoder()
	for _, f := range fields {
		f.AddTo(values)
	}
	for k, v := range values.Fields {
		r.attrs = append(r.attrs, slog.Any(k, v))
	}
	if r.level < slog.LevelError && !c.log.repeats.first(r, errorOf(fields)) {
		return nil
	}
	select {
	case c.log.queue <- r:
	default:
		c.log.dropped.Add(1)
	}
	return nil
}

func (c core) Sync() error { return nil }
