package cluster

import (
	"context"
	"encoding/json"
	"fmt"
	"net/http"
	"slices"
	"strconv"
	"strings"
	"sync"
	"testing"
	"time"
)

const (
	books = "/apis/library.example.com/v1/namespaces/default/books"
	// hot is how many books are updated and read; the others are created once. So many that those
	// who wait for an etcd to come back don't stand in each other's way for long.
	hot = 20
	// every is how often one operation of each kind begins, whether or not the last one has ended.
	every = 50 * time.Millisecond
	// calm is how long there must have been no trouble until it is over.
	calm = 2500 * time.Millisecond
)

// slow is what counts as trouble, as a failure does. The short form measures nothing, and bears a
// machine that stands still.
func slow() time.Duration {
	if testing.Short() {
		return 15 * time.Second
	}
	return 2 * time.Second
}

type kind int

const (
	create kind = iota
	update
	read
	ready
	kinds
)

func (k kind) String() string { return [...]string{"create", "update", "read", "readyz"}[k] }

// operation is one request and what came of it.
type operation struct {
	kind  kind
	book  string
	token string // what a write puts into the book; no two writes have the same
	floor int64  // of a read: what had been acknowledged of the book before it began
	begin time.Time

	// The fields below are set when it has ended.
	ended    bool
	took     time.Duration
	code     int // 0 without an answer
	reason   string
	message  string
	revision int64
}

func (o *operation) done() bool { return o.ended && o.code/100 == 2 }

// unknown says that the client was told, or must assume, that the write may have happened.
func (o *operation) unknown() bool {
	return o.code == 0 || o.code == http.StatusGatewayTimeout && o.reason == "Timeout"
}

// trouble says that the operation failed or took, up to now, too long.
func (o *operation) trouble(now time.Time) bool {
	if o.ended {
		return !o.done() || o.took > slow()
	}
	return now.Sub(o.begin) > slow()
}

// load makes requests at a steady pace, come what may.
type load struct {
	server *server
	stop   context.CancelFunc
	ended  sync.WaitGroup

	mu    sync.Mutex // guards the fields below and what they point to
	ops   []*operation
	floor map[string]int64 // the highest acknowledged revision of each hot book
}

func hotBook(i int) string { return fmt.Sprintf("hot-%d", i%hot) }

func startLoad(t *testing.T, s *server) *load {
	t.Helper()
	ctx, cancel := context.WithCancel(context.Background())
	l := &load{server: s, stop: cancel, floor: map[string]int64{}}
	for i := range hot {
		l.run(ctx, &operation{kind: create, book: hotBook(i), token: fmt.Sprintf("start-%d", i)})
	}
	for _, o := range l.ops {
		if !o.done() {
			t.Fatalf("create %s: %d %s", o.book, o.code, o.message)
		}
	}
	l.ended.Go(func() {
		ticker := time.NewTicker(every)
		defer ticker.Stop()
		for i := 0; ; i++ {
			select {
			case <-ctx.Done():
				return
			case <-ticker.C:
			}
			l.begin(ctx, &operation{kind: create, book: fmt.Sprintf("book-%06d", i), token: fmt.Sprintf("create-%d-", i)})
			l.begin(ctx, &operation{kind: update, book: hotBook(i), token: fmt.Sprintf("update-%d-", i)})
			l.begin(ctx, &operation{kind: read, book: hotBook(i / hot)})
			l.begin(ctx, &operation{kind: ready})
		}
	})
	t.Cleanup(l.close)
	return l
}

func (l *load) close() {
	l.stop()
	l.ended.Wait()
}

func (l *load) begin(ctx context.Context, o *operation) { l.ended.Go(func() { l.run(ctx, o) }) }

