package audit

import (
	"bytes"
	"encoding/json"
	"errors"
	"io"
	"log/slog"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/prometheus/client_golang/prometheus"
	dto "github.com/prometheus/client_model/go"
)

// disk takes bytes while it has room, and otherwise as many as fit.
type disk struct {
	mu   sync.Mutex
	room int
	data bytes.Buffer
}

var errFull = errors.New("no space left on device")

func (d *disk) Write(p []byte) (int, error) {
	d.mu.Lock()
	defer d.mu.Unlock()
	n := min(len(p), d.room)
	d.data.Write(p[:n])
	d.room -= n
	if n < len(p) {
		return n, errFull
	}
	return n, nil
}

func (d *disk) makeRoom(n int) {
	d.mu.Lock()
	defer d.mu.Unlock()
	d.room += n
}

func (d *disk) lines() []string {
	d.mu.Lock()
	defer d.mu.Unlock()
	return strings.Split(strings.TrimSuffix(d.data.String(), "\n"), "\n")
}

func openOn(t *testing.T, out io.Writer, log io.Writer) *Log {
	t.Helper()
	l, err := Open(Config{
		Policy: &Policy{Rules: []Rule{{Level: LevelRequestResponse}}}, Registry: prometheus.NewRegistry(), Log: slog.New(slog.NewTextHandler(log, nil)),
		out: out, retry: time.Millisecond,
	})
	if err != nil {
		t.Fatal(err)
	}
	return l
}

func number(t *testing.T, c prometheus.Counter) float64 {
	t.Helper()
	var m dto.Metric
	if err := c.Write(&m); err != nil {
		t.Fatal(err)
	}
	return m.GetCounter().GetValue()
}

func record(l *Log, id string, body string) {
	r := l.Begin(Request{AuditID: id, Verb: "create", URI: "/x"})
	r.SetRequestObject([]byte(body))
	r.Emit(StageResponseComplete)
}

// TestNothingOfALineIsLost: the disk is full in the middle of a line, and has room again later.
func TestNothingOfALineIsLost(t *testing.T) {
	d := &disk{room: 100}
	var log lockedBuffer
	l := openOn(t, d, &log)
	for _, id := range []string{"a", "b", "c"} {
		record(l, id, `{"kind":"Pod"}`)
	}
	for !strings.Contains(log.String(), "can't be written") {
		time.Sleep(time.Millisecond)
	}
	d.makeRoom(1 << 20)
	if err := l.Close(); err != nil {
		t.Fatal(err)
	}
	lines := d.lines()
	if len(lines) != 3 {
		t.Fatalf("%d lines:\n%s", len(lines), strings.Join(lines, "\n"))
	}
	for i, line := range lines {
		var e Event
		if err := json.Unmarshal([]byte(line), &e); err != nil || e.AuditID != string("abc"[i]) || string(e.RequestObject) != `{"kind":"Pod"}` {
			t.Errorf("%v: %s", err, line)
		}
	}
}

// TestFullDiskBlocksNobody: what does not fit into the memory is dropped and counted.
func TestFullDiskBlocksNobody(t *testing.T) {
	d := &disk{}
	var log lockedBuffer
	l := openOn(t, d, &log)
	body := `"` + strings.Repeat("x", 1<<20) + `"`
	begun := time.Now()
	const n = 40
	for range n {
		record(l, "a", body)
	}
	if took := time.Since(begun); took > 20*time.Second {
		t.Errorf("%d events took %v", n, took)
	}
	dropped := number(t, l.failed)
	if dropped < n-2*maxPending>>20 || dropped >= n {
		t.Errorf("%v of %d were dropped", dropped, n)
	}
	if !strings.Contains(log.String(), "events are dropped") {
		t.Errorf("the log says nothing:\n%s", log.String())
	}
	err := l.Close()
	if !errors.Is(err, errFull) || number(t, l.failed) != n {
		t.Errorf("close: %v, dropped %v", err, number(t, l.failed))
	}
	record(l, "late", "{}")
	if got := number(t, l.failed); got != n+1 {
		t.Errorf("after the end: %v", got)
	}
}

// TestWriterThatBlocks: a pipe that nobody reads delays one request, and not for long.
func TestWriterThatBlocks(t *testing.T) {
	end := make(chan struct{})
	l := openOn(t, blocked(end), io.Discard)
	body := `"` + strings.Repeat("x", 1<<20) + `"`
	done := make(chan struct{})
	go func() {
		defer close(done)
		for range 100 {
			record(l, "a", body)
		}
	}()
	select {
	case <-done:
	case <-time.After(60 * time.Second):
		t.Fatal("blocked")
	}
	if number(t, l.failed) < 50 {
		t.Errorf("%v dropped", number(t, l.failed))
	}
	close(end)
	if err := l.Close(); err != nil {
		t.Error(err)
	}
}

type blocked chan struct{}

func (b blocked) Write(p []byte) (int, error) { <-b; return len(p), nil }

func TestLongBodiesAreLeftOut(t *testing.T) {
	d := &disk{room: 1 << 30}
	l := openOn(t, d, io.Discard)
	record(l, "a", `"`+strings.Repeat("x", maxLine)+`"`)
	if err := l.Close(); err != nil {
		t.Fatal(err)
	}
	var e Event
	if err := json.Unmarshal([]byte(d.lines()[0]), &e); err != nil || e.RequestObject != nil || e.Annotations[truncated] != "true" {
		t.Errorf("%v %+v", err, e)
	}
}

