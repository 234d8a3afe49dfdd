package fairness

import (
	"context"
	"errors"
	"fmt"
	"math"
	"math/rand/v2"
	"sync"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"github.com/prometheus/client_golang/prometheus"

	"github.com/typeplane/typeplane/auth"
)

// one is a Config with one level for everybody but administrators.
func one(by Distinguisher, q *Queuing) Config {
	return Config{
		Levels:  []Level{{Name: "all", Shares: 1, Queuing: q}, {Name: CatchAll}},
		Schemas: []Schema{{Name: "all", Level: "all", Precedence: 2, By: by, Rules: everything(Subject{Kind: User, Name: All})}},
	}
}

var queued = &Queuing{Queues: 64, HandSize: 4, Length: 50}

func newTest(seats int, c Config) *Controller {
	controller := New(seats, prometheus.NewRegistry())
	controller.Set(c)
	return controller
}

// a get of a user.
func get(user string) *Request {
	return &Request{User: &auth.User{Name: user}, Verb: "get", IsResource: true, Resource: "books", Namespace: "default"}
}

// ask has a request answered that takes a time, and returns how long it waited.
func ask(ctx context.Context, c *Controller, r *Request, w Work, takes time.Duration) (waited time.Duration, err error) {
	begun := time.Now()
	turn := c.Classify(r)
	if err := turn.Begin(ctx, w, time.Minute); err != nil {
		return time.Since(begun), err
	}
	waited = time.Since(begun)
	time.Sleep(takes)
	turn.End()
	return waited, nil
}

// idle checks that nobody has a seat or waits.
func idle(t *testing.T, c *Controller) {
	t.Helper()
	for name, l := range c.levels {
		l.mu.Lock()
		defer l.mu.Unlock()
		if l.answering.n != 0 || l.answering.first != nil || l.answering.last != nil {
			t.Errorf("level %s: %d requests are answered, from %p to %p", name, l.answering.n, l.answering.first, l.answering.last)
		}
		if l.inUse != 0 || l.queues.waiting != 0 || l.queues.waitingSeats != 0 || l.queues.active != 0 {
			t.Errorf("level %s: %d seats in use, %d requests wait for %d, %d queues are active", name, l.inUse, l.queues.waiting, l.queues.waitingSeats, l.queues.active)
		}
	}
}

// TestQuietUser: beside somebody who asks for fifty times the seats, a user does not wait. If all
// were one flow, the user would wait for everything that is in the queue.
func TestQuietUser(t *testing.T) {
	for _, takes := range []time.Duration{time.Millisecond, 10 * time.Millisecond, 2 * time.Second} {
		alone, beside := quietUser(t, ByUser, takes), quietUser(t, "", takes)
		t.Logf("with answers of %v the quiet user waited %v at most, and %v if all were one flow", takes, alone, beside)
		if alone > 0 || beside < 4*takes {
			t.Errorf("with answers of %v the quiet user waited %v, and %v if all were one flow", takes, alone, beside)
		}
	}
}

// quietUser is how long a user waits at most, beside a noisy one.
func quietUser(t *testing.T, by Distinguisher, takes time.Duration) (worst time.Duration) {
	const seats = 24
	synctest.Test(t, func(t *testing.T) {
		c := newTest(seats, one(by, queued))
		ctx, cancel := context.WithCancel(t.Context())
		var noise sync.WaitGroup
		for range 50 * seats {
			noise.Go(func() {
				for ctx.Err() == nil {
					around := takes/2 + rand.N(takes)
					if _, err := ask(ctx, c, get("noisy"), Work{Seats: 1}, around); err != nil {
						time.Sleep(around)
					}
				}
			})
		}
		time.Sleep(20 * takes)
		for range 20 {
			waited, err := ask(ctx, c, get("quiet"), Work{Seats: 1}, takes)
			if err != nil {
				waited = time.Hour // it was refused
			}
			worst = max(worst, waited)
			time.Sleep(takes / 3)
		}
		cancel()
		noise.Wait()
		idle(t, c)
	})
	return worst
}

// TestBehindWide: who stands behind a request that needs more than is free goes on when that one
// gives up.
func TestBehindWide(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		c := newTest(4, one(ByUser, queued))
		go ask(t.Context(), c, get("holder"), Work{Seats: 1}, time.Hour)
		synctest.Wait()
		go func() {
			ctx, cancel := context.WithTimeout(t.Context(), time.Second)
			defer cancel()
			_, _ = ask(ctx, c, get("wide"), Work{Seats: 4}, 0)
		}()
		time.Sleep(100 * time.Millisecond)
		if waited, err := ask(t.Context(), c, get("narrow"), Work{Seats: 2}, 0); err != nil || waited != 900*time.Millisecond {
			t.Errorf("%v after %v", err, waited)
		}
		time.Sleep(2 * time.Hour)
		idle(t, c)
	})
}

