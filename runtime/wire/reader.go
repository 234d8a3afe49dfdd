package wire

import (
	"errors"
	"strconv"

	"google.golang.org/protobuf/encoding/protowire"
)

// A selector asks for few of the fields of an object. A Reader finds those in an encoded message,
// and passes over the rest unread. Its answer is what decoding all of the message would give.
// Fields that are there twice are merged as protobuf has it: the last value counts, and messages
// add up. One that is not there has the zero value.

// Fields says where the fields are that a selector may name, by label.
type Fields map[string]Field

// Field is where a field is in an encoded message, and of which type. The functions below make one
// of the numbers that lead to it, from the outside in.
type Field struct {
	form form
	path []Step
}

// Step is the number of a field. Pointer makes one of a field whose Go type is a pointer.
type Step int32

// Pointer is the step to a field that is nil when it is not there; then what the path leads to is
// "", not its zero value.
func Pointer(number int32) Step { return Step(-number) }

// form is how the value of a field is written, and what the text of it is.
type form uint8

const (
	formMessage form = iota
	formString
	formBool
	formInt32
	formInt64
	formUint32
	formUint64
)

// String is a field whose text is itself; Bool is "true" or "false", the numbers are decimal.
func String(path ...Step) Field { return Field{formString, path} }

// Bool is a field of type bool.
func Bool(path ...Step) Field { return Field{formBool, path} }

// Int32 is a field of type int32.
func Int32(path ...Step) Field { return Field{formInt32, path} }

// Int64 is a field of type int64 or int.
func Int64(path ...Step) Field { return Field{formInt64, path} }

// Uint32 is a field of type uint32.
func Uint32(path ...Step) Field { return Field{formUint32, path} }

// Uint64 is a field of type uint64 or uint.
func Uint64(path ...Step) Field { return Field{formUint64, path} }

// text is the value of a varint.
func (f form) text(v uint64) string {
	switch f {
	case formBool:
		return strconv.FormatBool(v != 0)
	case formInt32:
		return strconv.FormatInt(int64(int32(v)), 10)
	case formInt64:
		return strconv.FormatInt(int64(v), 10)
	case formUint32:
		return strconv.FormatUint(uint64(uint32(v)), 10)
	case formUint64:
		return strconv.FormatUint(v, 10)
	}
	return ""
}

// wireType is how a value is framed.
func (f form) wireType() protowire.Type {
	if f <= formString {
		return protowire.BytesType
	}
	return protowire.VarintType
}

// Reader reads some fields at once. It is immutable: any goroutine may use it.
type Reader struct {
	root node
	// absent are the texts of the fields of an empty message.
	absent []string
}

// node is a field on the way to others, or one that is asked for.
type node struct {
	number uint64
	form   form
	// index is the answer that has the value of a field that is asked for; again are more of the
	// same.
	index int
	again []int
	// children are the fields of a message; slots has where those with low numbers are among them,
	// from 1 on.
	children []node
	slots    [64]uint16
	// zeros are the fields below a pointer that is this node: they have a text now that it is not
	// nil.
	zeros []zero
}

type zero struct {
	index int
	text  string
}

// NewReader makes a Reader of some fields.
func NewReader(fields ...Field) *Reader {
	r := &Reader{absent: make([]string, len(fields))}
	for i, f := range fields {
		at, pointer := &r.root, (*node)(nil)
		for n, step := range f.path {
			form := formMessage
			if n == len(f.path)-1 {
				form = f.form
			}
			at = at.child(uint64(max(step, -step)), form)
			if step < 0 {
				pointer = at
			}
		}
		if at.index < 0 {
			at.index = i
		} else {
			at.again = append(at.again, i)
		}
		switch {
		case pointer == nil:
			r.absent[i] = f.form.text(0)
		case pointer != at && f.form != formString:
			pointer.zeros = append(pointer.zeros, zero{i, f.form.text(0)})
		}
	}
	return r
}

// child returns the node of a field, a new one if there is none yet. What it returns is good until
// the next call.
func (n *node) child(number uint64, form form) *node {
	if c := n.find(number); c != nil {
		return c
	}
	n.children = append(n.children, node{number: number, form: form, index: -1})
	if number < uint64(len(n.slots)) {
		n.slots[number] = uint16(len(n.children))
	}
	return &n.children[len(n.children)-1]
}

// find returns the node of a field, nil if nobody asks for it.
func (n *node) find(number uint64) *node {
	for i := range n.children {
		if n.children[i].number == number {
			return &n.children[i]
		}
	}
	return nil
}

var (
	errMalformed = errors.New("wire: the message is malformed, or has groups")
	errWireType  = errors.New("wire: a field has another wire type than its Go type")
)

