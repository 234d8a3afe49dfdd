//lint:file-ignore U1000 the functions are printed, not called

package wirecode

import (
	"encoding/binary"
	"fmt"
	"io"
	"time"
	"unsafe"
)

// readerGenerated reads one object. It is an ordinary variable of whoever reads, so no function that it does not know
// gets hold of it.
type readerGenerated struct {
	shared bool // strings are parts of what is read
	failed bool
	err    *error // the first one
	depth  int    // of messages that can hold themselves

	slabs []slabGenerated // by the numbers that types have; too few of them for types that the object can't hold
	needs []needGenerated // how many of each objects like this one needed

	refilled int16 // the slab that was refilled for the first time last

	arena *arenaGenerated // where values come from that come from no slab; nil for most

	spare *typeGenerated // what the value in slab 0 is of: it is empty, for entries of maps
}

// fail ends all reading. It returns what lies behind data.
//
//go:noinline
func (r *readerGenerated) fail(data []byte, err error) int {
	if !r.failed {
		r.failed, *r.err = true, err
	}
	return len(data)
}

// message adds to m, which is of type t, what data has from i on. After an error within it goes on: the first error
// counts, and there is little to read then.
func (r *readerGenerated) message(t *typeGenerated, m unsafe.Pointer, data []byte, i int) {
	for i < len(data) {
		start, tag := i, uint64(data[i])
		if i++; tag >= 0x80 {
			if i < len(data) && data[i] < 0x80 {
				tag = tag&0x7f | uint64(data[i])<<7
				i++
			} else {
				tag, i = r.tag(data, start)
			}
		}
		f := &unknownGenerated
		if number := tag >> 3; number < uint64(len(t.fields)) {
			f = &t.fields[number]
		} else {
			f = t.find(number)
		}
		to := unsafe.Add(m, f.offset)
		if f.form.wire() != uint8(tag&7) {
			i = r.other(t, f, to, data, start, i, tag)
			continue
		}
		if tag&7 != bytesGenerated {
			var v uint64
			if tag&7 == varintGenerated && i < len(data) && data[i] < 0x80 {
				v = uint64(data[i])
				i++
			} else {
				v, i = r.number(f.form.wire(), data, i)
			}
			switch f.form.way() {
			case wordWayGenerated:
				*(*uint64)(to) = v
			case halfWayGenerated:
				*(*uint32)(to) = uint32(v)
			case boolWayGenerated:
				*(*bool)(to) = v != 0
			default:
				r.put(f, to, v)
			}
			continue
		}
		var size int
		if i < len(data) && data[i] < 0x80 {
			size = int(data[i])
			i++
		} else {
			size, i = r.length(data, i)
		}
		if size > len(data)-i {
			r.fail(data, io.ErrUnexpectedEOF)
			return
		}
		next := i + size
		switch f.form.way() {
		case textWayGenerated:
			switch {
			case size == 0: // keeps nothing of the input
				*(*string)(to) = ""
			case r.shared:
				*(*string)(to) = unsafe.String(&data[i], size)
			default:
				*(*string)(to) = string(data[i:next])
			}
		case messageWayGenerated:
			if f.of.plain {
				r.message(f.of, to, data[:next], i)
			} else {
				r.inside(f.of, to, data[:next], i)
			}
		case pointerWayGenerated:
			p := *(*unsafe.Pointer)(to)
			if p == nil {
				p = r.one(f.of)
				*(*unsafe.Pointer)(to) = p
			}
			if f.of.plain {
				r.message(f.of, p, data[:next], i)
			} else {
				r.inside(f.of, p, data[:next], i)
			}
		case itemsWayGenerated:
			next = r.items(f.of, (*listGenerated)(to), data, i, next, tag)
		case entryWayGenerated:
			if r.arena != nil && *(*unsafe.Pointer)(to) == nil {
				next = r.recycled(f.of, to, data, i, next, tag)
			} else {
				next = r.entry(f.of.entries, to, data, i, next, tag)
			}
		case textPointerWayGenerated:
			p := (*string)(r.one(&stringTypeGenerated))
			*p = r.text(data[i:next])
			*(**string)(to) = p
		case textsWayGenerated:
			list := (*[]string)(to)
			if cap(*list) == 0 {
				n := 1 + followingGenerated(data, next, tag)
				*list = unsafe.Slice((*string)(r.room(&stringTypeGenerated, n)), n)[:0]
			}
			*list = append(*list, r.text(data[i:next]))
		case bytesWayGenerated:
			*(*[]byte)(to) = append(make([]byte, 0, size), data[i:next]...)
		case pointersWayGenerated:
			p := r.one(f.of)
			list := (*[]unsafe.Pointer)(to)
			if cap(*list) == 0 {
				*list = make([]unsafe.Pointer, 0, 1+followingGenerated(data, next, tag))
			}
			*list = append(*list, p)
			r.inside(f.of, p, data[:next], i)
		}
		i = next
	}
}

