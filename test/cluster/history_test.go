package cluster

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"net"
	"net/http"
	"path"
	"regexp"
	"strconv"
	"testing"
	"time"

	"github.com/typeplane/typeplane/internal/etcdproc"
)

// prefix is where the server keeps books in etcd.
const prefix = "/registry/library.example.com/books/default/"

// change is what etcd says happened at a revision.
type change struct {
	book  string
	value []byte
}

type history map[int64]change

// readHistory asks a member, through no proxy and no server of ours, for all changes of books in a
// range of revisions.
func readHistory(t *testing.T, m *etcdproc.Member, from, to int64) history {
	t.Helper()
	ctx, cancel := context.WithTimeout(t.Context(), 3*time.Minute)
	defer cancel()
	client := &http.Client{Transport: &http.Transport{DialContext: func(ctx context.Context, _, _ string) (net.Conn, error) {
		return new(net.Dialer).DialContext(ctx, "unix", m.Socket())
	}}}
	defer client.CloseIdleConnections()
	body, err := json.Marshal(map[string]any{"create_request": map[string]any{
		"key": []byte(prefix), "range_end": after(prefix), "start_revision": strconv.FormatInt(from, 10),
	}})
	if err != nil {
		t.Fatal(err)
	}
	req, err := http.NewRequestWithContext(ctx, http.MethodPost, "http://etcd/v3/watch", bytes.NewReader(body))
	if err != nil {
		t.Fatal(err)
	}
	resp, err := client.Do(req)
	if err != nil {
		t.Fatal(err)
	}
	defer resp.Body.Close()
	h := history{}
	for decoder := json.NewDecoder(resp.Body); ; {
		var message struct {
			Result struct {
				Canceled bool
				Events   []struct {
					Kv struct {
						Key, Value []byte
						Revision   int64 `json:"mod_revision,string"`
					}
				}
			}
		}
		if err := decoder.Decode(&message); err != nil || message.Result.Canceled {
			t.Fatalf("%s: the history ends: %+v %v", m.Name(), message, err)
		}
		for _, e := range message.Result.Events {
			if e.Kv.Revision > to {
				return h
			}
			h[e.Kv.Revision] = change{path.Base(string(e.Kv.Key)), e.Kv.Value}
			if e.Kv.Revision == to {
				return h
			}
		}
	}
}

// after is the end of the range of keys that begin with prefix.
func after(prefix string) []byte {
	end := []byte(prefix)
	end[len(end)-1]++
	return end
}

// verdict is what became of operations. There should be no problems.
type verdict struct {
	acknowledged, unknown, refused int
	problems                       []string
}

func (v *verdict) problem(format string, args ...any) {
	v.problems = append(v.problems, fmt.Sprintf(format, args...))
}

// check compares operations, which have ended, with what has happened.
func (h history) check(ops []operation) verdict {
	var v verdict
	happened := h.tokens()
	for _, o := range ops {
		at, there := happened[o.token]
		switch {
		case o.kind == ready:
		case o.kind == read:
			if o.done() && o.revision < o.floor {
				v.problem("a read of %s shows revision %d, when %d was acknowledged before it began", o.book, o.revision, o.floor)
			}
		case o.done():
			v.acknowledged++
			if !there || at != o.revision || h[at].book != o.book {
				v.problem("%v of %s was acknowledged at revision %d; etcd has it at %d", o.kind, o.book, o.revision, at)
			}
		case o.unknown():
			v.unknown++
		default:
			v.refused++
			if there {
				v.problem("%v of %s was refused with %d %s, %s; it happened at %d", o.kind, o.book, o.code, o.reason, o.message, at)
			}
			if o.reason != "ServerTimeout" && o.reason != "ServiceUnavailable" {
				v.problem("%v of %s: %d %s, %s", o.kind, o.book, o.code, o.reason, o.message)
			}
		}
	}
	return v
}

var token = regexp.MustCompile(`(create|update)-[0-9]+-`)

// tokens is the first revision that has the token of each write.
func (h history) tokens() map[string]int64 {
	first := map[string]int64{}
	for revision, c := range h {
		for _, found := range token.FindAll(c.value, -1) {
			if before, ok := first[string(found)]; !ok || revision < before {
				first[string(found)] = revision
			}
		}
	}
	return first
}

// checkWatch compares what a watcher saw with what has happened.
func (h history) checkWatch(seen []event, from, to int64) verdict {
	var v verdict
	last, n := int64(0), 0
	for _, e := range seen {
		if e.revision <= last {
			v.problem("a watcher saw revision %d after %d", e.revision, last)
		}
		last = e.revision
		if e.revision < from || e.revision > to {
			continue
		}
		n++
		if h[e.revision].book != e.book {
			v.problem("a watcher saw %s at revision %d, where etcd has %q", e.book, e.revision, h[e.revision].book)
		}
	}
	if n != len(h) {
		v.problem("a watcher saw %d of %d changes", n, len(h))
	}
	return v
}

// TestChecksNotice gives the checks something to find.
func TestChecksNotice(t *testing.T) {
	h := history{5: {"a", []byte("k8s create-1- x")}, 7: {"b", []byte("update-2-")}}
	ok := func(k kind, book, token string, revision int64) operation {
		return operation{kind: k, book: book, token: token, ended: true, code: 200, revision: revision}
	}
	failed := func(token string, code int, reason string) operation {
		return operation{kind: create, book: "a", token: token, ended: true, code: code, reason: reason}
	}
	stale := ok(read, "b", "", 5)
	stale.floor = 7
	for name, tc := range map[string]struct {
		op   operation
		want int
	}{
		"acknowledged":              {ok(create, "a", "create-1-", 5), 0},
		"acknowledged and lost":     {ok(create, "a", "create-3-", 6), 1},
		"at another revision":       {ok(update, "b", "update-2-", 6), 1},
		"of another book":           {ok(update, "a", "update-2-", 7), 1},
		"refused":                   {failed("create-3-", 500, "ServerTimeout"), 0},
		"refused without a quorum":  {failed("create-3-", 503, "ServiceUnavailable"), 0},
		"refused and there":         {failed("create-1-", 500, "ServerTimeout"), 1},
		"refused as an inner error": {failed("create-3-", 500, "InternalError"), 1},
		"unknown and there":         {failed("create-1-", 504, "Timeout"), 0},
		"unknown and not there":     {failed("create-3-", 504, "Timeout"), 0},
		"a stale read":              {stale, 1},
	} {
		if got := h.check([]operation{tc.op}).problems; len(got) != tc.want {
			t.Errorf("%s: %q", name, got)
		}
	}
	for name, tc := range map[string]struct {
		seen []event
		want int
	}{
		"all":          {[]event{{"a", 5}, {"b", 7}, {"c", 9}}, 0},
		"one is lost":  {[]event{{"a", 5}, {"c", 9}}, 1},
		"one is twice": {[]event{{"a", 5}, {"b", 7}, {"b", 7}}, 2},
		"in disorder":  {[]event{{"b", 7}, {"a", 5}}, 1},
		"another one":  {[]event{{"a", 5}, {"a", 7}}, 1},
	} {
		if got := h.checkWatch(tc.seen, 5, 7).problems; len(got) != tc.want {
			t.Errorf("watch, %s: %q", name, got)
		}
	}
}