// TestRunning: what requests have taken counts before they end. One user has had seats for longer
// than another one, and does not get the next seat, although their request came first.
func TestRunning(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		c := newTest(8, one(ByUser, &Queuing{Queues: 1024, HandSize: 1, Length: 50})) // two of them for newcomers
		start := func(user string, takes time.Duration) {
			go ask(t.Context(), c, get(user), Work{Seats: 1}, takes)
			synctest.Wait()
		}
		for range 4 {
			start("long", time.Hour)
		}
		start("short", 20*time.Second)
		start("short", 20*time.Second)
		start("long", time.Hour)
		time.Sleep(10 * time.Second)
		start("late", time.Minute)
		if waited, err := ask(t.Context(), c, get("late"), Work{Seats: 1}, time.Minute); err != nil || waited > 11*time.Second {
			t.Errorf("%v after %v", err, waited)
		}
		time.Sleep(2 * time.Hour)
		idle(t, c)
	})
}

// TestSeatSeconds: users who always want something get the same seat-seconds, whatever the width
// and the length of their requests.
func TestSeatSeconds(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		c := newTest(40, one(ByUser, &Queuing{Queues: 1024, HandSize: 1, Length: 500}))
		ctx, cancel := context.WithCancel(t.Context())
		type user struct {
			name  string
			seats int
			takes time.Duration
			got   atomic.Int64
		}
		users := []*user{{name: "narrow", seats: 1, takes: 5 * time.Millisecond}, {name: "wide", seats: 5, takes: 5 * time.Millisecond}, {name: "slow", seats: 1, takes: 100 * time.Millisecond}}
		var all sync.WaitGroup
		for _, u := range users {
			for range 80 {
				all.Go(func() {
					for ctx.Err() == nil {
						if _, err := ask(ctx, c, get(u.name), Work{Seats: u.seats}, u.takes); err == nil {
							u.got.Add(int64(u.seats) * int64(u.takes))
						}
					}
				})
			}
		}
		time.Sleep(20 * time.Second)
		cancel()
		all.Wait()
		sum := 0.0
		for _, u := range users {
			sum += time.Duration(u.got.Load()).Seconds()
		}
		for _, u := range users {
			got := time.Duration(u.got.Load()).Seconds()
			t.Logf("%s: %.1f seat-seconds", u.name, got)
			if math.Abs(got-sum/3) > sum/3/10 {
				t.Errorf("%s got %.1f seat-seconds of %.1f, want about a third", u.name, got, sum)
			}
		}
		if sum < 0.7*40*20 { // the last quarter is for newcomers
			t.Errorf("%.1f seat-seconds of 800 were used", sum)
		}
		idle(t, c)
	})
}

// TestExempt: administrators have seats where nobody has one.
func TestExempt(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		c := newTest(1, one(ByUser, queued))
		go ask(t.Context(), c, get("u"), Work{Seats: 1}, time.Second)
		synctest.Wait()
		r := get("admin")
		r.User.Groups = []string{auth.GroupMasters}
		if waited, err := ask(t.Context(), c, r, Work{Seats: 10}, 0); err != nil || waited != 0 {
			t.Errorf("an administrator: %v after %v", err, waited)
		}
		if waited, err := ask(t.Context(), c, get("v"), Work{Seats: 1}, 0); err != nil || waited != time.Second {
			t.Errorf("somebody else: %v after %v", err, waited)
		}
		idle(t, c)
	})
}

