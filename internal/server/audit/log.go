package audit

import (
	"bytes"
	"cmp"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"os"
	"sync"
	"time"

	"github.com/prometheus/client_golang/prometheus"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/typeplane/typeplane/internal/recovery"
)

const (
	// maxPending is how many bytes of lines wait for the writer, at most.
	maxPending = 8 << 20
	// maxWait is how long a request waits for room among them, the first time that there is none.
	maxWait = 100 * time.Millisecond
	// retryEvery is the pause before a write is tried again that has failed.
	retryEvery = time.Second
	// maxLine is how long a line may be; a longer one goes without bodies.
	maxLine = 4 << 20
	// chunk is how much is written at once, in whole lines.
	chunk = 64 << 10
	// gather is how long lines wait for others, so that a busy log is not written line by line. To
	// wake the writer and to call the kernel for each line costs more than the line. A process that
	// is killed loses those of this time.
	gather = 50 * time.Millisecond
)

// truncated is the annotation of an event whose bodies were left out because they are too long.
const truncated = "audit.typeplane.io/truncated"

// Config says what is logged, and where.
type Config struct {
	// Policy is what is kept; nil: the DefaultPolicy.
	Policy *Policy
	// Path is the file, which is made if it is missing; "-" is the standard output.
	Path string
	// MaxSize is how many megabytes a file has before it is put aside, MaxBackups how many old ones
	// are kept, and MaxAge for how many days. 0 is 100 MB, all of them, and for ever.
	MaxSize, MaxBackups, MaxAge int
	// Room says whether there is room for more on the disk. While there is none events are dropped,
	// as when nothing can be written. It is asked before each write; nil always has room.
	Room func() bool
	// Registry takes the metrics; Log what goes wrong. Neither may be nil.
	Registry prometheus.Registerer
	Log      *slog.Logger

	out   io.Writer     // instead of Path, for tests
	retry time.Duration // instead of retryEvery, for tests
}

// Log writes events. It is safe for concurrent use.
type Log struct {
	policy *Policy
	out    io.Writer
	closer func() error
	retry  time.Duration
	room   func() bool
	full   bool // there was no room the last time; only the writer's
	// maxLine is never more than a file may have.
	maxLine int
	log     *slog.Logger

	events prometheus.Counter
	levels *prometheus.CounterVec
	failed prometheus.Counter

	mu      sync.Mutex // guards what follows
	pending []byte     // whole lines
	spare   []byte     // the room of the lines that were taken last; only for take
	stuck   bool       // the writer makes no progress
	closed  bool
	dropped int           // since the writer made progress
	moved   chan struct{} // closed, and made anew, when the writer makes room

	wake, many, stop, done chan struct{} // many: there is a chunk
	lost                   error         // what could not be written at the end
}

// Open begins a log. Close must follow. An error means that the file can't be written.
func Open(config Config) (*Log, error) {
	l := &Log{
		policy: config.Policy, room: config.Room, maxLine: maxLine, log: config.Log, retry: config.retry, closer: func() error { return nil },
		events: prometheus.NewCounter(prometheus.CounterOpts{Name: "apiserver_audit_event_total", Help: "Events that were made for the audit log."}),
		levels: prometheus.NewCounterVec(prometheus.CounterOpts{Name: "apiserver_audit_level_total", Help: "Requests by the level that the policy has for them."}, []string{"level"}),
		moved:  make(chan struct{}), wake: make(chan struct{}, 1), many: make(chan struct{}, 1), stop: make(chan struct{}), done: make(chan struct{}),
	}
	failed := prometheus.NewCounterVec(prometheus.CounterOpts{Name: "apiserver_audit_error_total", Help: "Events that were dropped, because they could not be written in time."}, []string{"plugin"})
	l.failed = failed.WithLabelValues("log")
	if l.policy == nil {
		l.policy = DefaultPolicy()
	}
	if l.retry == 0 {
		l.retry = retryEvery
	}
	switch {
	case config.out != nil:
		l.out = config.out
	case config.Path == "-":
		l.out = os.Stdout
	default:
		file, err := openFile(config)
		if err != nil {
			return nil, err
		}
		l.out, l.closer = file, file.Close
		if config.MaxSize > 0 {
			l.maxLine = min(maxLine, config.MaxSize<<20)
		}
	}
	config.Registry.MustRegister(l.events, l.levels, failed)
	go l.write()
	return l, nil
}

