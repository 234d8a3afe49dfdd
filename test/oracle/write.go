package main

import (
	"net/http"
	"net/url"
	"strconv"
	"strings"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
)

// by is how a request says who writes.
func by(op *Op) url.Values { return url.Values{"fieldManager": {op.Manager}} }

func (d *driver) create(s *entrance, key string, c Content) Outcome {
	op := Op{Verb: Create, Version: d.version(), Key: key, Sent: c, Manager: d.manager()}
	namespace, _, _ := strings.Cut(key, "/")
	return d.write(s, op, request{method: http.MethodPost, path: path(op.Version, namespace), query: by(&op), contentType: asJSON, body: mustJSON(newBook(op.Version, key, c))})
}

// update sends back a book that somebody saw, with another content. Mostly it is on top of the
// version that was seen, else over whatever is there, or at least over any version of the same
// object.
func (d *driver) update(s *entrance) {
	seen, ok := d.board.get(d.key())
	if !ok {
		return
	}
	book, err := decodeBook(seen.data)
	if err != nil {
		panic(err) // it has been read before
	}
	op := Op{Verb: Update, Version: d.version(), Key: seen.item.Key, Sent: d.content(), Manager: d.manager(), Expect: seen.item.Revision, ExpectUID: seen.item.UID}
	op.Sent.Finalizers, op.Sent.Applied = d.finalize(seen.item), seen.item.Applied
	book.APIVersion, book.Kind = bookGroup+op.Version, bookKind
	if d.random.IntN(5) == 0 {
		// What was seen of other writers may be old, and must not come back.
		op.Expect, op.Sent.Applied = 0, [appliers]string{}
		book.ResourceVersion, book.ManagedFields = "", nil
		if d.random.IntN(2) == 0 {
			op.ExpectUID = ""
			book.UID, book.DeletionTimestamp, book.DeletionGracePeriodSeconds = "", nil, nil
		}
	}
	setContent(book, op.Sent)
	d.write(s, op, request{method: http.MethodPut, path: objectPath(op.Version, op.Key), query: by(&op), contentType: asJSON, body: mustJSON(book)})
}

// finalize chooses the finalizers of an object that was seen: those of one that is being deleted go
// one by one.
func (d *driver) finalize(seen Item) string {
	n := d.random.IntN(10)
	switch {
	case seen.Deleting && n < 7:
		_, rest, _ := strings.Cut(seen.Finalizers, ",")
		return rest
	case n == 0:
		return pick(d.random, finalizers)
	case n == 1:
		return ""
	}
	return seen.Finalizers
}

// patch changes one thing of a book, and its token; now and then also its finalizers, or only the
// version that was seen.
func (d *driver) patch(s *entrance) {
	op := Op{Verb: Patch, Version: d.version(), Key: d.key(), Sent: Content{Token: d.token()}, Manager: d.manager()}
	switch d.random.IntN(3) {
	case 0:
		op.Sent.Title = "title " + op.Sent.Token
	case 1:
		op.Sent.Group = pick(d.random, groups)
	default:
		op.Sent.Shelf = pick(d.random, shelves)
	}
	typ := pick(d.random, []patchType{mergeType, strategicType, jsonType})
	seen, ok := d.board.get(op.Key)
	if ok && d.random.IntN(5) == 0 {
		op.Expect = seen.item.Revision
	}
	switch {
	case !ok || !seen.item.Deleting && d.random.IntN(4) > 0:
	case typ == strategicType:
		op.Finalize = pick(d.random, []string{"+a", "+b", "-a", "-b"})
	default:
		op.Finalize = "=" + d.finalize(seen.item)
	}
	d.change(s, op, typ)
}

func (d *driver) change(s *entrance, op Op, typ patchType) Outcome {
	return d.write(s, op, request{method: http.MethodPatch, path: objectPath(op.Version, op.Key), query: by(&op), contentType: string(typ), body: patchBody(&op, typ)})
}

// apply says what one of the appliers wants some fields of a book to be. What it does not name any
// more, goes. Half of the time it takes fields over, else it often meets those of others.
func (d *driver) apply(s *entrance) {
	op := Op{Verb: Apply, Version: d.version(), Key: d.key(), Force: d.random.IntN(2) == 0}
	applier, token := d.random.IntN(appliers), d.token()
	op.Manager = "tool-" + strconv.Itoa(applier)
	op.Sent.Applied[applier] = token
	seen, ok := d.board.get(op.Key)
	// Without a title it can't be made, and who had the title must go on to name it.
	if d.random.IntN(2) == 0 {
		op.Sent.Title = "title " + token
	} else if ok && d.random.IntN(2) == 0 {
		op.Sent.Title = seen.item.Title
	}
	if d.random.IntN(3) == 0 {
		op.Sent.Group = pick(d.random, groups)
	}
	if d.random.IntN(3) == 0 {
		op.Sent.Shelf = pick(d.random, shelves)
	}
	if d.random.IntN(5) == 0 {
		op.Sent.Finalizers = pick(d.random, finalizers)
	}
	if ok && d.random.IntN(6) == 0 {
		op.Expect = seen.item.Revision
	}
	query := by(&op)
	if op.Force {
		query.Set("force", "true")
	}
	d.write(s, op, request{method: http.MethodPatch, path: objectPath(op.Version, op.Key), query: query, contentType: applyType, body: applyBody(&op)})
}

// touch writes what is there already: an empty patch, or a book as it was seen.
func (d *driver) touch(s *entrance) {
	op := Op{Verb: Touch, Version: d.version(), Key: d.key(), Query: Query{Match: Latest}}
	r := request{method: http.MethodPatch, path: objectPath(op.Version, op.Key)}
	seen, ok := d.board.get(op.Key)
	switch n := d.random.IntN(4); {
	case n == 0:
		r.contentType, r.body = string(jsonType), []byte("[]")
	case n == 1 || !ok:
		r.contentType, r.body = string(pick(d.random, []patchType{mergeType, strategicType})), []byte("{}")
	default:
		book, err := decodeBook(seen.data)
		if err != nil {
			panic(err) // it has been read before
		}
		book.APIVersion, book.Kind = bookGroup+op.Version, bookKind
		op.Expect, op.ExpectUID = seen.item.Revision, seen.item.UID
		r.method, r.contentType, r.body = http.MethodPut, asJSON, mustJSON(book)
	}
	switch a := d.send(s, &op, r); {
	case a.outcome == OK:
		d.took(&op, a)
	case a.code == http.StatusNotFound:
		op.Outcome = OK
	}
	d.recorder.op(op)
}

// write sends a write, whose answer is the object.
func (d *driver) write(s *entrance, op Op, r request) Outcome {
	if op.Dry = d.dry(); op.Dry {
		r.query = withQuery(r.query, "dryRun", metav1.DryRunAll)
	}
	if a := d.send(s, &op, r); a.outcome == OK && !op.Dry {
		d.took(&op, a)
	}
	d.recorder.op(op)
	return op.Outcome
}

// dry says whether a write is only for show.
func (d *driver) dry() bool { return d.random.IntN(12) == 0 }

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