// TestRefused: requests are refused for each of the reasons, and leave nothing behind.
func TestRefused(t *testing.T) {
	hold := func(t *testing.T, c *Controller, n int) {
		for i := range n {
			go ask(t.Context(), c, get(fmt.Sprint("holder", i)), Work{Seats: 1}, time.Hour)
			synctest.Wait()
		}
	}
	for _, test := range []struct {
		reason  error
		queuing *Queuing
		held    int
		refused func(*testing.T, *Controller) error
	}{
		{ErrNoSeat, nil, 1, nil},
		{ErrQueueFull, &Queuing{Queues: 1, HandSize: 1, Length: 2}, 3, nil},
		{ErrTimeOut, queued, 1, nil},
		{ErrCancelled, queued, 1, func(t *testing.T, c *Controller) error {
			ctx, cancel := context.WithTimeout(t.Context(), time.Second)
			defer cancel()
			_, err := ask(ctx, c, get("u"), Work{Seats: 1}, 0)
			return err
		}},
	} {
		t.Run(test.reason.Error(), func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				c := newTest(1, one(ByUser, test.queuing))
				hold(t, c, test.held)
				refused := test.refused
				if refused == nil {
					refused = func(t *testing.T, c *Controller) error {
						_, err := ask(t.Context(), c, get("u"), Work{Seats: 1}, 0)
						return err
					}
				}
				if err := refused(t, c); !errors.Is(err, test.reason) {
					t.Errorf("got %v", err)
				}
				counts := c.Dump()[0]
				if got := map[error]int{ErrTimeOut: counts.TimedOut, ErrCancelled: counts.Cancelled, ErrNoSeat: counts.Rejected, ErrQueueFull: counts.Rejected}[test.reason]; got != 1 {
					t.Errorf("%d are counted as such: %+v", got, counts)
				}
				time.Sleep(10 * time.Hour)
				idle(t, c)
			})
		})
	}
}

// TestFinalSeats: what comes after an answer keeps its seats for so long.
func TestFinalSeats(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		c := newTest(4, one(ByUser, queued))
		go ask(t.Context(), c, get("writer"), Work{Seats: 1, FinalSeats: 4, After: 50 * time.Millisecond}, 10*time.Millisecond)
		synctest.Wait()
		if waited, err := ask(t.Context(), c, get("u"), Work{Seats: 1}, 0); err != nil || waited != 60*time.Millisecond {
			t.Errorf("somebody else: %v after %v", err, waited)
		}
		idle(t, c)
	})
}

// TestBorrowing: a level borrows what others lend and don't need, and gives it back.
func TestBorrowing(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		level := func(name string, lendable int32, borrows *int32) Level {
			return Level{Name: name, Shares: 1, LendablePercent: lendable, BorrowingLimitPercent: borrows, Queuing: queued}
		}
		schema := func(name string) Schema {
			return Schema{Name: name, Level: name, Precedence: 5, By: ByUser, Rules: everything(Subject{Kind: User, Name: name})}
		}
		c := newTest(30, Config{
			Levels:  []Level{level("busy", 0, nil), level("lender", 50, nil), level("miser", 0, new(int32(0))), {Name: CatchAll}},
			Schemas: []Schema{schema("busy"), schema("lender"), schema("miser")},
		})
		limits := func() [3]int {
			synctest.Wait() // else a race detector does not know that who changes them is done
			return [3]int{c.levels["busy"].limit, c.levels["lender"].limit, c.levels["miser"].limit}
		}
		ctx, cancel := context.WithCancel(t.Context())
		load := func(user string, n int) {
			for range n {
				go func() {
					for ctx.Err() == nil {
						_, _ = ask(ctx, c, get(user), Work{Seats: 1}, 10*time.Millisecond)
					}
				}()
			}
		}
		load("busy", 40)
		time.Sleep(2 * period)
		if got := limits(); got != [3]int{15, 5, 10} {
			t.Errorf("while one is busy the limits are %v", got)
		}
		load("lender", 40)
		time.Sleep(4 * period)
		if got := limits(); got != [3]int{10, 10, 10} {
			t.Errorf("while two are busy the limits are %v", got)
		}
		cancel()
		time.Sleep(time.Second)
		idle(t, c)
	})
}

// TestSet: a change of the configuration loses nobody.
func TestSet(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		c := newTest(2, one(ByUser, queued))
		old := c.levels["all"]
		var answered atomic.Int32
		for i := range 40 {
			go func() {
				if _, err := ask(t.Context(), c, get(fmt.Sprint("user", i)), Work{Seats: 1}, time.Millisecond); err == nil {
					answered.Add(1)
				}
			}()
		}
		synctest.Wait()
		c.Set(one(ByUser, &Queuing{Queues: 2, HandSize: 1, Length: 50})) // fewer queues
		time.Sleep(5 * time.Millisecond)
		c.Set(Config{}) // the level is gone
		time.Sleep(time.Second)
		if answered.Load() != 40 {
			t.Errorf("%d of 40 requests were answered", answered.Load())
		}
		if old.inUse != 0 || old.queues.waiting != 0 {
			t.Errorf("the level that is gone has %d seats in use, and %d requests wait", old.inUse, old.queues.waiting)
		}
		if len(c.levels) != 2 {
			t.Errorf("%d levels are left, want the two that every server has", len(c.levels))
		}
		idle(t, c)
	})
}

