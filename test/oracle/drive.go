package main

import (
	"context"
	"encoding/json"
	"fmt"
	"math/rand/v2"
	"net/http"
	"strconv"
	"strings"
	"time"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
)

// The objects that clients fight for.
var (
	namespaces = []string{"east", "west"}
	groups     = []string{"red", "green", "blue"}
	shelves    = []string{"low", "high"}
)

const namesPerNamespace = 8

// driver is one client that reads and writes at random.
type driver struct {
	number   int
	servers  []*server
	random   *rand.Rand
	recorder *recorder
	board    *board
	writes   int
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
	s := d.servers[d.random.IntN(len(d.servers))]
	switch n := d.random.IntN(100); {
	case n < 18:
		d.create(s, d.key(), d.content())
	case n < 36:
		d.update(s)
	case n < 50:
		d.patch(s)
	case n < 58:
		d.remove(s)
	case n < 75:
		d.get(s)
	default:
		d.list(s)
	}
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

func (d *driver) content() Content {
	token := d.token()
	return Content{Token: token, Title: "title " + token, Group: pick(d.random, groups), Shelf: pick(d.random, shelves)}
}

// mediaType is the form that an answer is wanted in.
func (d *driver) mediaType() string {
	if d.random.IntN(2) == 0 {
		return asJSON
	}
	return asProtobuf
}

// send sends the request of an op, and fills in when it was and what it came to.
func (d *driver) send(s *server, op *Op, r request) answer {
	r.accept = d.mediaType()
	op.Client, op.Server, op.Remaining = d.number, s.number, -1
	op.Start = d.recorder.now()
	a := s.do(context.Background(), r)
	op.End = d.recorder.now()
	op.Outcome, op.Status, op.Message = a.outcome, a.code, a.message
	return a
}

// write sends a write, whose answer is the object.
func (d *driver) write(s *server, op Op, r request) Outcome {
	if a := d.send(s, &op, r); a.outcome == OK {
		d.took(&op, a)
	}
	d.recorder.op(op)
	return op.Outcome
}

// took reads the object of an answer. One that can't be read is none, which no check allows.
func (d *driver) took(op *Op, a answer) {
	book, err := decodeBook(a.data)
	if err != nil {
		op.Message = err.Error()
		return
	}
	item, err := itemOf(book)
	if err != nil {
		op.Message = err.Error()
		return
	}
	op.Items = []Item{item}
	d.board.put(seenBook{a.data, item})
}

func (d *driver) create(s *server, key string, c Content) Outcome {
	body, err := json.Marshal(newBook(key, c))
	if err != nil {
		panic(err)
	}
	namespace, _, _ := strings.Cut(key, "/")
	return d.write(s, Op{Verb: Create, Key: key, Sent: c}, request{method: http.MethodPost, path: path(namespace), contentType: asJSON, body: body})
}

// update sends back a book that somebody saw, with another content: mostly on top of the version that was seen.
func (d *driver) update(s *server) {
	seen, ok := d.board.get(d.key())
	if !ok {
		return
	}
	book, err := decodeBook(seen.data)
	if err != nil {
		panic(err) // it has been read before
	}
	op := Op{Verb: Update, Key: seen.item.Key, Sent: d.content(), Expect: seen.item.Revision}
	book.APIVersion, book.Kind = bookVersion, bookKind
	if d.random.IntN(5) == 0 {
		op.Expect, book.ResourceVersion = 0, ""
	}
	setContent(book, op.Sent)
	body, err := json.Marshal(book)
	if err != nil {
		panic(err)
	}
	d.write(s, op, request{method: http.MethodPut, path: objectPath(op.Key), contentType: asJSON, body: body})
}

// patch changes one thing of a book, and its token.
func (d *driver) patch(s *server) {
	c := Content{Token: d.token()}
	switch d.random.IntN(3) {
	case 0:
		c.Title = "title " + c.Token
	case 1:
		c.Group = pick(d.random, groups)
	default:
		c.Shelf = pick(d.random, shelves)
	}
	d.change(s, d.key(), c)
}

func (d *driver) change(s *server, key string, c Content) Outcome {
	types := []string{"application/merge-patch+json", "application/strategic-merge-patch+json"}
	return d.write(s, Op{Verb: Patch, Key: key, Sent: c}, request{method: http.MethodPatch, path: objectPath(key), contentType: pick(d.random, types), body: mergePatch(c)})
}

// remove deletes a book, half of the time only in the version that was seen.
func (d *driver) remove(s *server) {
	op := Op{Verb: Delete, Key: d.key()}
	var options metav1.DeleteOptions
	options.APIVersion, options.Kind = "v1", "DeleteOptions"
	if seen, ok := d.board.get(op.Key); ok && d.random.IntN(2) == 0 {
		op.Expect = seen.item.Revision
		revision := strconv.FormatInt(op.Expect, 10)
		options.Preconditions = &metav1.Preconditions{ResourceVersion: &revision}
	}
	body, err := json.Marshal(options)
	if err != nil {
		panic(err)
	}
	a := d.send(s, &op, request{method: http.MethodDelete, path: objectPath(op.Key), contentType: asJSON, body: body})
	if a.outcome == OK {
		op.UID = removedUID(a.data)
	}
	d.recorder.op(op)
}

// removedUID is what the answer to a deletion says was removed.
func removedUID(data []byte) string {
	var status metav1.Status
	a := answer{data: data}
	a.refused() // reads the Status, whatever it says
	status = a.status
	if status.Details == nil {
		return ""
	}
	return string(status.Details.UID)
}