func (l *load) run(ctx context.Context, o *operation) {
	l.mu.Lock()
	o.begin, o.floor = time.Now(), l.floor[o.book]
	l.ops = append(l.ops, o)
	l.mu.Unlock()
	var code int
	var body []byte
	var err error
	switch o.kind {
	case create:
		object := fmt.Appendf(nil, `{"apiVersion":"library.example.com/v1","kind":"Book","metadata":{"name":%q,"annotations":{"token":%q}},"spec":{"title":"T","authors":["A"],"copies":1}}`, o.book, o.token)
		code, body, err = l.server.do(ctx, http.MethodPost, books, "application/json", object)
	case update:
		patch := fmt.Appendf(nil, `{"metadata":{"annotations":{"token":%q}}}`, o.token)
		code, body, err = l.server.do(ctx, http.MethodPatch, books+"/"+o.book, "application/merge-patch+json", patch)
	case read:
		code, body, err = l.server.do(ctx, http.MethodGet, books+"/"+o.book, "", nil)
	case ready:
		code, body, err = l.server.do(ctx, http.MethodGet, "/readyz", "", nil)
	}
	answer := parse(body)
	l.mu.Lock()
	defer l.mu.Unlock()
	o.ended, o.took, o.code = true, time.Since(o.begin), code
	o.reason, o.message, o.revision = answer.Reason, answer.Message, answer.revision
	if err != nil {
		o.code, o.message = 0, err.Error()
	}
	if o.done() && o.kind != ready {
		l.floor[o.book] = max(l.floor[o.book], o.revision)
	}
}

// answer is what interests of an object or a status.
type answer struct {
	Reason, Message string
	Metadata        struct {
		Name, ResourceVersion string
		Annotations           map[string]string
	}
	revision int64
}

func parse(body []byte) answer {
	var a answer
	if json.Unmarshal(body, &a) != nil {
		a.Message = strings.TrimSpace(string(body))
	}
	a.revision, _ = strconv.ParseInt(a.Metadata.ResourceVersion, 10, 64)
	return a
}

// since returns copies of what began at or after a time.
func (l *load) since(begin time.Time) []operation {
	l.mu.Lock()
	defer l.mu.Unlock()
	var ops []operation
	for i := len(l.ops) - 1; i >= 0 && !l.ops[i].begin.Before(begin); i-- {
		ops = append(ops, *l.ops[i])
	}
	return ops
}

// raise notes that a revision of a book is acknowledged that no operation of this load has made.
func (l *load) raise(book string, revision int64) {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.floor[book] = max(l.floor[book], revision)
}

// resumed returns, for each kind, from when on all that began went well; at most until now. Zero is
// begin itself.
func resumed(ops []operation, begin, now time.Time) [kinds]time.Duration {
	var after [kinds]time.Duration
	var last [kinds]time.Time
	for _, o := range ops {
		if o.trouble(now) && o.begin.After(last[o.kind]) {
			last[o.kind] = o.begin
		}
	}
	for k, at := range last {
		if !at.IsZero() {
			after[k] = at.Sub(begin) + every
		}
	}
	return after
}

// answered says that, of each kind, something that began after a time went well.
func answered(ops []operation, begin time.Time) bool {
	var well [kinds]bool
	for _, o := range ops {
		well[o.kind] = well[o.kind] || o.done() && o.begin.After(begin)
	}
	return !slices.Contains(well[:], false)
}

// settle waits until nothing has been in trouble for a while, in which requests have been answered,
// and returns when each kind had resumed.
func (l *load) settle(t *testing.T, begin time.Time, limit time.Duration) [kinds]time.Duration {
	t.Helper()
	for {
		time.Sleep(every)
		now := time.Now()
		ops := l.since(begin)
		after := resumed(ops, begin, now)
		worst := max(after[create], after[update], after[read], after[ready])
		if now.Sub(begin)-worst > calm && answered(ops, begin.Add(worst)) {
			return after
		}
		if now.Sub(begin) > limit {
			for _, o := range l.since(now.Add(-2 * time.Second)) {
				if o.trouble(now) {
					t.Logf("%v: ended %v, %d %s %s", o.kind, o.ended, o.code, o.reason, o.message)
				}
			}
			t.Fatalf("still in trouble after %v: %v", limit, after)
		}
	}
}

// drain waits until all that began before now has ended: a server gives up on its own.
func (l *load) drain(t *testing.T, begin time.Time) {
	t.Helper()
	now := time.Now()
	for {
		pending := 0
		for _, o := range l.since(begin) {
			if !o.ended && o.begin.Before(now) {
				pending++
			}
		}
		if pending == 0 {
			return
		}
		if time.Since(now) > 3*time.Minute {
			t.Fatalf("%d requests have not ended after three minutes", pending)
		}
		time.Sleep(every)
	}
}
