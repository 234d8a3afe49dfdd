package main

import (
	"net/http"
	"net/url"
	"strconv"
	"strings"
	"time"
)

// freshness draws how fresh an answer is to be; now and then it is to be of the future.
func (d *driver) freshness() (match Match, revision int64) {
	switch n := d.random.IntN(10); {
	case n < 4:
		return Latest, 0
	case n < 6:
		return Any, 0
	}
	revision = max(1, d.board.revision()-d.random.Int64N(60)+2)
	if d.random.IntN(2) == 0 {
		return NotOlderThan, revision
	}
	return Exact, revision
}

func (d *driver) scope() Scope {
	var s Scope
	switch d.random.IntN(10) {
	case 0, 1, 2:
		s.Namespace = pick(d.random, namespaces)
	case 3, 4:
		s.Group = pick(d.random, groups)
		if d.random.IntN(4) == 0 {
			s.Group = "!" + s.Group
		}
	case 5, 6:
		s.Shelf = pick(d.random, shelves)
	case 7:
		s.Namespace, s.Name, _ = strings.Cut(d.key(), "/")
	}
	return s
}

// values is how a scope is asked for.
func (s Scope) values() url.Values {
	q := url.Values{}
	if group, not := strings.CutPrefix(s.Group, "!"); not {
		q.Set("labelSelector", groupLabel+"!="+group)
	} else if group != "" {
		q.Set("labelSelector", groupLabel+"="+group)
	}
	var fields []string
	if s.Name != "" {
		fields = append(fields, "metadata.name="+s.Name)
	}
	if s.Shelf != "" {
		fields = append(fields, "spec.shelf="+s.Shelf)
	}
	if len(fields) > 0 {
		q.Set("fieldSelector", strings.Join(fields, ","))
	}
	return q
}

func (d *driver) get(s *entrance) {
	op := Op{Verb: Get, Version: d.version(), Key: d.key()}
	query := url.Values{}
	switch op.Query.Match, op.Query.Revision = d.freshness(); op.Query.Match {
	case Any:
		query.Set("resourceVersion", "0")
	case NotOlderThan, Exact: // there is no exact get
		op.Query.Match = NotOlderThan
		query.Set("resourceVersion", strconv.FormatInt(op.Query.Revision, 10))
	}
	a := d.send(s, &op, request{method: http.MethodGet, path: objectPath(op.Version, op.Key), query: query})
	switch {
	case a.outcome == OK:
		d.took(&op, a)
	case a.code == http.StatusNotFound:
		op.Outcome = OK
	}
	d.recorder.op(op)
}

// list reads a list, or all its pages, with some time between them.
func (d *driver) list(s *entrance) {
	q := Query{Scope: d.scope()}
	q.Match, q.Revision = d.freshness()
	if d.random.IntN(2) == 0 && q.Match != Any {
		q.Limit = 1 + d.random.IntN(5)
	}
	query := q.values()
	switch q.Match {
	case Any:
		query.Set("resourceVersion", "0")
	case NotOlderThan:
		query.Set("resourceVersion", strconv.FormatInt(q.Revision, 10))
		if q.Limit > 0 || d.random.IntN(2) == 0 {
			query.Set("resourceVersionMatch", "NotOlderThan")
		}
	case Exact:
		query.Set("resourceVersion", strconv.FormatInt(q.Revision, 10))
		if q.Limit == 0 || d.random.IntN(2) == 0 { // a limit alone says it, too
			query.Set("resourceVersionMatch", "Exact")
		}
	}
	if q.Limit > 0 {
		query.Set("limit", strconv.Itoa(q.Limit))
	}
	for {
		next, op := d.page(s, q, query)
		if next == "" {
			return
		}
		query = q.values()
		query.Set("limit", strconv.Itoa(q.Limit))
		query.Set("continue", next)
		if op.Outcome == OK {
			q.Match, q.Revision, q.After = Exact, op.Revision, op.Items[len(op.Items)-1].Key
		} else {
			q.Match, q.Revision = Latest, 0 // the state is gone; the rest as it is now
		}
		s = d.entrance()
		time.Sleep(time.Duration(d.random.Int64N(int64(20 * time.Millisecond))))
	}
}

// page reads a page, and returns how to go on.
func (d *driver) page(s *entrance, q Query, query url.Values) (next string, op Op) {
	op = Op{Verb: List, Version: d.version(), Query: q}
	a := d.send(s, &op, request{method: http.MethodGet, path: path(op.Version, q.Namespace), query: query})
	switch {
	case a.outcome == OK:
		next = d.tookList(&op, a)
	case a.code == http.StatusGone:
		next = a.status.Continue
	}
	d.recorder.op(op)
	return next, op
}

// tookList reads the list of an answer. One that can't be read is a list of nothing at revision 0,
// which no check allows.
func (d *driver) tookList(op *Op, a answer) (next string) {
	list, err := decodeList(a.data)
	if err == nil {
		op.Revision, err = strconv.ParseInt(list.ResourceVersion, 10, 64)
	}
	if err == nil {
		op.Items, err = itemsOf(list.Items)
	}
	if err != nil {
		op.Revision, op.Items, op.Message = 0, nil, err.Error()
		return ""
	}
	d.board.reached(op.Revision)
	op.More = list.Continue != ""
	if list.RemainingItemCount != nil {
		op.Remaining = *list.RemainingItemCount
	}
	if len(op.Items) == 0 {
		return ""
	}
	return list.Continue
}
