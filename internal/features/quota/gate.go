package quota

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"time"

	"github.com/typeplane/typeplane/internal/bookkeeping"
	"github.com/typeplane/typeplane/internal/wait"
	"github.com/typeplane/typeplane/storage"
)

// GatePrefix is where the gates of namespaces lie. No resource has such a name.
const GatePrefix = "/.quota-gates/"

// What a gate holds. A closed one has a number behind it, which grows while somebody counts.
const (
	gateOpen   = "open"
	gateClosed = "closed "
)

// gatePause is about how often one who waits looks at a closed gate.
const gatePause = 10 * time.Millisecond

// errGateLost says that somebody else has opened or closed the gate since.
var errGateLost = errors.New("the gate was opened by somebody who thought that this server had died")

type gates struct {
	store    storage.Interface
	patience time.Duration
}

// gate is what is known of one. The zero gate is none: there are no quotas.
type gate struct {
	key      string
	revision int64
	closed   bool
}

// expect is the operation of a writer that knows the gate as it is.
func (g gate) expect() storage.Op {
	return storage.Op{Key: g.key, Expected: g.revision, Act: storage.Expect}
}

func (g gate) there() bool { return g.revision > 0 }

// look returns the gate of a namespace, from memory unless sure is set.
func (g *gates) look(ctx context.Context, namespace string, sure bool) (gate, error) {
	key := GatePrefix + namespace
	entry, err := g.store.Get(ctx, key, storage.GetOptions{Any: !sure})
	if storage.CodeOf(err) == storage.CodeNotFound {
		return gate{key: key}, nil
	}
	if err != nil {
		return gate{}, err
	}
	content, _, err := bookkeeping.Decode(key, entry.Value, bookkeeping.First.Number)
	return gate{key: key, revision: entry.Revision, closed: bytes.HasPrefix(content, []byte(gateClosed))}, err
}

// pass returns the gate of a namespace when it is open, or is none.
func (g *gates) pass(ctx context.Context, namespace string, sure bool) (gate, error) {
	at, err := g.look(ctx, namespace, sure)
	seen, since := at.revision, time.Now()
	for err == nil && at.closed {
		if at.revision != seen {
			seen, since = at.revision, time.Now()
		}
		if time.Since(since) > g.patience {
			if err := g.reopen(ctx, at); err != nil {
				return gate{}, err
			}
		} else if _ = wait.Sleep(ctx, gatePause/2+rand.N(gatePause)); ctx.Err() != nil {
			return gate{}, ctx.Err()
		}
		at, err = g.look(ctx, namespace, true)
	}
	return at, err
}

// reopen opens a gate that was closed, unless it has moved meanwhile.
func (g *gates) reopen(ctx context.Context, at gate) error {
	_, err := g.store.GuaranteedUpdate(ctx, at.key, func(current storage.Entry) ([]byte, []storage.Op, error) {
		if current.Revision != at.revision {
			return current.Value, nil, nil
		}
		return []byte(gateOpen), nil, nil
	})
	if storage.CodeOf(err) == storage.CodeNotFound {
		return nil
	}
	return err
}

// closing is a gate that this server has closed, to count. It is for one goroutine.
type closing struct {
	gates *gates
	gate
	beats int
	beat  time.Time
}

// close closes the gate of a namespace, when it is open.
func (g *gates) close(ctx context.Context, namespace string) (*closing, error) {
	for {
		at, err := g.pass(ctx, namespace, true)
		if err != nil {
			return nil, err
		}
		c := &closing{gates: g, gate: at}
		switch err := c.write(ctx); {
		case err == nil:
			return c, nil
		case !errors.Is(err, errGateLost):
			return nil, err
		}
	}
}

// alive moves the gate now and then, so that those who wait know that somebody is counting.
func (c *closing) alive(ctx context.Context) error {
	if time.Since(c.beat) < c.gates.patience/8 {
		return nil
	}
	return c.write(ctx)
}

// write closes the gate, or moves it, from the revision at which it is known.
func (c *closing) write(ctx context.Context) error {
	c.beats++
	c.beat = time.Now()
	value := fmt.Appendf(nil, "%s%d", gateClosed, c.beats)
	var entry storage.Entry
	var err error
	if c.there() {
		entry, err = c.gates.store.GuaranteedUpdate(ctx, c.key, func(current storage.Entry) ([]byte, []storage.Op, error) {
			if current.Revision != c.revision {
				return nil, nil, errGateLost
			}
			return value, nil, nil
		})
	} else {
		entry, err = c.gates.store.Create(ctx, c.key, value)
	}
	switch storage.CodeOf(err) {
	case storage.CodeNotFound, storage.CodeExists:
		return errGateLost
	}
	if err == nil {
		c.revision, c.closed = entry.Revision, true
	}
	return err
}

// open is the operation that opens the gate, if it is still as it was left.
func (c *closing) open() storage.Op {
	return storage.Op{Key: c.key, Expected: c.revision, Value: []byte(gateOpen)}
}

// leave opens the gate if open was not carried out. If that fails, those who wait do it.
func (c *closing) leave(ctx context.Context) {
	ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), c.gates.patience)
	defer cancel()
	_ = c.gates.reopen(ctx, c.gate)
}