// Read appends the text of each field of message to texts, in the order of NewReader. Strings point
// into message. What decoding would refuse on the way to the fields is an error; beyond that groups
// are, which decoding passes over.
func (r *Reader) Read(texts []string, message []byte) ([]string, error) {
	begin := len(texts)
	texts = append(texts, r.absent...)
	return texts, r.root.read(message, texts[begin:])
}

// read reads a message: it recurses as deep as the paths are.
func (n *node) read(message []byte, texts []string) error {
	for i := 0; i < len(message); {
		tag, begin, end := uint64(message[i]), i+2, short(message, i)
		if end == 0 || end > len(message) {
			if tag, begin, end = frame(message, i); end == 0 {
				return errMalformed
			}
		}
		i = end
		var c *node
		if number := tag >> 3; number >= uint64(len(n.slots)) {
			c = n.find(number)
		} else if slot := n.slots[number]; slot > 0 {
			c = &n.children[slot-1]
		}
		switch {
		case c == nil:
		case protowire.Type(tag&7) != c.form.wireType():
			return errWireType
		case c.form == formString:
			c.set(texts, text(message[begin:end]))
		case c.form == formMessage:
			for _, z := range c.zeros {
				if texts[z.index] == "" {
					texts[z.index] = z.text
				}
			}
			if err := c.read(message[begin:end], texts); err != nil {
				return err
			}
		default:
			v, _ := varint(message, begin)
			c.set(texts, c.form.text(v))
		}
	}
	return nil
}

// set answers with the text of a field.
func (n *node) set(texts []string, text string) {
	texts[n.index] = text
	for _, i := range n.again {
		texts[i] = text
	}
}

// Nearly all fields are short strings with a low number. short returns where such a field at i
// ends, 0 if it is none; its value begins at i+2.
func short(b []byte, i int) (end int) {
	if i+1 < len(b) && b[i]&0x87 == byte(protowire.BytesType) && b[i] > 7 && b[i+1] < 0x80 {
		return i + 2 + int(b[i+1])
	}
	return 0
}

// frame reads the frame of any field at i: its value, without the length, is between begin and end,
// which is where the next field begins. end is 0 if there is none.
func frame(b []byte, i int) (tag uint64, begin, end int) {
	if len(b)-i < 3 {
		return longFrame(b, i)
	}
	// Most that are not short have a number above 15, or are a bool.
	tag, begin = uint64(b[i]), i+1
	if tag >= 0x80 {
		tag, begin = tag&0x7f|uint64(b[begin])<<7, i+2
	}
	if tag < 1<<3 || tag >= 1<<14 {
		return longFrame(b, i)
	}
	switch value, next := int(b[begin]), begin+1; {
	case tag&7 == uint64(protowire.BytesType) && value >= 0x80 && next < len(b) && b[next] < 0x80: // less than 16 KiB
		value, next = value&0x7f|int(b[next])<<7, next+1
		if value <= len(b)-next {
			return tag, next, next + value
		}
	case value >= 0x80:
	case tag&7 == uint64(protowire.VarintType):
		return tag, begin, next
	case tag&7 == uint64(protowire.BytesType) && value <= len(b)-next:
		return tag, next, next + value
	}
	return longFrame(b, i)
}

func longFrame(b []byte, i int) (tag uint64, begin, end int) {
	if tag, begin = varint(b, i); begin == 0 || tag < 1<<3 || tag >= 1<<32 {
		return 0, 0, 0
	}
	switch protowire.Type(tag & 7) {
	case protowire.BytesType:
		size, content := length(b, begin)
		if content == 0 {
			return 0, 0, 0
		}
		begin, end = content, content+size
	case protowire.VarintType:
		if _, end = varint(b, begin); end == 0 {
			return 0, 0, 0
		}
	case protowire.Fixed32Type:
		end = begin + 4
	case protowire.Fixed64Type:
		end = begin + 8
	}
	if end > len(b) {
		return 0, 0, 0
	}
	return tag, begin, end
}

// varint reads a number at i. next is 0 if there is none.
func varint(b []byte, i int) (v uint64, next int) {
	if i < len(b) && b[i] < 0x80 {
		return uint64(b[i]), i + 1
	}
	return longVarint(b, i)
}

func longVarint(b []byte, i int) (v uint64, next int) {
	if i >= len(b) {
		return 0, 0
	}
	v, n := protowire.ConsumeVarint(b[i:])
	if n < 0 {
		return 0, 0
	}
	return v, i + n
}

// Message returns the message inside value, an object in its envelope. It points into value.
func Message(value []byte) ([]byte, error) {
	var s slot
	if begin, end, ok := s.findRaw(value); ok {
		return value[begin:end], nil
	}
	e, err := ParseEnvelope(value)
	return e.Raw, err
}