// TestSeatsComeBack: whatever requests do, all seats are free in the end, and never more are taken
// than there are.
func TestSeatsComeBack(t *testing.T) {
	for seed := range uint64(20) {
		synctest.Test(t, func(t *testing.T) {
			r := rand.New(rand.NewPCG(seed, 0))
			c := newTest(8, one(ByUser, &Queuing{Queues: 8, HandSize: 2, Length: 5}))
			l := c.levels["all"]
			for range 400 {
				user, seats, final := fmt.Sprint("user", r.IntN(6)), 1+r.IntN(5), r.IntN(5)
				w := Work{Seats: seats}
				if final > 0 && r.IntN(3) == 0 {
					w.FinalSeats, w.After = final, time.Duration(r.IntN(20)+1)*time.Millisecond
				}
				patience, takes := time.Duration(r.IntN(100))*time.Millisecond, time.Duration(r.IntN(30))*time.Millisecond
				go func() {
					ctx, cancel := context.WithTimeout(t.Context(), patience)
					defer cancel()
					_, _ = ask(ctx, c, get(user), w, takes)
				}()
				time.Sleep(time.Duration(r.IntN(5)) * time.Millisecond)
				l.mu.Lock()
				if l.inUse > l.limit {
					t.Errorf("%d of %d seats are in use", l.inUse, l.limit)
				}
				l.mu.Unlock()
			}
			time.Sleep(time.Second)
			idle(t, c)
		})
	}
}

// TestDeal: a deck of 5 has 60 hands of 3 different cards, and each is dealt once.
func TestDeal(t *testing.T) {
	seen := map[[3]int]bool{}
	for hash := range uint64(60) {
		var hand [3]int
		deal(hash, 5, hand[:])
		if a, b, c := hand[0], hand[1], hand[2]; a == b || a == c || b == c || max(a, b, c) > 4 || min(a, b, c) < 0 {
			t.Errorf("hand %v", hand)
		}
		seen[hand] = true
	}
	if len(seen) != 60 {
		t.Errorf("%d different hands, want 60", len(seen))
	}
	var all [MaxHand]int
	deal(math.MaxUint64, MaxHand, all[:])
	for i := range all {
		for j := range i {
			if all[i] == all[j] {
				t.Errorf("hand %v", all)
			}
		}
	}
}

// TestShare: seats are given out wholly, within bounds, and in proportion where no bound is in the
// way.
func TestShare(t *testing.T) {
	r := rand.New(rand.NewPCG(1, 2))
	for range 1000 {
		claims := make([]claim, 1+r.IntN(8))
		low, high := 0.0, 0.0
		for i := range claims {
			least := float64(r.IntN(20))
			claims[i] = claim{least: least, most: least + float64(r.IntN(60)), target: least + float64(r.IntN(40))}
			low, high = low+claims[i].least, high+claims[i].most
		}
		seats := low + r.Float64()*(high-low)
		given := share(seats, claims)
		sum := 0.0
		for i, c := range claims {
			sum += given[i]
			if given[i] < c.least || given[i] > c.most {
				t.Fatalf("%v of %+v", given[i], c)
			}
			for j, d := range claims {
				free := func(i int, c claim) bool { return given[i] > c.least+0.01 && given[i] < c.most-0.01 }
				if free(i, c) && free(j, d) && c.target > 1 && d.target > 1 && math.Abs(given[i]/c.target-given[j]/d.target) > 1e-6 {
					t.Fatalf("%v of %+v and %v of %+v", given[i], c, given[j], d)
				}
			}
		}
		if math.Abs(sum-seats) > 1e-3 {
			t.Fatalf("%v of %v seats were given to %+v: %v", sum, seats, claims, given)
		}
	}
}

// TestRetryAfter: the time grows while many are refused, and shrinks afterwards.
func TestRetryAfter(t *testing.T) {
	var r refusals
	now := time.Now()
	after := 0
	for range 2000 {
		now = now.Add(50 * time.Millisecond)
		after = r.add(now)
	}
	if after != longest {
		t.Errorf("after 20 refusals a second for 100 s it is %d s", after)
	}
	if after = r.add(now.Add(time.Hour)); after != 1 {
		t.Errorf("an hour later it is %d s", after)
	}
}
