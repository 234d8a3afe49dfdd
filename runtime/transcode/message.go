package transcode

import (
	"errors"
	"unsafe"

	"github.com/typeplane/typeplane/runtime/json"
)

// Message says how the messages of a type are written as JSON. Generated code declares them; they
// never change.
type Message struct {
	// Members are the fields, in the order of JSON.
	Members []Member
	// ByNumber are the places of Members in the order of their numbers. nil: it is the same order.
	ByNumber []uint8
	// List says that the Go type is a list or a map, and its only member has the items.
	List bool
	// Decode, if it is set, does all of it: it is for types that have no word in a table.
	Decode func(dst, message []byte) ([]byte, error)
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
// resourceVersion, whatever that was; with 0 there is none. After an error what was appended is
// worth nothing; there is none for canonical values. It keeps no part of message.
func (m *Message) Append(dst, message []byte, revision int64) ([]byte, error) {
	return m.append(dst, message, revision, 0)
}

// append appends a value of the type. at is the revision of the whole object.
func (m *Message) append(dst, body []byte, at int64, depth int) (_ []byte, err error) {
	switch {
	case m.Decode != nil:
		return m.Decode(dst, body)
	case depth > maxDepth:
		return dst, errDepth
	case m.List:
		return m.appendList(dst, body, depth)
	}
	start := len(dst)
	if dst, err = m.members(dst, body, at, depth); err != nil {
		return dst, err
	}
	return json.Close(dst, start), nil
}

// members appends what stands between the braces, with a comma before each member.
func (m *Message) members(dst, body []byte, at int64, depth int) (_ []byte, err error) {
	if m.ByNumber != nil {
		return m.sorted(dst, body, at, depth)
	}
	tag, i := next(body, 0)
	for k := range m.Members {
		f := &m.Members[k]
		switch {
		case f.Tag == tag:
			if dst, i, err = f.appendField(dst, body, i, at, depth); err != nil {
				return dst, err
			}
			tag, i = next(body, i)
		case f.Rule&Optional == 0:
			if dst, err = f.appendAbsent(dst, at, depth); err != nil {
				return dst, err
			}
		}
	}
	if tag != endTag {
		return dst, errForeign
	}
	return dst, nil
}

// sorted is members for a type whose members have another order in JSON than in protobuf: it finds
// where each of them is first.
func (m *Message) sorted(dst, body []byte, at int64, depth int) (_ []byte, err error) {
	var room [64]uint32
	places := room[:]
	if len(m.Members) > len(room) {
		places = make([]uint32, len(m.Members))
	}
	tag, i := next(body, 0)
	for _, k := range m.ByNumber {
		f := &m.Members[k]
		if f.Tag != tag {
			continue
		}
		places[k] = uint32(i)
		if i = f.skip(body, i); i < 0 {
			return dst, errMalformed
		}
		tag, i = next(body, i)
	}
	if tag != endTag {
		return dst, errForeign
	}
	for k := range m.Members {
		f := &m.Members[k]
		switch {
		case places[k] != 0:
			dst, _, err = f.appendField(dst, body, int(places[k]), at, depth)
		case f.Rule&Optional == 0:
			dst, err = f.appendAbsent(dst, at, depth)
		}
		if err != nil {
			return dst, err
		}
	}
	return dst, nil
}

// appendList appends a value whose type is a list or a map, and that is not nil.
func (m *Message) appendList(dst, body []byte, depth int) ([]byte, error) {
	f := &m.Members[0]
	tag, i := next(body, 0)
	switch {
	case tag == endTag && f.Rule&Map != 0:
		return append(dst, "{}"...), nil
	case tag == endTag:
		return append(dst, "[]"...), nil
	case tag != f.Tag:
		return dst, errForeign
	}
	dst, i, err := f.appendField(dst, body, i, asStored, depth)
	if err == nil && i != len(body) {
		err = errForeign
	}
	return dst, err
}

// appendAbsent appends a field that is not in the message and is not to be left out.
func (f *Member) appendAbsent(dst []byte, at int64, depth int) ([]byte, error) {
	switch {
	case f.Form == Hidden || f.Form == version && at <= 0 || f.Form == Inline && f.Rule&Pointer != 0:
		return dst, nil
	case f.Form == version:
		return appendVersion(dst, f.Name, at), nil
	case f.Form == Inline:
		return f.Of.inline(dst, nil, depth+1)
	case f.Form == Metadata:
		return f.Of.append(append(dst, f.Name...), nil, at, depth+1)
	case f.Rule&(Pointer|List|Map) == 0 && f.Form == Struct:
		return f.Of.append(append(dst, f.Name...), nil, asStored, depth+1)
	case f.Rule&(Pointer|List|Map) != 0 || f.Form == Time || f.Form == Bytes:
		dst = append(dst, f.Name...)
		return append(dst, "null"...), nil
	}
	return f.appendZero(append(dst, f.Name...), depth)
}

// appendZero appends the zero value of a type that has no null.
func (f *Member) appendZero(dst []byte, depth int) ([]byte, error) {
	switch f.Form {
	case Text, Bytes:
		return append(dst, `""`...), nil
	case Bool:
		return append(dst, "false"...), nil
	case Struct:
		return f.Of.append(dst, nil, asStored, depth+1)
	case Time:
		return append(dst, "null"...), nil
	}
	return append(dst, '0'), nil
}

// inline appends the members of an embedded struct, as members does.
func (m *Message) inline(dst, body []byte, depth int) (_ []byte, err error) {
	if m.Decode == nil {
		return m.members(dst, body, asStored, depth)
	}
	start := len(dst)
	if dst, err = m.Decode(dst, body); err != nil {
		return dst, err
	}
	if len(dst)-start <= len("{}") {
		return dst[:start], nil
	}
	dst[start] = ','
	return dst[:len(dst)-1], nil
}

// zero says whether a message is that of a zero value.
func (m *Message) zero(body []byte, depth int) (bool, error) {
	if m.List {
		return len(body) == 0, nil
	}
	for len(body) > 0 {
		tag, i := next(body, 0)
		f := m.find(tag)
		if f == nil || depth > maxDepth {
			return false, errForeign
		}
		end := f.skip(body, i)
		if end < 0 {
			return false, errMalformed
		}
		zero := false
		switch value := body[i:end]; {
		case f.Rule&(Pointer|List|Map) != 0 || f.Form == Bytes:
		case f.Form == Struct || f.Form == Inline || f.Form == Metadata:
			inside, _ := content(body, i)
			var err error
			if zero, err = f.Of.zero(inside, depth+1); err != nil {
				return false, err
			}
		default:
			zero = isZero(value)
		}
		if !zero {
			return false, nil
		}
		body = body[end:]
	}
	return true, nil
}

// isZero says whether all bytes are 0: so are the zero values of numbers, and the length of what is
// empty.
func isZero(value []byte) bool {
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

// content reads what has a length before it; end is -1 if it is not there.
func content(body []byte, i int) (inside []byte, end int) {
	n, i := varint(body, i)
	if i < 0 || n > uint64(len(body)-i) {
		return nil, -1
	}
	end = i + int(n)
	return body[i:end:end], end
}

// text is a string that shares its bytes with body.
func text(body []byte) string { return unsafe.String(unsafe.SliceData(body), len(body)) }
