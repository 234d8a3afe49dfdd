package transcode

import (
	"errors"

	"github.com/typeplane/typeplane/runtime/json"
	"github.com/typeplane/typeplane/runtime/json/apimachinery"
	"github.com/typeplane/typeplane/runtime/wire"
)

// form is how a field is written. A field that is not in the message is left out.
type form byte

const (
	optionalText form = iota + 1 // left out if it is empty
	text
	optionalNumber // left out if it is 0
	number
	boolean
	optionalTime // left out if it is zero
	timestamp    // null if it is zero
	fieldsV1
	revision // the resourceVersion of the whole object
	texts    // a list of strings
	textMap
	items // a list of messages
)

// repeated says that a field may be in a message many times, and is a list or a map in JSON.
func (f form) repeated() bool { return f >= texts }

// member says how one field of a message is written.
type member struct {
	name string // with the comma before it, in quotes, and with the colon behind it
	form form
	of   *message // for items
}

// message says how a message is written. Its members are written in the order of their numbers,
// except for one that may come first.
type message struct {
	members []member // by number
	first   int32    // the number of the member that JSON has before the others; 0: none
}

var (
	errOrder   = errors.New("transcode: the fields of a message are not in the order of their numbers")
	errUnknown = errors.New("transcode: a message has a field that its type does not have")
)

// append appends the message whose fields these are. at is the revision of the whole object.
func (m *message) append(dst, fields []byte, at int64) ([]byte, error) {
	start := len(dst)
	if m.first != 0 {
		body, err := find(fields, m.first)
		if err != nil {
			return dst, err
		}
		if dst, err = m.members[m.first].append(dst, body); err != nil {
			return dst, err
		}
	}
	last := int32(0)
	for len(fields) > 0 {
		n, body, rest, err := wire.NextField(fields)
		if err != nil {
			return dst, err
		}
		if int(n) >= len(m.members) || m.members[n].form == 0 {
			return dst, errUnknown
		}
		f := &m.members[n]
		switch {
		case n < last || n == last && !f.form.repeated():
			return dst, errOrder
		case f.form.repeated():
			dst, rest, err = f.appendAll(dst, fields, n)
		case f.form == revision:
			dst = json.AppendOptionalString(dst, f.name, revisionText(at))
		case n != m.first:
			dst, err = f.append(dst, body)
		}
		if err != nil {
			return dst, err
		}
		last, fields = n, rest
	}
	return json.Close(dst, start), nil
}

func find(fields []byte, number int32) ([]byte, error) {
	for len(fields) > 0 {
		n, body, rest, err := wire.NextField(fields)
		if err != nil || n == number {
			return body, err
		}
		fields = rest
	}
	return nil, nil
}

// append appends a field that is not repeated.
func (f *member) append(dst, body []byte) ([]byte, error) {
	switch f.form {
	case optionalText:
		return json.AppendOptionalString(dst, f.name, stringOf(body)), nil
	case text:
		return json.AppendStringField(dst, f.name, stringOf(body)), nil
	case optionalNumber:
		return json.AppendOptionalInt(dst, f.name, varint(body)), nil
	case number:
		return json.AppendInt(json.AppendName(dst, f.name), varint(body)), nil
	case boolean:
		return json.AppendBool(json.AppendName(dst, f.name), varint(body) != 0), nil
	case optionalTime:
		t := timeOf(body)
		if t.IsZero() {
			return dst, nil
		}
		return apimachinery.AppendJSON_Time(json.AppendName(dst, f.name), &t)
	case timestamp:
		t := timeOf(body)
		return apimachinery.AppendJSON_Time(json.AppendName(dst, f.name), &t)
	}
	return appendFieldsV1(json.AppendName(dst, f.name), body)
}

// appendAll appends all fields of a number, which stand one behind the other. rest is what follows.
func (f *member) appendAll(dst, fields []byte, number int32) (_, rest []byte, err error) {
	dst = append(dst, f.name...)
	start := len(dst)
	for len(fields) > 0 {
		n, body, rest, err := wire.NextField(fields)
		if err != nil {
			return dst, nil, err
		}
		if n != number {
			break
		}
		if dst, err = f.appendOne(append(dst, ','), body); err != nil {
			return dst, nil, err
		}
		fields = rest
	}
	if f.form == textMap {
		dst[start] = '{'
		return append(dst, '}'), fields, nil
	}
	dst[start] = '['
	return append(dst, ']'), fields, nil
}

// appendOne appends one item of a list, or one entry of a map.
func (f *member) appendOne(dst, body []byte) ([]byte, error) {
	switch f.form {
	case texts:
		return json.AppendString(dst, stringOf(body)), nil
	case textMap:
		key, value, err := entry(body)
		dst = append(json.AppendString(dst, stringOf(key)), ':')
		return json.AppendString(dst, stringOf(value)), err
	}
	return f.of.append(dst, body, 0)
}
