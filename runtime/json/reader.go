package json

import (
	"encoding/json"
	"errors"
	"fmt"
	"math"
	"reflect"
	"strings"
)

const (
	// maxDepth is how many objects and arrays may be inside each other, as in encoding/json.
	maxDepth = 10000
	// maxStrangeDepth is the same for data of strangers. It leaves room for what is put around
	// their objects, which others could not read otherwise: a list, an event, the names of fields.
	maxStrangeDepth = maxDepth - 100
)

// Reader reads one JSON value, piece by piece, in the order in which it stands in the data. Its
// methods return no errors. After one that ends the reading all of them do nothing, and the loops
// over fields and elements end. Whoever started the reading asks Err at the end.
//
// A Reader is for one value and one goroutine.
type Reader struct {
	data []byte
	pos  int
	// frames are the objects and arrays around pos, outermost first.
	frames []frame
	// closers are what skip waits for; kept for the next call.
	closers []byte
	// peeked is the closing quote of the string that PeekString saw.
	peeked int

	saved  error // the first value of another type
	hard   error // what a hand-written method said; it ended the reading
	broken bool  // the data is not JSON; it ended the reading
	where  where // of saved or hard

	strict     []error
	strictText int // how many bytes their texts have
	reported   map[string]bool

	shared bool
	chunk  []byte
	// odd has the keys that are not in data as they are meant, because there are escapes in them.
	odd []byte

	first [16]frame // room for frames

	room    int  // the bytes that may still be allocated
	depth   int  // how many frames there may be
	limited bool // Limit was called
	guard   func(t reflect.Type, value []byte) error
}

// frame is an object or an array that was begun and not ended. It has no pointers, which would cost
// more to write.
type frame struct {
	name, nameEnd int  // where the key at hand is in data, or in odd
	index         int  // of the element at hand; negative in an object
	begun         bool // the first key or element was seen
	odd           bool
}

// NewReader returns a Reader of data, which must not change until Err was called.
func NewReader(data []byte) *Reader {
	r := &Reader{data: data, room: math.MaxInt, depth: maxDepth}
	r.frames = r.first[:0]
	return r
}

// Shared lets the strings of what is read share memory with data, which must then never
// change. []byte fields are copied nevertheless. It returns r.
func (r *Reader) Shared() *Reader {
	r.shared = true
	return r
}

// Limit lets what is read take at most so many bytes of memory beside the strings in it, which are
// no longer than the data. It is needed because three bytes of JSON can stand for a struct of a
// thousand. Beyond it reading ends with ErrTooLarge. What is nested so deep that nothing could be
// put around it is ErrTooDeep. It returns r.
func (r *Reader) Limit(bytes int) *Reader {
	r.room, r.depth, r.limited = bytes, maxStrangeDepth, true
	return r
}

// Limited says whether Limit was called: the data is a stranger's.
func (r *Reader) Limited() bool { return r.limited }

// Guard has a function look at the JSON of each value that a type reads by itself, before it does.
// Its error ends the reading. It returns r.
func (r *Reader) Guard(look func(t reflect.Type, value []byte) error) *Reader {
	r.guard = look
	return r
}

// pass says whether a type may read a value by itself.
func (r *Reader) pass(t reflect.Type, value []byte) bool {
	if r.guard == nil || r.stopped() {
		return !r.stopped()
	}
	if t.Kind() == reflect.Pointer {
		t = t.Elem()
	}
	if err := r.guard(t, value); err != nil {
		r.Fail(err)
		return false
	}
	return true
}

var (
	// ErrTooLarge ends the reading of what would take more memory than Limit allows.
	ErrTooLarge = errors.New("json: the value takes too much memory")
	// ErrTooDeep ends the reading of what has more objects and arrays inside each other than Limit
	// allows.
	ErrTooDeep = fmt.Errorf("json: more than %d objects and arrays are inside each other", maxStrangeDepth)
)

// What an item of a list counts besides its size, because its validation allocates an error or the
// name of its field. An item without fields has one error at most.
const (
	itemCost   = 800
	scalarCost = 200
)

// ItemCost returns the cost of a list item for Limit, in addition to its size. A type that is not
// known before the value is read counts as one with fields.
func ItemCost(t reflect.Type) int {
	switch t.Kind() {
	case reflect.String, reflect.Bool, reflect.Int, reflect.Int8, reflect.Int16, reflect.Int32, reflect.Int64,
		reflect.Uint, reflect.Uint8, reflect.Uint16, reflect.Uint32, reflect.Uint64, reflect.Float32, reflect.Float64:
		return scalarCost
	}
	return itemCost
}

