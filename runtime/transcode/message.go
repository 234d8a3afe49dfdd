package transcode

import (
	"errors"
	"sync/atomic"
	"unsafe"

	"github.com/typeplane/typeplane/runtime/json"
)

// Message says how the messages of a type are written as JSON. Generated code declares them, and
// they never change.
type Message struct {
	// Members are the fields, in the order of JSON.
	Members []Member
	// Places says, by number, which of Members has it, counted from 1. nil: Members are in the
	// order of their numbers.
	Places []uint8
	// List says that the Go type is a list or a map, and its only member has the items.
	List bool
	// Decode, if it is set, does all of it: it is for types that have no word in a table.
	Decode func(dst, message []byte) ([]byte, error)
	// always is how many of Members are written even if they are not there, and 1; 0: nobody has
	// counted. It is read and written atomically.
	always int32
}

// Member says how a field is written.
type Member struct {
	// Name is what stands before the value: a comma, the quoted name, and a colon. Whoever closes
	// the object makes a brace of the first comma.
	Name string
	// Tag is what stands before each value in the message: the number and the wire type.
	Tag uint32
	// Form is how one value is written, Rule what is done with several of them, or none.
	Form Form
	Rule Rule
	// Of is the type of the value, for Struct, Inline and Metadata.
	Of *Message
}

// Form is how a value is written.
type Form uint8

const (
	Text Form = iota
	Bytes
	Bool
	Int32
	Int64
	Uint32
	Uint64
	Float32
	Float64
	Struct
	Inline   // an embedded struct: its members are those of the struct around it
	Metadata // the ObjectMeta of a kind: its resourceVersion is the revision of the whole object
	Time     // metav1.Time
	Hidden   // JSON does not have it
	version  // the resourceVersion in an ObjectMeta
	fieldSet // the FieldsV1 of a manager
)

// Rule is a set of these bits. Without any of them a field is always written.
type Rule uint8

const (
	// Optional leaves out what is empty: zero, "", a list without items.
	Optional Rule = 1 << iota
	// Pointer tells nil, which is a field that is not there, from what is empty. nil is null, or
	// left out if it is Optional.
	Pointer
	// List is a field for each item, Map one for each entry, with strings as keys.
	List
	Map
)

var (
	errMalformed = errors.New("transcode: the message is malformed")
	errForeign   = errors.New("transcode: the fields of a message are not those of its type, each once and in order")
	errDepth     = errors.New("transcode: the message is nested too deep")
)

// asStored is given in place of a revision by those who leave the resourceVersion as it is.
const asStored = -1

// maxDepth is how deep messages are nested that package protobuf reads.
const maxDepth = 10000

// Append appends the JSON of an object: message is what its envelope holds. revision becomes its
// resourceVersion, whatever that was; with 0 there is none. The FieldsV1 in its own managedFields
// are copied, so they are what AppendJSON would write of them. After an error what was appended is
// worth nothing; there is none for canonical values. It keeps no part of message.
func (m *Message) Append(dst, message []byte, revision int64) ([]byte, error) {
	w := writer{dst: dst, data: message}
	w.message(m, 0, len(message), revision)
	return w.dst, w.err
}

// writer appends one object. It is an ordinary variable of Append, which no other function keeps,
// so it costs no allocation. After an error it goes on: what comes of it is worth nothing, and
// there is little left.
type writer struct {
	dst   []byte
	data  []byte // the whole message: those in it are parts of it, from one place to another
	depth int
	// settled says that FieldsV1 are those of the object itself, and are copied.
	settled bool
	err     error
}

// fail keeps the first error.
func (w *writer) fail(err error) {
	if w.err == nil {
		w.err = err
	}
}

// message appends a value of a type, whose message is from i to end. at is the revision of the
// whole object.
func (w *writer) message(m *Message, i, end int, at int64) {
	switch {
	case m.Decode != nil:
		dst, err := m.Decode(w.dst, w.data[i:end:end])
		if err != nil {
			w.fail(err)
			return
		}
		w.dst = dst
		return
	case w.depth > maxDepth:
		w.fail(errDepth)
		return
	}
	w.depth++
	if m.List {
		w.list(m, i, end)
	} else {
		start := len(w.dst)
		w.members(m, i, end, at)
		w.dst = json.Close(w.dst, start)
	}
	w.depth--
}