// inside reads a message in a message, or what else stands in its place.
func (r *readerGenerated) inside(t *typeGenerated, m unsafe.Pointer, data []byte, i int) {
	if t.plain {
		r.message(t, m, data, i)
		return
	}
	switch {
	case t.seconds && secondsGenerated((*time.Time)(m), data[i:]):
	case t.body != nil:
		if err := t.body(m, data[i:], r.shared); err != nil {
			r.fail(data, err)
		}
	case t.empty != nil:
		if *(*unsafe.Pointer)(m) == nil {
			t.empty(m)
		}
		r.inside(t.of, m, data, i)
	case r.depth == maxDepthGenerated:
		r.fail(data, ErrDepthGenerated)
	default:
		r.depth++
		r.message(t, m, data, i)
		r.depth--
	}
}

// secondsGenerated reads a time in whole seconds, as nearly all are written.
func secondsGenerated(to *time.Time, body []byte) bool {
	if len(body) < 3 || body[0] != 1<<3 {
		return false
	}
	seconds, i, err := readVarintGenerated(body, 1)
	if err != nil || i+2 != len(body) || body[i] != 2<<3 || body[i+1] >= 0x80 {
		return false
	}
	*to = time.Unix(int64(seconds), 0)
	return true
}

// items reads the items of a list that stand one after the other, of which the first lies between i and next, and
// returns where they end.
func (r *readerGenerated) items(t *typeGenerated, list *listGenerated, data []byte, i, next int, tag uint64) int {
	n := 1
	if list.len == list.cap {
		n += followingGenerated(data, next, tag)
	}
	if list.cap > 0 { // it is not empty, or has room that may not be
		r.inside(t, t.more(unsafe.Pointer(list), n), data[:next], i)
		return next
	}
	item := r.room(t, n)
	list.data, list.cap = item, n
	for {
		list.len++
		if t.plain {
			r.message(t, item, data[:next], i)
		} else {
			r.inside(t, item, data[:next], i)
		}
		if n--; n == 0 || r.failed {
			return next
		}
		_, i = r.varint(data, next)
		var size int
		size, i = r.length(data, i)
		next = i + size
		item = unsafe.Add(item, t.size)
	}
}

// number reads what is written as a number.
func (r *readerGenerated) number(wire uint8, data []byte, i int) (v uint64, next int) {
	switch {
	case wire == varintGenerated:
		return r.varint(data, i)
	case wire == fixed64Generated && len(data)-i >= 8:
		return binary.LittleEndian.Uint64(data[i:]), i + 8
	case wire == fixed32Generated && len(data)-i >= 4:
		return uint64(binary.LittleEndian.Uint32(data[i:])), i + 4
	}
	return 0, r.fail(data, io.ErrUnexpectedEOF)
}

// put writes a number that is behind a pointer or in a list.
func (r *readerGenerated) put(f *fieldGenerated, to unsafe.Pointer, v uint64) {
	switch f.form.way() {
	case wordPointerWayGenerated:
		p := (*uint64)(r.one(&wordTypeGenerated))
		*p = v
		*(**uint64)(to) = p
	case halfPointerWayGenerated:
		p := (*uint32)(r.one(&wordTypeGenerated))
		*p = uint32(v)
		*(**uint32)(to) = p
	case boolPointerWayGenerated:
		p := (*bool)(r.one(&wordTypeGenerated))
		*p = v != 0
		*(**bool)(to) = p
	case numbersWayGenerated:
		if !r.failed {
			f.of.add(to, v)
		}
	}
}

// other reads a field that is not written as its type asks for, which packed lists may be, or passes over one that the
// message does not know.
func (r *readerGenerated) other(t *typeGenerated, f *fieldGenerated, to unsafe.Pointer, data []byte, start, i int, tag uint64) int {
	number, wire := int32(tag>>3), int(tag&7)
	switch {
	case r.failed:
		return len(data)
	case f.form.way() == numbersWayGenerated && wire == bytesGenerated:
		size, at := r.length(data, i)
		if size > len(data)-at {
			return r.fail(data, io.ErrUnexpectedEOF)
		}
		packed := data[:at+size]
		for at < len(packed) && !r.failed {
			var v uint64
			v, at = r.number(f.form.wire(), packed, at)
			r.put(f, to, v)
		}
		return len(packed)
	case wire == endGroupGenerated:
		return r.fail(data, fmt.Errorf("proto: %s: wiretype end group for non-group", t.goType.Name()))
	case f.form.way() != noWayGenerated:
		return r.fail(data, fmt.Errorf("proto: wrong wireType = %d for field %s", wire, t.nameOf(f)))
	case number <= 0:
		written, _, _ := readVarintGenerated(data, start)
		return r.fail(data, fmt.Errorf("proto: %s: illegal tag %d (wire type %d)", t.goType.Name(), number, written))
	}
	return r.skip(data, start, len(data))
}
