package fairness

import (
	"fmt"
	"slices"
	"strings"
	"testing"
	"testing/synctest"
	"time"
)

// TestDump: while one request is answered others wait, and a dump has them all, in their places.
func TestDump(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		c := newTest(1, one(ByUser, queued))
		for _, user := range []string{"first", "second", "second", "third"} {
			go ask(t.Context(), c, get(user), Work{Seats: 1}, time.Second)
			synctest.Wait()
		}
		began, dumps := time.Now(), c.Dump()
		if len(dumps) != 3 || dumps[0].Name != "all" || len(dumps[0].Queues) != int(queued.Queues) {
			t.Fatalf("%d levels, the first is %s", len(dumps), dumps[0].Name)
		}
		var got []string
		for _, r := range dumps[0].Requests {
			if r.Queue < 0 || !r.Arrived.Equal(began) || r.Began.IsZero() != (r.Place >= 0) {
				t.Errorf("%+v", r)
			}
			got = append(got, fmt.Sprint(r.Flow, " ", r.Place))
		}
		slices.Sort(got[1:]) // a hash gives flows their queues
		if want := []string{"first -1", "second 0", "second 0", "third 0"}; !slices.Equal(got, want) {
			t.Errorf("%q", got)
		}
		waiting, seats := 0, 0
		for _, q := range dumps[0].Queues {
			waiting, seats = waiting+q.Waiting, seats+q.SeatsInUse
		}
		if d := dumps[0]; d.Waiting != 3 || d.Executing != 1 || d.Dispatched != 1 || waiting != 3 || seats != 1 {
			t.Errorf("%d wait, %d are answered, %d were dispatched; in queues %d wait, and have %d seats", d.Waiting, d.Executing, d.Dispatched, waiting, seats)
		}
		time.Sleep(time.Minute)
		if d := c.Dump()[0]; d.Waiting+d.Executing != 0 || d.Dispatched != 4 || len(d.Requests) != 0 {
			t.Errorf("when all are answered: %+v", d)
		}
		idle(t, c)
	})
}

// TestPlainCell: no name makes a cell or a line more.
func TestPlainCell(t *testing.T) {
	for _, name := range []string{"", "jane", "système:ann", `O="x"`, "a,b", "a,\tb", "a\nexempt", "a\rb", "\x00", "\xff"} {
		page := string(aligned([][]string{{"NAME", "NEXT"}, {name, "x"}}))
		if strings.Count(page, "\n") != 2 || strings.Count(page, ",\t")+strings.Count(page, ", ") < 2 || strings.ContainsAny(page, "\r\x00") {
			t.Errorf("%q: %q", name, page)
		}
	}
	if got := plainCell("système:ann"); got != "système:ann" {
		t.Errorf("a name without any of that: %s", got)
	}
}
