package main

import (
	"bufio"
	"bytes"
	"context"
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"net/http"
	"slices"
	"strconv"
	"sync"
	"sync/atomic"
	"time"

	"github.com/typeplane/typeplane/internal/drill"
	"github.com/typeplane/typeplane/test/bench/pods"
)

// streamsPerConnection is how many watchers of a crowd share a connection. The client is to cost
// little: it is on the same machine.
const streamsPerConnection = 1000

// crowdTimeout is how long a crowd may take for all events behind the last write.
const crowdTimeout = 5 * time.Minute

// crowdLoad is what a crowd watches, and how often that changes.
type crowdLoad struct {
	name  string
	path  func(i int) string // what watcher i watches
	sees  func(i, pod int) bool
	rates []int // writes in a second
}

func crowdLoads(nodes int) []crowdLoad {
	return []crowdLoad{
		{
			name:  "the pods of one node",
			path:  func(i int) string { return "&fieldSelector=spec.nodeName%3D" + pods.Node(i%nodes*pods.PerNode) },
			sees:  func(i, pod int) bool { return i%nodes == pod/pods.PerNode },
			rates: []int{steadyRate, 200},
		},
		{
			name:  "all pods",
			path:  func(int) string { return "" },
			sees:  func(int, int) bool { return true },
			rates: []int{1, 5, 20},
		},
	}
}

// crowds measures what many watchers of one resource hold in memory, and how late events come to
// them. That is from before the write to etcd until the client has read the event. Memory and CPU
// time are those of the server alone, but how late an event is depends on the client too.
func crowds(ctx context.Context, l *lab, out io.Writer) error {
	watchers, lasts := 10_000, 10*time.Second
	if l.short {
		watchers, lasts = 500, time.Second
	}
	b, err := l.seeded(ctx, "crowd", l.n)
	if err != nil {
		return err
	}
	defer b.stop()
	fmt.Fprintf(out, "### A crowd of %d watchers\n\n%d pods of %d bytes, watched as protobuf, %d watchers on a connection; writes for %v. Late is an event from before its write to etcd until the client has read it.\n\n", watchers, b.n, b.stored, streamsPerConnection, lasts)
	fmt.Fprint(out, "| each watches | KiB of memory for each | writes a second | events | CPU for each event | late, median | 99 of 100 | at most |\n|---|---|---|---|---|---|---|---|\n")
	for _, load := range crowdLoads(b.n / pods.PerNode) {
		if !l.rows.MatchString(load.name) {
			continue
		}
		if err := b.crowd(ctx, load, watchers, lasts, out); err != nil {
			return fmt.Errorf("%s: %w", load.name, err)
		}
	}
	fmt.Fprintln(out)
	drill.ManyWatchers.Count("watchers", watchers)
	return nil
}

// steadyRate is how many writes a second the scorecard of docs/reliability.md asks for.
const steadyRate = 50

// crowd measures one load, with a server of its own.
func (b *bench) crowd(ctx context.Context, load crowdLoad, watchers int, lasts time.Duration, out io.Writer) error {
	t, err := b.startOne(ctx, nameOurs, b.dir, "/ours", "--http2-max-streams-per-connection", strconv.Itoa(streamsPerConnection))
	if err != nil {
		return err
	}
	defer t.stop()
	before, err := t.released(ctx)
	if err != nil {
		return err
	}
	a := &audience{load: load, sent: make([]atomic.Int64, 1<<16)}
	defer a.leave()
	if err := a.come(ctx, t, watchers); err != nil {
		return err
	}
	if err := a.hear(ctx, t, 1, time.Second); err != nil { // so that everybody has sent something
		return err
	}
	after, err := t.released(ctx)
	if err != nil {
		return err
	}
	each := float64(after-before) * 1024 / float64(watchers)
	for _, rate := range load.rates {
		say("%d watchers of %s, %d writes a second", watchers, load.name, rate)
		begin, err := cpu(t.pid())
		if err != nil {
			return err
		}
		if err := a.hear(ctx, t, rate, lasts); err != nil {
			return err
		}
		end, err := cpu(t.pid())
		if err != nil {
			return err
		}
		late := a.late
		slices.Sort(late)
		at := func(percent int) time.Duration { return late[(len(late)-1)*percent/100] }
		drill.ManyWatchers.Size("memory of 1,000 watchers", int64(each*1024*1000))
		if rate == steadyRate {
			drill.ManyWatchers.Worst("99 % of events", at(99))
		}
		fmt.Fprintf(out, "| %s | %.1f | %d | %d | %s | %s | %s | %s |\n", load.name, each, rate, len(late), show((end-begin)/time.Duration(len(late))), show(at(50)), show(at(99)), show(at(100)))
	}
	return nil
}