// openFile finds out at the start whether the file can be written.
func openFile(config Config) (*file, error) {
	const megabytes, day = 100, 24 * time.Hour
	f := &file{path: config.Path, maxSize: int64(cmp.Or(config.MaxSize, megabytes)) << 20, backups: config.MaxBackups, maxAge: time.Duration(config.MaxAge) * day}
	return f, f.open()
}

// Request is what is known of a request at its begin.
type Request struct {
	AuditID, URI, Verb string
	// Path is the URI without its query; Object is nil where that is not the path of a resource.
	Path      string
	Object    *ObjectReference
	User      User
	SourceIPs []string
	UserAgent string
	Received  time.Time
}

// Begin decides how much is kept of a request: nil is nothing. The caller emits the Record.
func (l *Log) Begin(req Request) *Record {
	d := l.policy.decide(&req)
	l.levels.WithLabelValues(string(d.level)).Inc()
	if d.level == LevelNone {
		return nil
	}
	return l.record(req, d)
}

func (l *Log) record(req Request, d decision) *Record {
	return &Record{log: l, decision: d, event: Event{
		Kind: "Event", APIVersion: "audit.k8s.io/v1", Level: d.level, AuditID: req.AuditID, RequestURI: req.URI, Verb: req.Verb,
		User: req.User, SourceIPs: req.SourceIPs, UserAgent: req.UserAgent, ObjectRef: req.Object,
		RequestReceivedTimestamp: metav1.NewMicroTime(req.Received),
	}}
}

// Refused begins the record of a request that nothing was kept of, and that was refused for lack of
// credentials or of rights. There may be none to begin: only the default policy decides by the
// outcome.
func (l *Log) Refused(req Request) *Record {
	if !l.policy.refusals {
		return nil
	}
	return l.record(req, decision{level: LevelMetadata, quiet: req.delicate()})
}

// buffers are for lines on their way to the writer.
var buffers = sync.Pool{New: func() any { return new([]byte) }}

// maxPooled is how large a buffer may be that is kept for the next line.
const maxPooled = 64 << 10

// emit encodes an event and gives it to the writer.
func (l *Log) emit(e *Event) {
	l.events.Inc()
	buffer := buffers.Get().(*[]byte)
	line, err := appendEvent((*buffer)[:0], e)
	if err != nil || len(line) >= l.maxLine {
		short := *e
		short.RequestObject, short.ResponseObject = nil, nil
		short.Annotations = map[string]string{truncated: "true"}
		line, err = appendEvent(line[:0], &short)
	}
	if err != nil {
		l.failed.Inc()
		l.log.Error("an audit event can't be encoded", "auditID", e.AuditID, "error", err)
		return
	}
	line = append(line, '\n')
	l.enqueue(line)
	if cap(line) <= maxPooled {
		*buffer = line
		buffers.Put(buffer)
	}
}

// enqueue waits once, for maxWait at most: after that the writer counts as stuck until it moves.
func (l *Log) enqueue(line []byte) {
	l.mu.Lock()
	defer l.mu.Unlock()
	if !l.fits(line) && !l.stuck && !l.closed {
		moved := l.moved
		l.mu.Unlock()
		timer := time.NewTimer(maxWait)
		select {
		case <-moved:
		case <-timer.C:
		}
		timer.Stop()
		l.mu.Lock()
	}
	if l.closed || !l.fits(line) {
		l.stuck = true
		l.drop()
		return
	}
	first := len(l.pending) == 0
	l.pending = append(l.pending, line...)
	if first {
		signal(l.wake)
	}
	if len(l.pending) >= chunk {
		signal(l.many)
	}
}

// signal wakes who waits, or will wait.
func signal(c chan struct{}) {
	select {
	case c <- struct{}{}:
	default:
	}
}

func (l *Log) fits(line []byte) bool { return len(l.pending)+len(line) <= maxPending }

func (l *Log) drop() {
	l.failed.Inc()
	if l.dropped++; l.dropped == 1 {
		l.log.Error("the audit log is not written fast enough, or not at all: events are dropped from now on")
	}
}

// write is the goroutine that writes.
func (l *Log) write() {
	defer close(l.done)
	for {
		last := false
		select {
		case <-l.wake:
			last = !l.gather()
		case <-l.stop:
			last = true
		}
		if l.lost = l.writePending(last); last || l.lost != nil {
			return
		}
	}
}

