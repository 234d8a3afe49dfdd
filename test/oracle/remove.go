package main

import (
	"bytes"
	"encoding/json"
	"net/http"
	"strconv"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"
)

// remove deletes a book, half of the time only the object or the version that was seen.
func (d *driver) remove(s *entrance) {
	op := Op{Verb: Delete, Version: d.version(), Key: d.key(), Dry: d.dry()}
	var options metav1.DeleteOptions
	if seen, ok := d.board.get(op.Key); ok && d.random.IntN(2) == 0 {
		options.Preconditions = new(metav1.Preconditions)
		if d.random.IntN(3) > 0 {
			op.Expect = seen.item.Revision
			revision := strconv.FormatInt(op.Expect, 10)
			options.Preconditions.ResourceVersion = &revision
		} else {
			op.ExpectUID = seen.item.UID
			uid := types.UID(op.ExpectUID)
			options.Preconditions.UID = &uid
		}
	}
	a := d.send(s, &op, request{method: http.MethodDelete, path: objectPath(op.Version, op.Key), contentType: asJSON, body: deleteOptions(op, options)})
	if a.outcome == OK && !op.Dry {
		if kindOf(a.data) == bookKind {
			d.took(&op, a) // it stays for now
		} else {
			op.UID = removedUID(a.data)
		}
	}
	d.recorder.op(op)
}

// removeAll deletes all books of a scope in one namespace; with a limit the first of them.
func (d *driver) removeAll(s *entrance) {
	op := Op{Verb: Collection, Version: d.version(), Query: Query{Scope: d.scope(), Match: Latest}, Dry: d.dry()}
	op.Query.Namespace = pick(d.random, namespaces)
	query := op.Query.values()
	switch d.random.IntN(3) {
	case 0:
		op.Query.Match = Any
		query.Set("resourceVersion", "0")
	case 1:
		op.Query.Limit = 1 + d.random.IntN(4)
		query.Set("limit", strconv.Itoa(op.Query.Limit))
	}
	a := d.send(s, &op, request{method: http.MethodDelete, path: path(op.Version, op.Query.Namespace), query: query, contentType: asJSON, body: deleteOptions(op, metav1.DeleteOptions{})})
	switch {
	case op.Dry:
	case a.outcome == OK:
		d.tookList(&op, a)
	case a.code != 0:
		op.Outcome = Unknown // it may have come to some of them, whatever it says
	}
	d.recorder.op(op)
}

func deleteOptions(op Op, options metav1.DeleteOptions) []byte {
	options.APIVersion, options.Kind = "v1", "DeleteOptions"
	if op.Dry {
		options.DryRun = []string{metav1.DryRunAll}
	}
	return mustJSON(options)
}

// kindOf is the kind of an answer in either media type.
func kindOf(data []byte) string {
	if bytes.HasPrefix(data, envelope) {
		u, err := unwrap(data)
		if err != nil {
			return ""
		}
		return u.Kind
	}
	var typ metav1.TypeMeta
	_ = json.Unmarshal(data, &typ) // what can't be read is of no kind
	return typ.Kind
}

// removedUID is what the answer to a deletion says was removed.
func removedUID(data []byte) string {
	a := answer{data: data}
	a.refused() // reads the Status, whatever it says
	if a.status.Details == nil {
		return ""
	}
	return string(a.status.Details.UID)
}