// released is the resident memory of a process, in MiB, once it has given back what it does not
// need.
func (t *target) released(ctx context.Context) (int, error) {
	if err := t.ask(ctx, "/release", io.Discard); err != nil {
		return 0, err
	}
	return resident(t.pid())
}

// audience is a crowd of watchers, each of which notes when it hears of a write.
type audience struct {
	load      crowdLoad
	watchers  int
	cancel    context.CancelFunc
	following sync.WaitGroup
	over      []*http.Client
	failed    atomic.Pointer[error]

	writes int            // so far
	sent   []atomic.Int64 // when each of them was, in nanoseconds

	heard atomic.Int64 // events since the last call of hear
	mu    sync.Mutex   // guards late
	late  []time.Duration
}

// come opens the watches.
func (a *audience) come(ctx context.Context, t *target, watchers int) error {
	revision, err := t.revision(ctx)
	if err != nil {
		return err
	}
	a.watchers = watchers
	ctx, a.cancel = context.WithCancel(ctx)
	for i := range watchers {
		if i%streamsPerConnection == 0 {
			a.over = append(a.over, newTransport(t.tls))
		}
		r := request{method: "GET", path: "/api/v1/pods?watch=1&timeoutSeconds=3600&resourceVersion=" + revision + a.load.path(i), accept: protobufWatch}
		resp, err := t.client.open(ctx, a.over[len(a.over)-1], r)
		if err != nil {
			return err
		}
		a.following.Go(func() {
			defer resp.Body.Close()
			if err := a.follow(i, resp.Body); err != nil && ctx.Err() == nil {
				err = fmt.Errorf("watcher %d: %w", i, err)
				a.failed.Store(&err)
			}
		})
	}
	return nil
}

func (a *audience) leave() {
	if a.cancel != nil {
		a.cancel()
	}
	a.following.Wait()
	for _, over := range a.over {
		over.CloseIdleConnections()
	}
}

// follow reads the events of watcher i.
func (a *audience) follow(i int, body io.Reader) error {
	reader := bufio.NewReader(body)
	var frame []byte
	for last := -1; ; {
		var length [4]byte
		if _, err := io.ReadFull(reader, length[:]); err != nil {
			return err
		}
		frame = slices.Grow(frame[:0], int(binary.BigEndian.Uint32(length[:])))[:binary.BigEndian.Uint32(length[:])]
		if _, err := io.ReadFull(reader, frame); err != nil {
			return err
		}
		write, err := roundOf(frame)
		if err != nil {
			return err
		}
		if write <= last {
			return fmt.Errorf("write %d behind write %d", write, last)
		}
		last = write
		late := time.Duration(time.Now().UnixNano() - a.sent[write].Load())
		a.mu.Lock()
		a.late = append(a.late, late)
		a.mu.Unlock()
		a.heard.Add(1)
	}
}

// roundOf finds the annotation of a pod that says by which write it was changed.
func roundOf(frame []byte) (int, error) {
	_, rest, ok := bytes.Cut(frame, []byte(pods.Round+"\x12")) // the number of a value in a map
	if !ok || len(rest) == 0 || len(rest) <= int(rest[0]) {
		return 0, errors.New("an event says nothing of its round")
	}
	return strconv.Atoi(string(rest[1 : 1+rest[0]]))
}

// hear writes for a while, and waits until everybody has heard of what they can see, no more and no
// less.
func (a *audience) hear(ctx context.Context, t *target, rate int, lasts time.Duration) error {
	a.heard.Store(0)
	a.late = a.late[:0]
	var expected int64
	tick := time.NewTicker(time.Second / time.Duration(rate))
	defer tick.Stop()
	for range int(lasts.Seconds() * float64(rate)) {
		select {
		case <-tick.C:
		case <-ctx.Done():
			return context.Cause(ctx)
		}
		a.writes++
		pod := a.writes * 37 % t.n // of another node each time
		a.sent[a.writes].Store(time.Now().UnixNano())
		if err := t.seeder.behind(t.prefix)(ctx, pod, strconv.Itoa(a.writes), ""); err != nil {
			return err
		}
		for i := range a.watchers {
			if a.load.sees(i, pod) {
				expected++
			}
		}
	}
	for end := time.Now().Add(crowdTimeout); a.heard.Load() < expected; time.Sleep(10 * time.Millisecond) {
		if err := a.failed.Load(); err != nil {
			return *err
		}
		if time.Now().After(end) {
			return fmt.Errorf("%d of %d events came within %v", a.heard.Load(), expected, crowdTimeout)
		}
	}
	if got := a.heard.Load(); got != expected {
		return fmt.Errorf("%d events came, want %d", got, expected)
	}
	return nil
}
