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

// appendField appends a field whose first value begins at i, and returns where the next field
// begins.
func (f *Member) appendField(dst, body []byte, i int, at int64, depth int) (_ []byte, end int, err error) {
	if f.Rule&(List|Map) != 0 {
		if f.Form == Hidden {
			return f.hide(dst, body, i)
		}
		return f.appendAll(dst, body, i, depth)
	}
	var inside []byte // what has a length before it
	if f.Tag&7 == wireBytes {
		if i < len(body) && int(body[i]) < 0x80 && int(body[i]) < len(body)-i {
			end = i + 1 + int(body[i])
			inside = body[i+1 : end : end]
		} else if inside, end = content(body, i); end < 0 {
			return dst, 0, errMalformed
		}
	}
	switch f.Form {
	case Text:
		if len(inside) == 0 && f.Rule&(Optional|Pointer) == Optional {
			return dst, end, nil
		}
		return json.AppendStringField(dst, f.Name, text(inside)), end, nil
	case Struct:
		if f.Rule&(Optional|Pointer) == Optional {
			if zero, err := f.Of.zero(inside, depth); zero || err != nil {
				return dst, end, err
			}
		}
		dst, err = f.Of.append(json.AppendName(dst, f.Name), inside, asStored, depth+1)
		return dst, end, err
	case Metadata:
		dst, err = f.Of.append(json.AppendName(dst, f.Name), inside, at, depth+1)
		return dst, end, err
	case Inline:
		dst, err = f.Of.inline(dst, inside, depth+1)
		return dst, end, err
	case Time:
		if len(inside) == 0 && f.Rule&(Optional|Pointer) == Optional {
			return dst, end, nil
		}
		dst, err = appendTime(json.AppendName(dst, f.Name), inside)
		return dst, end, err
	case Bytes:
		if len(inside) > 0 || f.Rule&(Optional|Pointer) != Optional {
			dst = json.AppendBytes(json.AppendName(dst, f.Name), inside)
		}
		return dst, end, nil
	case version:
		return f.appendVersion(dst, inside, at), end, nil
	case Hidden:
		return f.hide(dst, body, i)
	}
	v, end := f.number(f.Tag&7, body, i)
	switch {
	case end < 0:
		return dst, 0, errMalformed
	case v == 0 && f.Rule&(Optional|Pointer) == Optional:
		return dst, end, nil
	case f.Form == Int32 || f.Form == Int64:
		return json.AppendIntField(dst, f.Name, int64(v)), end, nil
	}
	dst, err = f.appendNumber(json.AppendName(dst, f.Name), v)
	return dst, end, err
}

// hide passes over a field.
func (f *Member) hide(dst, body []byte, i int) ([]byte, int, error) {
	if i = f.skip(body, i); i < 0 {
		return dst, 0, errMalformed
	}
	return dst, i, nil
}

// number reads a number or a bool that is written like this. A float is its bits; a negative zero is
// 0 where zeros are left out.
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

func (f *Member) appendNumber(dst []byte, v uint64) ([]byte, error) {
	switch f.Form {
	case Bool:
		return strconv.AppendBool(dst, v != 0), nil
	case Uint32, Uint64:
		return strconv.AppendUint(dst, v, 10), nil
	case Float32:
		return json.AppendFloat(dst, math.Float32frombits(uint32(v)))
	case Float64:
		return json.AppendFloat(dst, math.Float64frombits(v))
	}
	return strconv.AppendInt(dst, int64(v), 10), nil
}

// skip passes over all values of a field, the first of which begins at i. It is -1 if they can't be
// read.
func (f *Member) skip(body []byte, i int) (end int) {
	for {
		switch f.Tag & 7 {
		case wireVarint:
			_, end = varint(body, i)
		case wireBytes:
			_, end = content(body, i)
		default:
			_, end = f.number(f.Tag&7, body, i)
		}
		if end < 0 || f.Rule&(List|Map) == 0 {
			return end
		}
		tag, begin := next(body, end)
		if tag != f.Tag {
			return end
		}
		i = begin
	}
}

// appendAll appends a list or a map, whose first value begins at i.
func (f *Member) appendAll(dst, body []byte, i int, depth int) (_ []byte, end int, err error) {
	dst = json.AppendName(dst, f.Name)
	start, key := len(dst), ""
	for first := true; ; first = false {
		dst = append(dst, ',')
		switch {
		case f.Rule&Map != 0:
			var entry []byte
			if entry, end = content(body, i); end < 0 {
				return dst, 0, errMalformed
			}
			last := key
			if dst, key, err = f.appendEntry(dst, entry, depth); err == nil && !first && key <= last {
				err = errForeign
			}
		default:
			dst, end, err = f.appendValue(dst, body, i, depth)
		}
		if err != nil {
			return dst, 0, err
		}
		tag, begin := next(body, end)
		if tag != f.Tag {
			break
		}
		i = begin
	}
	if f.Rule&Map != 0 {
		dst[start] = '{'
		return append(dst, '}'), end, nil
	}
	dst[start] = '['
	return append(dst, ']'), end, nil
}

// appendEntry appends an entry of a map: field 1 is its key and field 2 its value. What is empty
// may not be there.
func (f *Member) appendEntry(dst, entry []byte, depth int) (_ []byte, key string, err error) {
	tag, i := next(entry, 0)
	if tag == 1<<3|wireBytes {
		inside, end := content(entry, i)
		if end < 0 {
			return dst, "", errMalformed
		}
		key = text(inside)
		tag, i = next(entry, end)
	}
	dst = append(json.AppendString(dst, key), ':')
	switch tag {
	case endTag:
		dst, err = f.appendZero(dst, depth)
		return dst, key, err
	case 2<<3 | f.wire():
		dst, end, err := f.appendValue(dst, entry, i, depth)
		if err == nil && end != len(entry) {
			err = errForeign
		}
		return dst, key, err
	}
	return dst, "", errForeign
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

// appendValue appends one value of a list or a map.
func (f *Member) appendValue(dst, body []byte, i int, depth int) (_ []byte, end int, err error) {
	if wire := f.wire(); wire != wireBytes {
		v, end := f.number(wire, body, i)
		if end < 0 {
			return dst, 0, errMalformed
		}
		dst, err = f.appendNumber(dst, v)
		return dst, end, err
	}
	inside, end := content(body, i)
	if end < 0 {
		return dst, 0, errMalformed
	}
	switch f.Form {
	case Text:
		return json.AppendString(dst, text(inside)), end, nil
	case Bytes:
		return json.AppendBytes(dst, inside), end, nil
	case Time:
		dst, err = appendTime(dst, inside)
		return dst, end, err
	}
	dst, err = f.Of.append(dst, inside, asStored, depth+1)
	return dst, end, err
}
