package cluster

import (
	"flag"
	"fmt"
	"net/http"
	"slices"
	"strings"
	"testing"
	"text/tabwriter"
	"time"

	"github.com/typeplane/typeplane/internal/etcdproc"
)

// trouble is how long it may last at most, in either form.
const trouble = 5 * time.Minute

var rounds = flag.Int("rounds", 1, "how often each fault happens")

// result is what one fault did.
type result struct {
	after [kinds]time.Duration // until each kind had resumed
	gap   time.Duration        // the longest without an event, for the watcher that had the worst
	// Of a fault with which nothing can work: how long a request waited at most, and when /readyz
	// first said so.
	waited, red time.Duration
	verdict
}

// happen lets a fault happen, and says what it did.
func (w *world) happen(t *testing.T, f fault) result {
	t.Helper()
	healthy(t, w.etcd)
	w.leader = awaitLeader(t, w.etcd, nil)
	w.follower = w.etcd.Members()[0]
	if w.follower == w.leader {
		w.follower = w.etcd.Members()[1]
	}
	w.load.settle(t, time.Now(), trouble)
	from := w.revision() + 1

	var r result
	begin := time.Now()
	earlier := begin
	end := f.begin(t, w)
	if f.hopeless {
		inPlace := time.Now()
		r.waited = w.checkRefused(t, inPlace, time.Now().Add(trouble))
		time.Sleep(time.Until(inPlace.Add(away())))
		r.red = w.checkNotReady(t, inPlace, time.Now().Add(trouble))
		begin = time.Now()
		end()
		r.after = w.load.settle(t, begin, trouble)
	} else {
		r.after = w.load.settle(t, begin, trouble)
		end()
	}
	healthy(t, w.etcd)
	w.load.settle(t, time.Now(), trouble)
	w.load.drain(t, earlier)
	w.judge(t, &r, earlier, from)
	for _, watcher := range w.watchers {
		r.gap = max(r.gap, watcher.gap(begin))
	}
	for _, p := range r.problems {
		t.Error(p)
	}
	return r
}

// judge compares what clients were told since a time, and from a revision on, with what etcd has.
func (w *world) judge(t *testing.T, r *result, since time.Time, from int64) {
	t.Helper()
	to := w.revision()
	h := readHistory(t, awaitLeader(t, w.etcd, nil), from, to)
	var ops []operation
	for _, o := range w.load.since(since) {
		if o.ended && o.revision <= to {
			ops = append(ops, o)
		}
	}
	r.verdict = h.check(ops)
	if r.acknowledged == 0 {
		r.problem("no write was acknowledged")
	}
	for _, watcher := range w.watchers {
		r.problems = append(r.problems, h.checkWatch(watcher.seen(t, to), from, to).problems...)
		if drops := watcher.forgetDrops(); drops > 0 {
			r.problem("a watch ended %d times", drops)
		}
	}
}

// revision is the latest that was acknowledged.
func (w *world) revision() int64 {
	w.load.mu.Lock()
	defer w.load.mu.Unlock()
	latest := int64(0)
	for _, revision := range w.load.floor {
		latest = max(latest, revision)
	}
	return latest
}

// checkNotReady says that the server never called itself ready since a fault with which nothing can
// work. It waits until an end for the first answer, and returns when that came.
func (w *world) checkNotReady(t *testing.T, since, end time.Time) time.Duration {
	t.Helper()
	asked, first := 0, end.Sub(since)
	for ; asked == 0 && time.Now().Before(end); time.Sleep(every) {
		for _, o := range w.load.since(since) {
			if o.kind != ready || !o.ended {
				continue
			}
			asked++
			first = min(first, o.begin.Add(o.took).Sub(since))
			if o.code == http.StatusOK {
				t.Errorf("/readyz says ok %v after the fault", o.begin.Sub(since))
			}
		}
	}
	if asked == 0 {
		t.Error("/readyz has not answered once")
	}
	return first
}