// members appends what stands between the braces, with a comma before each member.
func (w *writer) members(m *Message, i, end int, at int64) {
	if m.Places != nil {
		w.sorted(m, i, end, at)
		return
	}
	data := w.data[:end]
	tag, i := next(data, i)
	for k := range m.Members {
		f := &m.Members[k]
		if f.Tag != tag {
			if f.Rule&Optional == 0 {
				w.absent(f, at)
			}
			continue
		}
		i = w.field(f, i, end, at)
		if i < len(data) && data[i] < 0x80 {
			tag = uint32(data[i])
			i++
		} else {
			tag, i = next(data, i)
		}
	}
	if tag != endTag {
		w.fail(errForeign)
	}
}

// sorted is members for a type whose members have another order in JSON than in protobuf. It
// appends them in the order of their numbers, which is nearly that of JSON, and moves each one that
// belongs further ahead.
func (w *writer) sorted(m *Message, i, end int, at int64) {
	var room [64]int32
	starts := room[:] // where each member begins behind start, counted from 1; 0: it is not there
	if len(m.Members) > len(room) {
		starts = make([]int32, len(m.Members))
	}
	data, last, start := w.data[:end], uint32(0), len(w.dst)-1
	top, always := -1, int32(1) // the last of them so far, and how many always are
	for tag, i := next(data, i); tag != endTag; {
		number := tag >> 3
		if number <= last || number >= uint32(len(m.Places)) || m.Places[number] == 0 {
			w.fail(errForeign)
			return
		}
		last = number
		k := int(m.Places[number]) - 1
		f := &m.Members[k]
		if f.Tag != tag {
			w.fail(errForeign)
			return
		}
		if f.Rule&Optional == 0 {
			always++
		}
		starts[k] = int32(len(w.dst) - start)
		i = w.field(f, i, end, at)
		if k > top {
			top = k
		} else {
			w.move(starts[:top+1], k, start)
		}
		if i < len(data) && data[i] < 0x80 {
			tag = uint32(data[i])
			i++
		} else {
			tag, i = next(data, i)
		}
	}
	if always == m.required() {
		return
	}
	for k := range m.Members {
		if f := &m.Members[k]; starts[k] == 0 && f.Rule&Optional == 0 {
			starts[k] = int32(len(w.dst) - start)
			w.absent(f, at)
			w.move(starts[:len(m.Members)], k, start)
		}
	}
}

// move takes member k from the end to before those that are behind it in JSON.
func (w *writer) move(starts []int32, k, start int) {
	from, to := start+int(starts[k]), 0
	size := len(w.dst) - from
	for n := len(starts) - 1; n > k; n-- {
		if starts[n] != 0 {
			to = int(starts[n])
			starts[n] += int32(size)
		}
	}
	if to == 0 {
		return
	}
	starts[k] = int32(to)
	to += start
	w.dst = append(w.dst, w.dst[from:]...)
	copy(w.dst[to+size:], w.dst[to:from])
	copy(w.dst[to:], w.dst[from+size:])
	w.dst = w.dst[:from+size]
}

// required returns always, counted.
func (m *Message) required() int32 {
	if n := atomic.LoadInt32(&m.always); n > 0 {
		return n
	}
	n := int32(1)
	for k := range m.Members {
		if m.Members[k].Rule&Optional == 0 {
			n++
		}
	}
	atomic.StoreInt32(&m.always, n)
	return n
}

// list appends a value whose type is a list or a map, and that is not nil.
func (w *writer) list(m *Message, i, end int) {
	f := &m.Members[0]
	tag, i := next(w.data[:end], i)
	switch {
	case tag == endTag && f.Rule&Map != 0:
		w.dst = append(w.dst, "{}"...)
	case tag == endTag:
		w.dst = append(w.dst, "[]"...)
	case tag != f.Tag || w.all(f, i, end) != end:
		w.fail(errForeign)
	}
}

// absent appends a field that is not in the message and is not to be left out.
func (w *writer) absent(f *Member, at int64) {
	const none = 0
	switch {
	case f.Form == Hidden || f.Form == version && at <= 0 || f.Form == Inline && f.Rule&Pointer != 0:
	case f.Form == version:
		w.dst = appendVersion(w.dst, f.Name, at)
	case f.Form == Inline:
		w.inline(f.Of, none, none)
	case f.Form == Metadata:
		w.dst = append(w.dst, f.Name...)
		w.message(f.Of, none, none, at)
	case f.Rule&(Pointer|List|Map) != 0 || f.Form == Time || f.Form == Bytes:
		w.dst = append(append(w.dst, f.Name...), "null"...)
	default:
		w.dst = append(w.dst, f.Name...)
		w.zero(f)
	}
}