// nextItemCost is ItemCost for the value that comes next, whose type is not known.
func (r *Reader) nextItemCost() uintptr {
	if c := r.peek(); c == '{' || c == '[' {
		return itemCost
	}
	return scalarCost
}

// entryCost is the same for an entry of a map.
const entryCost = 320

// take notes that so many bytes are allocated.
func (r *Reader) take(bytes uintptr) {
	if r.room -= int(bytes); r.room < 0 {
		r.Fail(ErrTooLarge)
	}
}

// Err tells what is wrong with the data. It is a syntax error anywhere in it (a *json.SyntaxError
// of encoding/json), also if more than white space follows the value. It may be what a hand-written
// method said. Or it is the first value that does not fit its type, in which case everything else
// was read. It is called once, after the value was read.
func (r *Reader) Err() error {
	if !r.stopped() {
		r.space()
		r.broken = r.pos < len(r.data)
	}
	if r.stopped() {
		// Values are read before all of the data was seen. A syntax error behind comes first
		// nevertheless.
		var all json.RawMessage
		if err := json.Unmarshal(r.data, &all); err != nil {
			return err
		}
		if r.broken && r.limited {
			return ErrTooDeep // which is all that is wrong with it
		}
		if r.broken {
			return errors.New("json: the data changed while it was read")
		}
		return r.where.tell(r.hard)
	}
	return r.where.tell(r.saved)
}

// Strict returns the fields that are unknown or there twice, in the order of the data, and at most
// 100: each is a *FieldError. Of fields with very long paths there are fewer. It is nil if Err is
// not.
func (r *Reader) Strict() []error {
	if r.stopped() || r.saved != nil {
		return nil
	}
	return r.strict
}

// stopped tells whether reading ended before the end of the value.
func (r *Reader) stopped() bool { return r.broken || r.hard != nil }

// bad stops: the data is not JSON at pos.
func (r *Reader) bad() {
	if !r.stopped() {
		r.broken = true
	}
	r.pos = len(r.data)
}

// maxErrorText is how much of what a hand-written method said is told.
const maxErrorText = 4 << 10

// Fail stops with what a hand-written method said.
func (r *Reader) Fail(err error) {
	if !r.stopped() {
		if text := err.Error(); len(text) > maxErrorText { // most of it is what was sent
			err = errors.New(strings.ToValidUTF8(text[:maxErrorText], "") + " ...") // half a rune is none
		}
		r.hard, r.where = err, where{open: len(r.frames) + 1}
	}
	r.pos = len(r.data)
}

// save remembers the first error that does not stop.
func (r *Reader) save(err error) {
	if r.saved == nil && !r.stopped() {
		r.saved, r.where = err, where{open: len(r.frames) + 1}
	}
}

// push begins an object (index -1) or an array (index 0).
func (r *Reader) push(index int) {
	if len(r.frames) == r.depth {
		r.bad()
	}
	r.frames = append(r.frames, frame{index: index})
}

func (r *Reader) pop() { r.frames = r.frames[:len(r.frames)-1] }

// space passes over white space.
func (r *Reader) space() {
	for r.pos < len(r.data) && isSpace(r.data[r.pos]) {
		r.pos++
	}
}

func isSpace(c byte) bool { return c == ' ' || c == '\n' || c == '\r' || c == '\t' }

// peek returns the first byte of the next value without taking it, 0 at the end of the data.
func (r *Reader) peek() byte {
	for r.pos < len(r.data) {
		c := r.data[r.pos]
		if c > ' ' {
			return c
		}
		if !isSpace(c) {
			return c
		}
		r.pos++
	}
	return 0
}

// Null takes a null if that is the next value. It is also true when reading has stopped.
func (r *Reader) Null() bool {
	if r.peek() != 'n' {
		return r.stopped()
	}
	r.word("null")
	return true
}

// word takes true, false or null.
func (r *Reader) word(word string) bool {
	end := r.pos + len(word)
	if end > len(r.data) || string(r.data[r.pos:end]) != word {
		r.bad()
		return false
	}
	r.pos = end
	return true
}
