package main

import (
	"context"
	"fmt"
	"maps"
	"math/rand/v2"
	"net/url"
	"time"
)

// The objects that clients fight for.
var (
	namespaces = []string{"east", "west"}
	groups     = []string{"red", "green", "blue"}
	shelves    = []string{"low", "high"}
	finalizers = []string{"a", "b", "a,b"}
)

const namesPerNamespace = 8

// driver is one client that reads and writes at random.
type driver struct {
	number    int
	entrances []*entrance
	random    *rand.Rand
	recorder  *recorder
	board     *board
	writes    int
}

// pace is the longest pause between two requests of a client.
const pace = 12 * time.Millisecond

// run sends requests until ctx ends. The last one is waited for.
func (d *driver) run(ctx context.Context) {
	for ctx.Err() == nil {
		d.one()
		time.Sleep(rand.N(pace))
	}
}

// one sends one request, or those of one list.
func (d *driver) one() {
	s := d.entrance()
	switch n := d.random.IntN(200); {
	case n < 32:
		d.create(s, d.key(), d.newContent())
	case n < 62:
		d.update(s)
	case n < 88:
		d.patch(s)
	case n < 112:
		d.apply(s)
	case n < 130:
		d.remove(s)
	case n < 133:
		d.removeAll(s)
	case n < 143:
		d.touch(s)
	case n < 158:
		d.get(s)
	default:
		d.list(s)
	}
}

// often is how many requests of a client go to the same server behind a balancer.
const often = 4

// entrance is where the next request goes.
func (d *driver) entrance() *entrance {
	e := pick(d.random, d.entrances)
	if d.random.IntN(often) == 0 {
		e.leave()
	}
	return e
}

func (d *driver) key() string {
	return fmt.Sprintf("%s/book-%d", pick(d.random, namespaces), d.random.IntN(namesPerNamespace))
}

func pick[T any](random *rand.Rand, of []T) T { return of[random.IntN(len(of))] }

// token is unlike any other of the run.
func (d *driver) token() string {
	d.writes++
	return fmt.Sprintf("c%d-%d", d.number, d.writes)
}

// content is what an object holds, except for finalizers.
func (d *driver) content() Content {
	token := d.token()
	return Content{Token: token, Title: "title " + token, Group: pick(d.random, groups), Shelf: pick(d.random, shelves)}
}

// newContent is content with a finalizer now and then.
func (d *driver) newContent() Content {
	c := d.content()
	if d.random.IntN(4) == 0 {
		c.Finalizers = pick(d.random, finalizers)
	}
	return c
}

// version is the version that a request is made in.
func (d *driver) version() string {
	if d.random.IntN(3) == 0 {
		return otherVersion
	}
	return storedVersion
}

// manager is who writes: there are few, so that what one writes is often another's.
func (d *driver) manager() string { return pick(d.random, []string{"hand-1", "hand-2"}) }

// impatience lets the server give up now and then, in the middle of the request, or hangs up
// itself.
func (d *driver) impatience(op *Op, r *request) (context.Context, context.CancelFunc) {
	soon := time.Duration(1+d.random.IntN(12)) * time.Millisecond
	choice := d.random.IntN(40)
	op.Hasty = choice <= 2
	switch choice {
	case 0, 1:
		r.query = withQuery(r.query, "timeout", soon.String())
	case 2:
		return context.WithTimeout(context.Background(), soon)
	}
	return context.WithCancel(context.Background())
}

func withQuery(query url.Values, name, value string) url.Values {
	query = maps.Clone(query)
	if query == nil {
		query = url.Values{}
	}
	query.Set(name, value)
	return query
}

// mediaType is the form that an answer is wanted in.
func (d *driver) mediaType() string {
	if d.random.IntN(2) == 0 {
		return asJSON
	}
	return asProtobuf
}

// send sends the request of an op, and fills in when it was and what it came to.
func (d *driver) send(s *entrance, op *Op, r request) answer {
	r.accept = d.mediaType()
	op.Client, op.Remaining = d.number, -1
	ctx, cancel := d.impatience(op, &r)
	defer cancel()
	op.Start = d.recorder.now()
	a := s.do(ctx, r)
	op.End = d.recorder.now()
	op.Server, op.Outcome, op.Status, op.Message = a.server, a.outcome, a.code, a.message
	if op.Dry {
		op.Outcome = Failed
	}
	return a
}
