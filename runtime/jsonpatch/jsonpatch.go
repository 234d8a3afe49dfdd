// Package jsonpatch reads and applies JSON patches (RFC 6902) that strangers wrote: clients, and
// webhooks.
//
// It puts two sets of bounds around the code of a library. A patch that lacks something is refused
// with the number of the operation before anything is applied. A patch that would cost much more to
// carry out than to send is refused, too. Start reading at Parse. It knows no objects: what a patch
// makes of a document is for the caller to judge.
package jsonpatch

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"strconv"
	"strings"

	jsonpatch "gopkg.in/evanphx/json-patch.v4"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	kjson "sigs.k8s.io/json"
)

const (
	// maxOperations bounds a patch: each operation costs more to carry out than to send.
	maxOperations = 10_000
	// maxCopied bounds the bytes that all "copy" operations of a patch make: each could double the
	// document.
	maxCopied = 3 << 20
	// maxMoved bounds the items that all operations of a patch move: each copies the whole list
	// that it puts an item into, or takes one out of.
	maxMoved = 150_000_000
)

// ErrTestFailed says that a "test" of a patch found something else, so that nothing was done.
var ErrTestFailed = jsonpatch.ErrTestFailed

func init() {
	// The library has this one bound for all of the process.
	jsonpatch.AccumulatedCopySizeLimit = maxCopied
}

// Patch is a list of operations. It is not modified; it may be applied by several goroutines.
type Patch struct {
	ops jsonpatch.Patch
	// moves is how often an item is put into a list or taken out of one, items how many items the
	// values may have.
	moves, items int
}

// operation is one of them as it should be. Value is a pointer so that null is not the same as
// nothing.
type operation struct {
	Op    string           `json:"op"`
	Path  *string          `json:"path"`
	From  *string          `json:"from"`
	Value *json.RawMessage `json:"value"`
}

// Parse reads a patch; strict are the fields that no operation has. A patch with too many
// operations is an API status.
func Parse(text []byte) (p Patch, strict []error, err error) {
	var ops []operation
	if strict, err = kjson.UnmarshalStrict(text, &ops); err != nil {
		return Patch{}, nil, err
	}
	if len(ops) > maxOperations {
		return Patch{}, nil, apierrors.NewRequestEntityTooLargeError(fmt.Sprintf("the allowed maximum operations in a JSON patch is %d, got %d", maxOperations, len(ops)))
	}
	for i, err := range strict {
		strict[i] = fmt.Errorf("json patch %w", err)
	}
	if p.ops, err = jsonpatch.DecodePatch(text); err != nil {
		return Patch{}, nil, err
	}
	for i, op := range ops {
		_, hasValue := p.ops[i]["value"]
		if err := op.check(hasValue); err != nil {
			return Patch{}, nil, fmt.Errorf("operation %d: %w", i, err)
		}
		p.moves += op.moves()
		if p.items++; op.Value != nil {
			p.items += bytes.Count(*op.Value, comma)
		}
	}
	return p, strict, nil
}

// comma is what there is less of in a document than items in any list of it.
var comma = []byte(",")

// moves is how often the operation puts an item into a list, or takes one out of it. A member whose
// name is a number counts as well.
func (o operation) moves() (n int) {
	places := []*string{o.Path}
	switch o.Op {
	case "test", "replace":
		return 0
	case "move":
		places = append(places, o.From)
	}
	for _, place := range places {
		if _, err := strconv.Atoi((*place)[strings.LastIndexByte(*place, '/')+1:]); err == nil {
			n++
		}
	}
	return n
}

// check says what an operation lacks.
func (o operation) check(hasValue bool) error {
	switch o.Op {
	case "add", "replace", "test":
		if !hasValue {
			return fmt.Errorf("%q needs a value", o.Op)
		}
	case "move", "copy":
		if o.From == nil {
			return fmt.Errorf("%q needs a from", o.Op)
		}
	case "remove":
	default:
		return fmt.Errorf("%q is not one of add, remove, replace, move, copy, test", o.Op)
	}
	if o.Path == nil {
		return fmt.Errorf("%q needs a path", o.Op)
	}
	return nil
}

// Empty says that there is nothing to do.
func (p Patch) Empty() bool { return len(p.ops) == 0 }

// Apply returns the document after all operations; doc stays as it is. An error says which part
// does not fit the document, or is an API status where it would be too much work. A panic of the
// library, which strange patches have caused, is an error.
func (p Patch) Apply(doc []byte) (next []byte, err error) {
	defer func() {
		if r := recover(); r != nil {
			next, err = nil, fmt.Errorf("it can't be applied: %v", r)
		}
	}()
	if items := p.items + bytes.Count(doc, comma); p.moves > maxMoved/(items+1) {
		return nil, apierrors.NewRequestEntityTooLargeError(fmt.Sprintf(
			"the patch adds or removes an item by its index %d times, in a document that may have lists of %d items: replace the list, or send several patches", p.moves, items))
	}
	next, err = p.ops.Apply(doc)
	var copied *jsonpatch.AccumulatedCopySizeError
	if errors.As(err, &copied) {
		return nil, apierrors.NewRequestEntityTooLargeError(fmt.Sprintf("the copy operations of the patch make more than %d bytes", maxCopied))
	}
	return next, err
}
