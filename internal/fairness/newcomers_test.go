package fairness

import (
	"context"
	"fmt"
	"math/rand/v2"
	"sync"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"
)

// TestNewcomers: where more users than there are seats ask for one thing after the other, each of
// them is a newcomer whenever nothing of theirs is answered. Nobody waits for ever beside them, and
// neither does a request that needs several seats at once.
func TestNewcomers(t *testing.T) {
	for _, wide := range []int{1, 6, 14, 40} { // a quarter of the seats is for newcomers, so 14 never are free
		t.Run(fmt.Sprint(wide), func(t *testing.T) { synctest.Test(t, func(t *testing.T) { newcomers(t, wide) }) })
	}
}

// newcomers has 24 users share 16 seats, and one more who wants several at once.
func newcomers(t *testing.T, wide int) {
	c := newTest(16, one(ByUser, &Queuing{Queues: 4096, HandSize: 6, Length: 50}))
	ctx, cancel := context.WithCancel(t.Context())
	answered := make([]atomic.Int64, 25)
	var all sync.WaitGroup
	for i := range answered {
		work := Work{Seats: 1}
		if i == 0 {
			work.Seats = wide
		}
		all.Go(func() {
			for ctx.Err() == nil {
				if _, err := ask(ctx, c, get(fmt.Sprint("user", i)), work, 5*time.Millisecond+rand.N(10*time.Millisecond)); err == nil {
					answered[i].Add(1)
				}
			}
		})
	}
	time.Sleep(5 * time.Second)
	cancel()
	all.Wait()
	sum := int64(0)
	for i := range answered[1:] {
		sum += answered[1+i].Load()
	}
	each := sum / 24
	t.Logf("each user got %d answers, and the one who wants %d seats %d", each, wide, answered[0].Load())
	for i := range answered {
		least := each / 2
		if i == 0 {
			least /= int64(wide)
		}
		if got := answered[i].Load(); got < least {
			t.Errorf("user %d got %d answers, want %d at least", i, got, least)
		}
	}
	idle(t, c)
	if guests := c.levels["all"].guests; guests != 0 {
		t.Errorf("%d seats of newcomers are in use", guests)
	}
}
