package protobuf

import (
	"encoding/binary"
	"fmt"
	"io"
	"time"
	"unsafe"
)

// Reader reads one object. It is an ordinary variable of whoever reads, so no function that it does
// not know gets hold of it.
type Reader struct {
	// Shared says that strings are parts of what is read.
	Shared bool
	// Err is where the first error goes.
	Err *error
	// Slabs are by the numbers that types have; there may be too few of them for types that the
	// object can't hold.
	Slabs []Slab

	failed bool
	depth  int    // of messages that can hold themselves
	needs  []need // how many of each objects like this one needed

	refilled int16 // the slab that was refilled for the first time last

	arena *arena // where values come from that come from no slab; nil for most

	spare *Layout // what the value in slab 0 is of: it is empty, for entries of maps
}

// fail ends all reading. It returns what lies behind data.
//
//go:noinline
func (r *Reader) fail(data []byte, err error) int {
	if !r.failed {
		r.failed, *r.Err = true, err
	}
	return len(data)
}

// message adds to m, which is of type t, what data has from i on. After an error within it goes on:
// the first error counts, and there is little to read then.
func (r *Reader) message(t *Layout, m unsafe.Pointer, data []byte, i int) {
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
		f := &unknownField
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
		if tag&7 != wireBytes {
			var v uint64
			if tag&7 == wireVarint && i < len(data) && data[i] < 0x80 {
				v = uint64(data[i])
				i++
			} else {
				v, i = r.number(f.form.wire(), data, i)
			}
			switch f.form.way() {
			case wordWay:
				*(*uint64)(to) = v
			case halfWay:
				*(*uint32)(to) = uint32(v)
			case boolWay:
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
		case textWay:
			switch {
			case size == 0: // keeps nothing of the input
				*(*string)(to) = ""
			case r.Shared:
				*(*string)(to) = unsafe.String(&data[i], size)
			default:
				*(*string)(to) = string(data[i:next])
			}
		case messageWay:
			if f.of.plain {
				r.message(f.of, to, data[:next], i)
			} else {
				r.inside(f.of, to, data[:next], i)
			}
		case pointerWay:
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
		case itemsWay:
			next = r.items(f.of, (*sliceHeader)(to), data, i, next, tag)
		case entryWay:
			if r.arena != nil && *(*unsafe.Pointer)(to) == nil {
				next = r.recycled(f.of, to, data, i, next, tag)
			} else {
				next = r.entry(f.of.entries, to, data, i, next, tag)
			}
		case textPointerWay:
			p := (*string)(r.one(&stringLayout))
			*p = r.text(data[i:next])
			*(**string)(to) = p
		case textsWay:
			list := (*[]string)(to)
			if cap(*list) == 0 {
				n := 1 + following(data, next, tag)
				*list = unsafe.Slice((*string)(r.room(&stringLayout, n)), n)[:0]
			}
			*list = append(*list, r.text(data[i:next]))
		case bytesWay:
			*(*[]byte)(to) = append(make([]byte, 0, size), data[i:next]...)
		case pointersWay:
			p := r.one(f.of)
			list := (*[]unsafe.Pointer)(to)
			if cap(*list) == 0 {
				*list = make([]unsafe.Pointer, 0, 1+following(data, next, tag))
			}
			*list = append(*list, p)
			r.inside(f.of, p, data[:next], i)
		}
		i = next
	}
}

// inside reads a message in a message, or what else stands in its place.
func (r *Reader) inside(t *Layout, m unsafe.Pointer, data []byte, i int) {
	if t.plain {
		r.message(t, m, data, i)
		return
	}
	switch {
	case t.seconds && readSeconds((*time.Time)(m), data[i:]):
	case t.body != nil:
		if err := t.body(m, data[i:], r.Shared); err != nil {
			r.fail(data, err)
		}
	case t.empty != nil:
		if *(*unsafe.Pointer)(m) == nil {
			t.empty(m)
		}
		r.inside(t.of, m, data, i)
	case r.depth == maxDepth:
		r.fail(data, ErrDepth)
	default:
		r.depth++
		r.message(t, m, data, i)
		r.depth--
	}
}

// readSeconds reads a time in whole seconds, as nearly all are written.
func readSeconds(to *time.Time, body []byte) bool {
	if len(body) < 3 || body[0] != 1<<3 {
		return false
	}
	seconds, i, err := readVarint(body, 1)
	if err != nil || i+2 != len(body) || body[i] != 2<<3 || body[i+1] >= 0x80 {
		return false
	}
	*to = time.Unix(int64(seconds), 0)
	return true
}

// items reads the items of a list that stand one after the other, of which the first lies between i
// and next, and returns where they end.
func (r *Reader) items(t *Layout, list *sliceHeader, data []byte, i, next int, tag uint64) int {
	n := 1
	if list.len == list.cap {
		n += following(data, next, tag)
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
func (r *Reader) number(wire uint8, data []byte, i int) (v uint64, next int) {
	switch {
	case wire == wireVarint:
		return r.varint(data, i)
	case wire == wireFixed64 && len(data)-i >= 8:
		return binary.LittleEndian.Uint64(data[i:]), i + 8
	case wire == wireFixed32 && len(data)-i >= 4:
		return uint64(binary.LittleEndian.Uint32(data[i:])), i + 4
	}
	return 0, r.fail(data, io.ErrUnexpectedEOF)
}

// put writes a number that is behind a pointer or in a list.
func (r *Reader) put(f *fieldLayout, to unsafe.Pointer, v uint64) {
	switch f.form.way() {
	case wordPointerWay:
		p := (*uint64)(r.one(&wordLayout))
		*p = v
		*(**uint64)(to) = p
	case halfPointerWay:
		p := (*uint32)(r.one(&wordLayout))
		*p = uint32(v)
		*(**uint32)(to) = p
	case boolPointerWay:
		p := (*bool)(r.one(&wordLayout))
		*p = v != 0
		*(**bool)(to) = p
	case numbersWay:
		if !r.failed {
			f.of.add(to, v)
		}
	}
}

// other reads a field that is not written as its type asks for, which packed lists may be, or
// passes over one that the message does not know.
func (r *Reader) other(t *Layout, f *fieldLayout, to unsafe.Pointer, data []byte, start, i int, tag uint64) int {
	number, wire := int32(tag>>3), int(tag&7)
	switch {
	case r.failed:
		return len(data)
	case f.form.way() == numbersWay && wire == wireBytes:
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
	case wire == wireEndGroup:
		return r.fail(data, fmt.Errorf("proto: %s: wiretype end group for non-group", t.goType.Name()))
	case f.form.way() != noWay:
		return r.fail(data, fmt.Errorf("proto: wrong wireType = %d for field %s", wire, t.nameOf(f)))
	case number <= 0:
		written, _, _ := readVarint(data, start)
		return r.fail(data, fmt.Errorf("proto: %s: illegal tag %d (wire type %d)", t.goType.Name(), number, written))
	}
	return r.skip(data, start, len(data))
}