// checkRefused waits, until an end, for a server that knows that it has no quorum. A write and a
// read that begin are refused at once, in so many words. Readiness says of each member why it is
// missing. What was asked since the fault does not wait for long; the longest wait is returned.
func (w *world) checkRefused(t *testing.T, since, end time.Time) time.Duration {
	t.Helper()
	var refused [kinds]bool
	for ; !refused[create] || !refused[update] || !refused[read] || !refused[ready]; time.Sleep(every) {
		if time.Now().After(end) {
			t.Errorf("not all of create, update, read, readyz were refused for want of a quorum: %v", refused)
			return time.Since(since)
		}
		for _, o := range w.load.since(since) {
			switch {
			case !o.ended:
			case o.kind == ready:
				refused[ready] = refused[ready] || w.namesMembers(o.message)
			default:
				refused[o.kind] = refused[o.kind] || o.code == http.StatusServiceUnavailable && strings.Contains(o.message, "no quorum")
			}
		}
	}
	var longest time.Duration
	for _, o := range w.load.since(since) {
		took := o.took
		if !o.ended {
			took = time.Since(o.begin)
		}
		if longest = max(longest, took); took > noQuorumKnown() {
			t.Errorf("a %v waited for %v, and there was no quorum", o.kind, took)
		}
	}
	t.Logf("without a quorum nothing waited for more than %v", longest.Round(time.Millisecond))
	return longest
}

// namesMembers says whether a report has all the members: one that answers nobody but knows no
// leader is missing, too.
func (w *world) namesMembers(report string) bool {
	for _, endpoint := range w.etcd.Endpoints() {
		if !strings.Contains(report, endpoint+" (") {
			return false
		}
	}
	return true
}

func TestFaults(t *testing.T) {
	w := &world{etcd: startEtcd(t, etcdproc.Config{Members: 3})}
	w.server = startServer(t, "--etcd-servers", strings.Join(w.etcd.Endpoints(), ","))
	w.load = startLoad(t, w.server)
	for range 8 {
		w.watchers = append(w.watchers, follow(t, w.server, w.revision()))
	}
	var table strings.Builder
	out := tabwriter.NewWriter(&table, 0, 0, 2, ' ', 0)
	fmt.Fprintln(out, "fault\twrites\tworst\treads\tworst\treadyz\tworst\tno event for\tworst\tacknowledged\tunknown\trefused")
	for _, f := range faults {
		if testing.Short() && !f.short {
			continue
		}
		t.Run(f.name, func(t *testing.T) {
			var results []result
			for range *rounds {
				results = append(results, w.happen(t, f))
			}
			f.note(results)
			f.report(t, out, results)
		})
	}
	out.Flush()
	t.Logf("until everything that begins goes well, median and worst of %d:\n%s", *rounds, table.String())
}

// note adds what a fault did to its row of the scorecard.
func (f fault) note(results []result) {
	if f.row == 0 {
		return
	}
	for _, r := range results {
		f.row.Count("faults", 1)
		f.row.Count("acknowledged writes", r.acknowledged)
		f.row.Count("violations", len(r.problems))
		f.row.Worst("writes again", max(r.after[create], r.after[update]))
		f.row.Worst("reads again", r.after[read])
		if f.hopeless {
			f.row.Worst("a request waited", r.waited)
			f.row.Worst("/readyz red", r.red)
		}
	}
}

func (f fault) report(t *testing.T, out *tabwriter.Writer, results []result) {
	t.Helper()
	row := f.name
	column := func(what string, bound time.Duration, of func(result) time.Duration) {
		var all []time.Duration
		for _, r := range results {
			all = append(all, of(r))
		}
		slices.Sort(all)
		median, worst := all[len(all)/2], all[len(all)-1]
		row += fmt.Sprintf("\t%.1f s\t%.1f s", median.Seconds(), worst.Seconds())
		if bound > 0 && !testing.Short() && (median > bound || worst > 2*bound) {
			t.Errorf("%s: %v until %s resumed, in the middle, and %v at worst; want %v", f.name, median, what, worst, bound)
		}
	}
	column("writes", f.bound, func(r result) time.Duration { return max(r.after[create], r.after[update]) })
	column("reads", f.bound, func(r result) time.Duration { return r.after[read] })
	column("/readyz", f.bound, func(r result) time.Duration { return r.after[ready] })
	column("events", 0, func(r result) time.Duration { return r.gap })
	var all verdict
	for _, r := range results {
		all.acknowledged += r.acknowledged
		all.unknown += r.unknown
		all.refused += r.refused
	}
	fmt.Fprintf(out, "%s\t%d\t%d\t%d\n", row, all.acknowledged, all.unknown, all.refused)
}

func must(t *testing.T, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}
