package transcode

import (
	"encoding/binary"
	"math"
	"strconv"

	"github.com/typeplane/typeplane/runtime/json"
)

// The wire types of protobuf.
const (
	wireVarint = iota
	wireFixed64
	wireBytes
	wireFixed32 = 5
)

// field appends a field whose first value begins at i, and returns where the next field begins. The
// message ends at end.
func (w *writer) field(f *Member, i, end int, at int64) int {
	if f.Rule&(List|Map) != 0 {
		return w.all(f, i, end)
	}
	data := w.data[:end]
	if f.Tag&7 != wireBytes {
		return w.number(f, data, i)
	}
	after := i + 1 // where the value begins; then where it ends
	if i < len(data) && int(data[i]) < 0x80 && int(data[i]) < len(data)-i {
		after += int(data[i])
		i++
	} else if i, after = extent(data, i); after < 0 {
		w.fail(errMalformed)
		return end
	}
	switch f.Form {
	case Text:
		if i < after || f.Rule&(Optional|Pointer) != Optional {
			w.dst = json.AppendStringField(w.dst, f.Name, text(data[i:after]))
		}
	case Struct:
		if f.Rule&(Optional|Pointer) == Optional {
			zero, err := f.Of.isZero(data[i:after], w.depth)
			if err != nil {
				w.fail(err)
			}
			if zero {
				return after
			}
		}
		w.dst = json.AppendName(w.dst, f.Name)
		w.message(f.Of, i, after, asStored)
	case Metadata:
		w.dst = json.AppendName(w.dst, f.Name)
		w.settled = at != asStored
		w.message(f.Of, i, after, at)
		w.settled = false
	case Inline:
		w.inline(f.Of, i, after)
	case Time:
		if i < after || f.Rule&(Optional|Pointer) != Optional {
			w.dst = json.AppendName(w.dst, f.Name)
			w.time(data[i:after])
		}
	case Bytes:
		if i < after || f.Rule&(Optional|Pointer) != Optional {
			w.dst = json.AppendBytes(json.AppendName(w.dst, f.Name), data[i:after:after])
		}
	case version:
		w.dst = f.appendVersion(w.dst, data[i:after], at)
	case fieldSet:
		w.dst = json.AppendName(w.dst, f.Name)
		w.fieldSet(i, after)
	}
	return after
}

// fieldSet appends a FieldsV1.
func (w *writer) fieldSet(i, end int) {
	if w.settled {
		raw, err := only(w.data[i:end:end], 1<<3|wireBytes)
		if err == nil && len(raw) > 0 && raw[0] == '{' {
			w.dst = append(w.dst, raw...)
			return
		}
	}
	w.message(&FieldsV1, i, end, asStored)
}

func (w *writer) time(body []byte) {
	dst, err := appendTime(w.dst, body)
	if err != nil {
		w.fail(err)
	}
	w.dst = dst
}

// number appends a field that is a number or a bool.
func (w *writer) number(f *Member, data []byte, i int) int {
	v, end := f.number(f.Tag&7, data, i)
	switch {
	case end < 0:
		w.fail(errMalformed)
		return len(data)
	case f.Form == Hidden || v == 0 && f.Rule&(Optional|Pointer) == Optional:
	case f.Form == Int32 || f.Form == Int64:
		w.dst = json.AppendIntField(w.dst, f.Name, int64(v))
	case f.Form == Bool:
		w.dst = json.AppendBoolField(w.dst, f.Name, v != 0)
	default:
		w.dst = json.AppendName(w.dst, f.Name)
		w.digits(f, v)
	}
	return end
}

// number reads a number or a bool that is written like this. A float is its bits; a negative zero
// is 0 where zeros are left out.
func (f *Member) number(wire uint32, body []byte, i int) (v uint64, end int) {
	switch wire {
	case wireVarint:
		v, end = varint(body, i)
		switch f.Form {
		case Int32:
			v = uint64(int64(int32(v)))
		case Uint32:
			v = uint64(uint32(v))
		}
		return v, end
	case wireFixed32:
		if len(body)-i >= 4 {
			v, end = uint64(binary.LittleEndian.Uint32(body[i:])), i+4
		}
	case wireFixed64:
		if len(body)-i >= 8 {
			v, end = binary.LittleEndian.Uint64(body[i:]), i+8
		}
	}
	switch {
	case end == 0:
		return 0, -1
	case f.Rule&Optional != 0 && (f.Form == Float32 && v == 1<<31 || f.Form == Float64 && v == 1<<63):
		return 0, end
	}
	return v, end
}

