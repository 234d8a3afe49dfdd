package protobuf

import (
	"bytes"
	"errors"
	"io"
	"math"
	"reflect"
	"testing"

	"google.golang.org/protobuf/encoding/protowire"
)

var numbers = []uint64{0, 1, 0x7f, 0x80, 0x3fff, 0x4000, 1<<32 - 1, 1 << 35, math.MaxInt64, 1 << 63, math.MaxUint64}

func TestNumbers(t *testing.T) {
	for _, v := range numbers {
		want := protowire.AppendVarint(nil, v)
		if got := SizeVarint(v); got != len(want) {
			t.Errorf("size of %d: %d, want %d", v, got, len(want))
		}
		data := make([]byte, 12)
		i := encodeVarint(data, len(data), v)
		if !bytes.Equal(data[i:], want) {
			t.Errorf("%d: %x, want %x", v, data[i:], want)
		}
		got, next, err := readVarint(data, i)
		if got != v || next != len(data) || err != nil {
			t.Errorf("%d: read %d up to %d: %v", v, got, next, err)
		}
		if _, _, err := readVarint(want[:len(want)-1], 0); err != io.ErrUnexpectedEOF {
			t.Errorf("%d cut off: %v", v, err)
		}
	}
	// Ten bytes are enough for anyone, whatever the last one holds.
	if v, _, err := readVarint([]byte("\xff\xff\xff\xff\xff\xff\xff\xff\xff\x7f"), 0); v != math.MaxUint64 || err != nil {
		t.Error(v, err)
	}
}

func TestKeysAreSorted(t *testing.T) {
	m := map[string]int{"b": 1, "": 2, "a": 3, "B": 4, "aa": 5}
	var got string
	var room [2]string
	for _, k := range SortedKeys(room[:0], m) {
		got += k + ","
	}
	if got != ",B,a,aa,b," {
		t.Error(got)
	}
}

// What a writer has no room for is written elsewhere, and fit says so.
func TestWriter(t *testing.T) {
	write := func(w *Writer) int {
		n := w.PutString(0, 1<<3|2, "name")
		n = w.PutString(n, 200<<3|2, string(make([]byte, 200)))
		n = w.PutNumber(n, 3<<3, 1<<63)
		n = w.PutBool(n, 4<<3, true)
		n = w.PutBytes(n, 5<<3|2, []byte{1})
		n = w.PutFloat64(n, 6<<3|1, 1)
		n = w.PutFloat32(n, 7<<3|5, 1)
		return PutTextMap(w, n, 8<<3|2, map[string]string{"b": "1", "a": ""})
	}
	w := NewWriter()
	w.Data = w.Data[:1]
	n := write(&w)
	if !w.Again(n) {
		t.Error("a byte is room enough")
	}
	if write(&w) != n || w.Again(n) {
		t.Error("no room the second time")
	}
	want, err := w.Finish(nil, n)
	if err != nil {
		t.Fatal(err)
	}
	for size := range len(want) + 5 {
		data := make([]byte, size)
		w := Writer{Data: data}
		n, err := w.Fit(write(&w))
		switch {
		case size < len(want):
			if err != io.ErrShortBuffer {
				t.Errorf("%d bytes are enough for %d: %v", size, len(want), err)
			}
		case err != nil || !bytes.Equal(data[size-n:], want):
			t.Errorf("in %d bytes: %x, %v; want %x", size, data, err, want)
		}
	}
}

// What is too large for a buffer that is kept gets a slice of its own, of its size.
func TestLargeWriter(t *testing.T) {
	for _, size := range []int{1 << 10, 200 << 10, maxPooled, 1 << 20} {
		value := string(bytes.Repeat([]byte{'v'}, size))
		w := NewWriter()
		n := w.PutString(0, 1<<3|2, value)
		if w.Again(n) {
			n = w.PutString(0, 1<<3|2, value)
		}
		scratch := w.scratch
		out, err := w.Finish(nil, n)
		want := protowire.AppendString(protowire.AppendTag(nil, 1, protowire.BytesType), value)
		if err != nil || !bytes.Equal(out, want) || cap(out) > len(out)+len(out)/4+64 {
			t.Errorf("%d bytes: %d in room for %d: %v", size, len(out), cap(out), err)
		}
		if len(*scratch) > maxPooled || &(*scratch)[len(*scratch)-1] == &out[len(out)-1] {
			t.Errorf("%d bytes: a buffer of %d is kept", size, len(*scratch))
		}
	}
}

// FuzzSkip compares how long a field is with another implementation, as far as that is as lenient.
func FuzzSkip(f *testing.F) {
	for _, seed := range []string{
		"", "\x08", "\x08\x01", "\x0a\x00", "\x0a\x05abc", "\x0a\xff\xff\xff\xff\xff\xff\xff\xff\xff\x01", "\x0b\x0c", "\x0b\x0b\x0c\x0c", "\x0b\x14",
		"\x0c", "\x0d\x01\x02\x03\x04", "\x09\x01\x02\x03\x04\x05\x06\x07\x08", "\x0e", "\x0f", "\x00\x00", "\x0b\x08\x01\x12\x01a\x0c\x08\x01", "\xf8\xff\xff\xff\x0f\x01",
	} {
		f.Add([]byte(seed))
	}
	f.Fuzz(func(t *testing.T, data []byte) {
		var err error
		r := Reader{Err: &err}
		message := Layout{goType: reflect.TypeFor[book]()}
		next := 0
		if len(data) > 0 {
			tag, i := r.tag(data, 0)
			next = r.other(&message, &unknownField, nil, data, 0, i, tag)
		}
		field, _, wantLen := protowire.ConsumeField(data)
		if err != nil {
			if wantLen >= 0 && int32(field) > 0 {
				t.Fatalf("%x: %v, but it is field %d", data, err, field)
			}
			return
		}
		// protowire refuses overlong numbers, numbers that are too large, and groups that end as
		// others.
		if next < 0 || next > len(data) || wantLen >= 0 && wantLen != next {
			t.Fatalf("%x: goes on at %d, want %d", data, next, wantLen)
		}
		tag := protowire.EncodeTag(field, protowire.BytesType)
		if n := following(data, 0, tag); n > max(1, len(data)/2) {
			t.Fatalf("%x: %d fields", data, n)
		}
	})
}

func TestSkipErrors(t *testing.T) {
	for _, c := range []struct {
		data string
		want error
	}{
		{"\x0c", ErrUnexpectedEndOfGroup},
		{"\x0b\x08\x01", io.ErrUnexpectedEOF},
		{"\x0a\xff\xff\xff\xff\xff\xff\xff\xff\xff\x01", ErrInvalidLength},
		{"\x08\xff\xff\xff\xff\xff\xff\xff\xff\xff\xff\x01", ErrIntOverflow},
	} {
		if _, err := skipField([]byte(c.data)); !errors.Is(err, c.want) {
			t.Errorf("%x: %v, want %v", c.data, err, c.want)
		}
	}
}