// zero appends the zero value of a type that is never null.
func (w *writer) zero(f *Member) {
	switch f.Form {
	case Text, Bytes:
		w.dst = append(w.dst, `""`...)
	case Bool:
		w.dst = append(w.dst, "false"...)
	case Time:
		w.dst = append(w.dst, "null"...)
	case Struct:
		w.message(f.Of, 0, 0, asStored)
	default:
		w.dst = append(w.dst, '0')
	}
}

// inline appends the members of an embedded struct, as members does.
func (w *writer) inline(m *Message, i, end int) {
	if m.Decode == nil {
		w.members(m, i, end, asStored)
		return
	}
	start := len(w.dst)
	w.message(m, i, end, asStored)
	if len(w.dst)-start <= len("{}") {
		w.dst = w.dst[:start]
		return
	}
	w.dst[start] = ','
	w.dst = w.dst[:len(w.dst)-1]
}

// isZero says whether a message is that of a zero value.
func (m *Message) isZero(body []byte, depth int) (bool, error) {
	if m.List {
		return len(body) == 0, nil
	}
	for len(body) > 0 {
		tag, i := next(body, 0)
		f := m.find(tag)
		if f == nil || depth > maxDepth {
			return false, errForeign
		}
		end := skip(f.Tag, body, i)
		if end < 0 {
			return false, errMalformed
		}
		zero := false
		switch value := body[i:end]; {
		case f.Rule&(Pointer|List|Map) != 0 || f.Form == Bytes:
		case f.Form == Struct || f.Form == Inline || f.Form == Metadata:
			inside, _ := content(body, i)
			var err error
			if zero, err = f.Of.isZero(inside, depth+1); err != nil {
				return false, err
			}
		default:
			zero = allZero(value)
		}
		if !zero {
			return false, nil
		}
		body = body[end:]
	}
	return true, nil
}

// allZero says whether all bytes are 0: so are the zero values of numbers, and the length of what
// is empty.
func allZero(value []byte) bool {
	for _, c := range value {
		if c != 0 {
			return false
		}
	}
	return true
}

func (m *Message) find(tag uint32) *Member {
	for k := range m.Members {
		if m.Members[k].Tag == tag {
			return &m.Members[k]
		}
	}
	return nil
}

// What next returns in place of the tag of a member.
const (
	noTag  = 0
	endTag = 1<<32 - 1
)

// next reads the tag at i and returns where the value begins. It is endTag at the end of body, and
// noTag if it can't be read.
func next(body []byte, i int) (tag uint32, begin int) {
	switch {
	case i >= len(body):
		return endTag, i
	case body[i] < 0x80:
		return uint32(body[i]), i + 1
	case i+1 < len(body) && body[i+1] < 0x80:
		return uint32(body[i]&0x7f) | uint32(body[i+1])<<7, i + 2
	}
	return longTag(body, i)
}

func longTag(body []byte, i int) (tag uint32, begin int) {
	v, end := varint(body, i)
	if end < 0 || v >= endTag {
		return noTag, i
	}
	return uint32(v), end
}

// varint reads a number at i; end is -1 if there is none.
func varint(body []byte, i int) (v uint64, end int) {
	if i < len(body) && body[i] < 0x80 {
		return uint64(body[i]), i + 1
	}
	for shift := 0; i < len(body) && shift < 64; shift += 7 {
		c := body[i]
		i++
		v |= uint64(c&0x7f) << shift
		if c < 0x80 {
			return v, i
		}
	}
	return 0, -1
}

// extent reads a length at i, and returns from where to where what has it is. end is -1 if it is
// not there.
func extent(body []byte, i int) (begin, end int) {
	n, begin := varint(body, i)
	if begin < 0 || n > uint64(len(body)-begin) {
		return 0, -1
	}
	return begin, begin + int(n)
}

// content is what has a length before it, at i; end is -1 if it is not there.
func content(body []byte, i int) (inside []byte, end int) {
	begin, end := extent(body, i)
	if end < 0 {
		return nil, -1
	}
	return body[begin:end:end], end
}

// text is a string that shares its bytes with body.
func text(body []byte) string { return unsafe.String(unsafe.SliceData(body), len(body)) }
