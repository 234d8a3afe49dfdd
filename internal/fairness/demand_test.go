package fairness

import (
	"context"
	"testing"
	"testing/synctest"
	"time"
)

// TestIdleLends: a level that had much to do lends its seats once it has nothing to do any more.
func TestIdleLends(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		level := func(name string) Level {
			return Level{Name: name, Shares: 1, LendablePercent: 50, Queuing: queued}
		}
		schema := func(name string) Schema {
			return Schema{Name: name, Level: name, Precedence: 5, By: ByUser, Rules: everything(Subject{Kind: User, Name: name})}
		}
		c := newTest(20, Config{
			Levels:  []Level{level("busy"), level("burst"), {Name: CatchAll}},
			Schemas: []Schema{schema("busy"), schema("burst")},
		})
		for range 30 {
			go ask(t.Context(), c, get("burst"), Work{Seats: 1}, time.Second)
		}
		ctx, cancel := context.WithCancel(t.Context())
		for range 40 {
			go func() {
				for ctx.Err() == nil {
					_, _ = ask(ctx, c, get("busy"), Work{Seats: 1}, time.Second)
				}
			}()
		}
		time.Sleep(time.Hour)
		synctest.Wait() // else a race detector does not know that who changes it is done
		if got := c.levels["burst"].limit; got != 5 {
			t.Errorf("an hour later the level that has nothing to do has %d of its 10 seats, and lends 5 at most", got)
		}
		cancel()
		time.Sleep(time.Minute)
		idle(t, c)
	})
}

// TestDemandIsForgotten: half of it in five minutes, whether somebody has read it meanwhile or not.
func TestDemandIsForgotten(t *testing.T) {
	for _, every := range []time.Duration{period, time.Minute, time.Hour} {
		var d demand
		d.add(period, 100)
		d.read(0)
		for range time.Hour / every {
			d.add(every, 0)
			d.read(0)
		}
		if d.smoothed > 0.1 {
			t.Errorf("with a read every %v it is %.2f seats after an hour, want 100 / 2^12", every, d.smoothed)
		}
	}
}
