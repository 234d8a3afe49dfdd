package main

import (
	"bufio"
	"context"
	"encoding/json"
	"fmt"
	"net/http"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/typeplane/typeplane/internal/drill"
	"github.com/typeplane/typeplane/internal/faultclock"
	"github.com/typeplane/typeplane/internal/testserver"
)

// TestWrongClock lets the clock of a server jump by an hour and back while it runs, and starts it
// again while it is off. Clients have the right time. They are let in, also with what the server
// signed with a wrong clock. Writes go on, revisions rise, a watch hears of all, nothing is lost.
func TestWrongClock(t *testing.T) {
	if err := faultclock.Supported(); err != nil {
		drill.WrongClock.Skip(err.Error())
		t.Skip(err)
	}
	library, _ := build(t)
	program, err := faultclock.Prepare(library, t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	for _, off := range []time.Duration{time.Hour, -time.Hour} {
		t.Run(off.String(), func(t *testing.T) {
			c := &clocked{t: t, program: program, dir: filepath.Join(t.TempDir(), "data")}
			c.begin()
			c.creates("right")
			heard := c.watch()
			c.clock.Set(off)
			c.creates("off")
			c.clock.Set(0)
			c.creates("right-again")
			c.hears(heard, 3*booksEach)
			c.clock.Set(off)
			c.process.Kill()
			c.begin() // with the keys of before; what it signs now is of the wrong time
			c.creates("started-off")
			c.clock.Set(0)
			c.creates("later")
			lost := c.missing()
			if lost > 0 {
				t.Errorf("%d of %d books are lost", lost, len(c.created))
			}
			if asked, err := c.clock.Asked(); err != nil || asked == 0 {
				t.Errorf("the clock was looked at %d times: %v", asked, err)
			}
			drill.WrongClock.Count("jumps", 5)
			drill.WrongClock.Count("acknowledged writes", len(c.created))
			drill.WrongClock.Count("writes lost", lost)
			drill.WrongClock.Count("clients refused", c.refused)
			drill.WrongClock.Count("revisions that go back", c.back)
			c.process.Kill()
		})
	}

	// The first start, too, may be one with a wrong clock.
	for _, off := range []time.Duration{time.Hour, -time.Hour} {
		t.Run("from the first start, "+off.String(), func(t *testing.T) {
			c := &clocked{t: t, program: program, dir: filepath.Join(t.TempDir(), "data")}
			c.clock.Set(off)
			c.begin()
			c.creates("first")
			drill.WrongClock.Count("jumps", 1)
			drill.WrongClock.Count("clients refused", c.refused)
			c.process.Kill()
		})
	}
}

// booksEach is how many books are created at each time.
const booksEach = 20

// clocked is a server with a clock of its own.
type clocked struct {
	t            *testing.T
	program, dir string
	clock        faultclock.Clock
	process      *testserver.Process

	created       []string
	latest        int // revision
	refused, back int
}

// begin starts the server, and waits until a client with the right time gets an answer.
func (c *clocked) begin() {
	c.t.Helper()
	ctx, cancel := context.WithTimeout(c.t.Context(), time.Minute)
	defer cancel()
	cmd := exec.Command(c.program, "--data-dir", c.dir, "--secure-port", "0", "--enable-api=none")
	process, err := testserver.StartBy(ctx, cmd, func() error { return c.clock.Start(cmd) })
	if err != nil {
		drill.WrongClock.Count("clients refused", 1)
		c.t.Fatal(err)
	}
	c.process = process
	c.t.Cleanup(process.Kill)
}

// creates creates some books.
func (c *clocked) creates(when string) {
	c.t.Helper()
	for n := range booksEach {
		name := fmt.Sprintf("%s-%d", when, n)
		body := fmt.Sprintf(`{"metadata":{"name":%q},"spec":{"title":"T"}}`, name)
		resp, err := c.process.Client.Post(c.process.URL+path(storedVersion, "east"), asJSON, strings.NewReader(body))
		if err != nil {
			c.refused++
			c.t.Errorf("%s: %v", name, err)
			continue
		}
		var book struct {
			Metadata struct{ ResourceVersion string }
		}
		err = json.NewDecoder(resp.Body).Decode(&book)
		resp.Body.Close()
		revision, _ := strconv.Atoi(book.Metadata.ResourceVersion)
		switch {
		case resp.StatusCode != http.StatusCreated:
			c.refused++
			c.t.Errorf("%s: %s %v", name, resp.Status, err)
			continue
		case revision <= c.latest:
			c.back++
			c.t.Errorf("%s is of revision %d, behind %d", name, revision, c.latest)
		}
		c.created, c.latest = append(c.created, name), revision
	}
	c.process.Client.CloseIdleConnections() // the next ones shake hands again
}

// watch counts the books that are created from now on, until the server ends.
func (c *clocked) watch() *atomic.Int64 {
	c.t.Helper()
	heard := new(atomic.Int64)
	resp, err := c.process.Client.Get(c.process.URL + path(storedVersion, "") + "?watch=true")
	if err != nil {
		c.t.Fatal(err)
	}
	go func() {
		defer resp.Body.Close()
		for lines := bufio.NewScanner(resp.Body); lines.Scan(); {
			if strings.Contains(lines.Text(), `"ADDED"`) {
				heard.Add(1)
			}
		}
	}()
	return heard
}

// hears waits until the watch has heard of want books. A write is answered before its event is
// sent.
func (c *clocked) hears(heard *atomic.Int64, want int64) {
	c.t.Helper()
	for deadline := time.Now().Add(30 * time.Second); heard.Load() < want; time.Sleep(time.Millisecond) {
		if time.Now().After(deadline) {
			c.t.Errorf("the watch heard of %d books in 30 s, want %d", heard.Load(), want)
			return
		}
	}
	if n := heard.Load(); n > want {
		c.t.Errorf("the watch heard of %d books, want %d", n, want)
	}
}

// missing is how many of the created books are not there.
func (c *clocked) missing() (lost int) {
	c.t.Helper()
	for _, name := range c.created {
		resp, err := c.process.Client.Get(c.process.URL + path(storedVersion, "east") + "/" + name)
		if err != nil {
			c.t.Fatal(err)
		}
		resp.Body.Close()
		if resp.StatusCode != http.StatusOK {
			lost++
		}
	}
	return lost
}