// digits appends a number or a bool as it is in a list.
func (w *writer) digits(f *Member, v uint64) {
	var err error
	switch f.Form {
	case Bool:
		w.dst = strconv.AppendBool(w.dst, v != 0)
	case Uint32, Uint64:
		w.dst = strconv.AppendUint(w.dst, v, 10)
	case Float32:
		w.dst, err = json.AppendFloat(w.dst, math.Float32frombits(uint32(v)))
	case Float64:
		w.dst, err = json.AppendFloat(w.dst, math.Float64frombits(v))
	default:
		w.dst = strconv.AppendInt(w.dst, int64(v), 10)
	}
	if err != nil {
		w.fail(err)
	}
}

// skip passes over a value behind a tag, which begins at i. It is -1 if that can't be read.
func skip(tag uint32, body []byte, i int) (end int) {
	size := 0
	switch tag & 7 {
	case wireVarint:
		_, end = varint(body, i)
		return end
	case wireBytes:
		_, end = extent(body, i)
		return end
	case wireFixed32:
		size = 4
	case wireFixed64:
		size = 8
	}
	if size == 0 || len(body)-i < size {
		return -1
	}
	return i + size
}

// all appends a list or a map, whose first value begins at i.
func (w *writer) all(f *Member, i, end int) int {
	data := w.data[:end]
	if f.Form == Hidden {
		return w.hide(f, data, i)
	}
	w.dst = json.AppendName(w.dst, f.Name)
	start, last := len(w.dst), ""
	for first := true; ; first = false {
		w.dst = append(w.dst, ',')
		if f.Rule&Map == 0 {
			i = w.value(f, i, end)
		} else {
			begin, after := extent(data, i)
			if after < 0 {
				w.fail(errMalformed)
				return end
			}
			key := w.entry(f, begin, after)
			if !first && key <= last {
				w.fail(errForeign)
			}
			i, last = after, key
		}
		tag, begin := next(data, i)
		if tag != f.Tag || w.err != nil {
			break
		}
		i = begin
	}
	if f.Rule&Map != 0 {
		w.dst[start] = '{'
		w.dst = append(w.dst, '}')
	} else {
		w.dst[start] = '['
		w.dst = append(w.dst, ']')
	}
	return i
}

// hide passes over all values of a field, the first of which begins at i.
func (w *writer) hide(f *Member, data []byte, i int) int {
	for {
		end := skip(f.Tag, data, i)
		if end < 0 {
			w.fail(errMalformed)
			return len(data)
		}
		tag, begin := next(data, end)
		if tag != f.Tag {
			return end
		}
		i = begin
	}
}

// entry appends an entry of a map, from i to end, and returns its key. Field 1 is the key and field
// 2 the value; what is empty may not be there.
func (w *writer) entry(f *Member, i, end int) (key string) {
	data := w.data[:end]
	tag, i := next(data, i)
	if tag == 1<<3|wireBytes {
		begin, after := extent(data, i)
		if after < 0 {
			w.fail(errMalformed)
			return ""
		}
		key = text(data[begin:after])
		tag, i = next(data, after)
	}
	w.dst = append(json.AppendString(w.dst, key), ':')
	switch tag {
	case endTag:
		w.zero(f)
	case 2<<3 | f.wire():
		if w.value(f, i, end) != end {
			w.fail(errForeign)
		}
	default:
		w.fail(errForeign)
	}
	return key
}

// wire is how values of the form are written.
func (f *Member) wire() uint32 {
	switch f.Form {
	case Text, Bytes, Struct, Time:
		return wireBytes
	case Float32:
		return wireFixed32
	case Float64:
		return wireFixed64
	}
	return wireVarint
}

// value appends one value of a list or a map, and returns where it ends.
func (w *writer) value(f *Member, i, end int) int {
	data := w.data[:end]
	if wire := f.wire(); wire != wireBytes {
		v, after := f.number(wire, data, i)
		if after < 0 {
			w.fail(errMalformed)
			return end
		}
		w.digits(f, v)
		return after
	}
	i, after := extent(data, i)
	if after < 0 {
		w.fail(errMalformed)
		return end
	}
	switch f.Form {
	case Text:
		w.dst = json.AppendString(w.dst, text(data[i:after]))
	case Bytes:
		w.dst = json.AppendBytes(w.dst, data[i:after:after])
	case Time:
		w.time(data[i:after])
	default:
		w.message(f.Of, i, after, asStored)
	}
	return after
}