// TestRotation: files stay below the size, and only so many are kept.
func TestRotation(t *testing.T) {
	dir := t.TempDir()
	l, err := Open(Config{
		Policy: &Policy{Rules: []Rule{{Level: LevelRequest}}}, Path: filepath.Join(dir, "audit.log"), MaxSize: 1, MaxBackups: 1,
		Registry: prometheus.NewRegistry(), Log: slog.New(slog.DiscardHandler),
	})
	if err != nil {
		t.Fatal(err)
	}
	body := `"` + strings.Repeat("x", 100<<10) + `"`
	for range 40 {
		record(l, "a", body)
	}
	record(l, "long", `"`+strings.Repeat("x", 1<<20)+`"`)
	if err := l.Close(); err != nil {
		t.Fatal(err)
	}
	files, _ := filepath.Glob(filepath.Join(dir, "*"))
	if len(files) != 2 {
		t.Errorf("there are %q, want two", files)
	}
	for _, file := range files {
		data, err := os.ReadFile(file)
		if err != nil || len(data) > 1<<20 || len(data) == 0 {
			t.Errorf("%s: %d bytes, %v", file, len(data), err)
		}
		for line := range bytes.Lines(data) {
			if !json.Valid(line) {
				t.Errorf("%s: half a line", file)
			}
		}
	}
}

func TestOpenFails(t *testing.T) {
	if _, err := Open(Config{Path: "/nonexistent/audit.log", Registry: prometheus.NewRegistry(), Log: slog.Default()}); err == nil {
		t.Error("no error")
	}
}

func BenchmarkRecord(b *testing.B) {
	l, err := Open(Config{Registry: prometheus.NewRegistry(), Log: slog.New(slog.DiscardHandler), out: io.Discard})
	if err != nil {
		b.Fatal(err)
	}
	defer l.Close()
	for b.Loop() {
		r := l.Begin(Request{AuditID: "0", Verb: "create", URI: "/x", Object: &ObjectReference{Resource: "pods", Name: "a"}, User: User{Username: "admin", Groups: []string{"system:masters"}}})
		r.Emit(StageResponseComplete)
	}
}

type lockedBuffer struct {
	mu sync.Mutex
	b  bytes.Buffer
}

func (b *lockedBuffer) Write(p []byte) (int, error) {
	b.mu.Lock()
	defer b.mu.Unlock()
	return b.b.Write(p)
}

func (b *lockedBuffer) String() string {
	b.mu.Lock()
	defer b.mu.Unlock()
	return b.b.String()
}

// TestLittleRoom: where the disk is nearly full nothing is written, which is said once and counted;
// and it goes on when there is room.
func TestLittleRoom(t *testing.T) {
	out, said := &disk{room: 1 << 20}, new(bytes.Buffer)
	room := make(chan bool)
	l, err := Open(Config{
		Policy: &Policy{Rules: []Rule{{Level: LevelMetadata}}}, Registry: prometheus.NewRegistry(), Log: slog.New(slog.NewTextHandler(said, nil)),
		out: out, Room: func() bool { return <-room },
	})
	if err != nil {
		t.Fatal(err)
	}
	for _, has := range []bool{false, false, true} {
		l.Begin(Request{Verb: "create"}).Emit(StageResponseComplete)
		room <- has
	}
	if err := l.Close(); err != nil {
		t.Fatal(err)
	}
	var failed dto.Metric
	if err := l.failed.Write(&failed); err != nil || failed.Counter.GetValue() != 2 || len(out.lines()) != 1 {
		t.Errorf("%v dropped, %d written, %v", failed.Counter.GetValue(), len(out.lines()), err)
	}
	if strings.Count(said.String(), "little room") != 1 || strings.Count(said.String(), "room again") != 1 {
		t.Errorf("it said\n%s", said)
	}
}

// TestLinesAreGathered: a busy log is not written line by line, and what is written are still all
// lines.
func TestLinesAreGathered(t *testing.T) {
	out := new(counted)
	l, err := Open(Config{Registry: prometheus.NewRegistry(), Log: slog.New(slog.DiscardHandler), out: out})
	if err != nil {
		t.Fatal(err)
	}
	const lines = 500
	begun := time.Now()
	for range lines {
		l.Begin(Request{Verb: "create"}).Emit(StageResponseComplete)
	}
	if err := l.Close(); err != nil {
		t.Fatal(err)
	}
	most := int(time.Since(begun)/gather) + 2 + len(out.written)/(chunk/2)
	if n := bytes.Count(out.written, []byte("\n")); n != lines || out.writes > most {
		t.Errorf("%d lines in %d writes, want %d in %d at most", n, out.writes, lines, most)
	}
}

// counted counts writes.
type counted struct {
	writes  int
	written []byte
}

func (c *counted) Write(p []byte) (int, error) {
	c.writes++
	c.written = append(c.written, p...)
	return len(p), nil
}

// panicking panics at the first write.
type panicking struct {
	disk
	once sync.Once
}

func (p *panicking) Write(b []byte) (int, error) {
	p.once.Do(func() { panic("the disk is hostile") })
	return p.disk.Write(b)
}

// TestWriterThatPanics: the lines are written again.
func TestWriterThatPanics(t *testing.T) {
	p := &panicking{disk: disk{room: 1 << 20}}
	l := openOn(t, p, io.Discard)
	record(l, "a", `{"kind":"Pod"}`)
	for p.lines()[0] == "" {
		time.Sleep(time.Millisecond)
	}
	if err := l.Close(); err != nil {
		t.Fatal(err)
	}
	if lines := p.lines(); len(lines) != 1 || !strings.Contains(lines[0], `"auditID":"a"`) {
		t.Errorf("%q", lines)
	}
}