// gather waits for more lines, unless there are many. False means that the log is closed meanwhile.
func (l *Log) gather() bool {
	timer := time.NewTimer(gather)
	defer timer.Stop()
	select {
	case <-timer.C:
	case <-l.many:
	case <-l.stop:
		return false
	}
	return true
}

// writePending writes the lines that wait now, and tries again what fails; the last time it gives
// up instead. Lines that come meanwhile wake the writer again, and are gathered too.
func (l *Log) writePending(last bool) error {
	lines := l.take()
	if len(lines) == 0 {
		return nil
	}
	if !l.hasRoom() {
		l.failed.Add(float64(bytes.Count(lines, []byte("\n"))))
		l.progress()
		return nil
	}
	for len(lines) > 0 {
		n, err := l.put(lines[:wholeLines(lines)])
		lines = lines[n:]
		if err == nil {
			l.progress()
			continue
		}
		if last {
			return l.giveUp(lines, err)
		}
		last = !l.pause(err)
	}
	return nil
}

// put writes lines. A panic is an error, so the lines are written again.
func (l *Log) put(lines []byte) (n int, err error) {
	err = recovery.Call(l.log, "audit log", "", func() (err error) {
		n, err = l.out.Write(lines)
		return err
	})
	return n, err
}

// take returns the lines that wait. They are valid until the next call, for two buffers take turns.
func (l *Log) take() []byte {
	l.mu.Lock()
	defer l.mu.Unlock()
	select {
	case <-l.many: // said of the lines that are taken now
	default:
	}
	lines, room := l.pending, l.spare[:0]
	if cap(lines) > 4*chunk { // of a busy time
		l.spare = nil
	} else {
		l.spare = lines
	}
	l.pending = room
	return lines
}

// hasRoom says so when the log stops for lack of room, and when it goes on.
func (l *Log) hasRoom() bool {
	was := l.full
	l.full = l.room != nil && !l.room()
	switch {
	case l.full && !was:
		l.log.Error("the disk has little room left: events of the audit log are dropped until there is more, for the database comes first")
	case was && !l.full:
		l.log.Warn("the disk has room again: the audit log is written again")
	}
	return !l.full
}

// wholeLines is how much of the lines is written at once: about a chunk, or one line that is
// longer.
func wholeLines(lines []byte) int {
	if len(lines) <= chunk {
		return len(lines)
	}
	if end := bytes.LastIndexByte(lines[:chunk], '\n'); end >= 0 {
		return end + 1
	}
	return bytes.IndexByte(lines, '\n') + 1
}

// progress lets in those who wait for room.
func (l *Log) progress() {
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.dropped > 0 {
		l.log.Warn("the audit log is written again", "dropped", l.dropped)
	}
	l.stuck, l.dropped = false, 0
	close(l.moved)
	l.moved = make(chan struct{})
}

// pause waits before the next try; false means that the log is closed meanwhile.
func (l *Log) pause(err error) bool {
	l.mu.Lock()
	first := !l.stuck
	l.stuck = true
	l.mu.Unlock()
	if first {
		l.log.Error("the audit log can't be written; it is tried again until it can", "error", err)
	}
	select {
	case <-time.After(l.retry):
		return true
	case <-l.stop:
		return false
	}
}

func (l *Log) giveUp(lines []byte, err error) error {
	l.mu.Lock()
	defer l.mu.Unlock()
	n := bytes.Count(lines, []byte("\n")) + bytes.Count(l.pending, []byte("\n"))
	l.failed.Add(float64(n))
	l.lost = fmt.Errorf("the audit log: %d events are lost: %w", n, err)
	return l.lost
}

// closeTimeout bounds how long Close waits for a write, for nobody may read the standard output.
const closeTimeout = 5 * time.Second

// Close writes what is left and returns an error if that is impossible. Events that come later are
// dropped.
func (l *Log) Close() error {
	l.mu.Lock()
	already := l.closed
	l.closed = true
	l.mu.Unlock()
	if already {
		return nil
	}
	close(l.stop)
	select {
	case <-l.done:
		return errors.Join(l.lost, l.closer())
	case <-time.After(closeTimeout):
		return errors.New("the audit log: nothing takes its last lines")
	}
}
