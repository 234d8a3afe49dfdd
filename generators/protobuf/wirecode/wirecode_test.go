package wirecode

import (
	"bytes"
	"errors"
	"io"
	"math"
	"testing"

	"google.golang.org/protobuf/encoding/protowire"
)

var numbers = []uint64{0, 1, 0x7f, 0x80, 0x3fff, 0x4000, 1<<32 - 1, 1 << 35, math.MaxInt64, 1 << 63, math.MaxUint64}

func TestNumbers(t *testing.T) {
	for _, v := range numbers {
		want := protowire.AppendVarint(nil, v)
		if got := sovGenerated(v); got != len(want) {
			t.Errorf("size of %d: %d, want %d", v, got, len(want))
		}
		data := make([]byte, 12)
		i := encodeVarintGenerated(data, len(data), v)
		if !bytes.Equal(data[i:], want) {
			t.Errorf("%d: %x, want %x", v, data[i:], want)
		}
		got, next, err := readVarintGenerated(data, i)
		if got != v || next != len(data) || err != nil {
			t.Errorf("%d: read %d up to %d: %v", v, got, next, err)
		}
		if _, _, err := readVarintGenerated(want[:len(want)-1], 0); err != io.ErrUnexpectedEOF {
			t.Errorf("%d cut off: %v", v, err)
		}
	}
	// Ten bytes are enough for anyone, whatever the last one holds.
	if v, _, err := readVarintGenerated([]byte("\xff\xff\xff\xff\xff\xff\xff\xff\xff\x7f"), 0); v != math.MaxUint64 || err != nil {
		t.Error(v, err)
	}
}

func TestKeysAreSorted(t *testing.T) {
	m := map[string]int{"b": 1, "": 2, "a": 3, "B": 4, "aa": 5}
	var got string
	var room [2]string
	for _, k := range sortedKeysGenerated(room[:0], m) {
		got += k + ","
	}
	if got != ",B,a,aa,b," {
		t.Error(got)
	}
}

// A list that claims to be long has room only for what is there.
func TestRoom(t *testing.T) {
	tag := protowire.EncodeTag(3, protowire.BytesType)
	one := protowire.AppendBytes(protowire.AppendTag(nil, 3, protowire.BytesType), []byte("x"))
	other := protowire.AppendBytes(protowire.AppendTag(nil, 4, protowire.BytesType), []byte("x"))
	for _, c := range []struct {
		name string
		data []byte
		want int
	}{
		{"nothing follows", nil, 0},
		{"another field follows", append(bytes.Clone(other), one...), 0},
		{"two follow", append(append(bytes.Clone(one), one...), other...), 2},
		{"the next is cut off", one[:2], 0},
		{"the next claims an exabyte", []byte("\x1a\xff\xff\xff\xff\xff\xff\xff\x0f"), 0},
		{"a tag without end", bytes.Repeat([]byte{0xff}, 20), 0},
	} {
		if got := followingGenerated(c.data, tag); got != c.want {
			t.Errorf("%s: %d, want %d", c.name, got, c.want)
		}
		if list := growGenerated[string](nil, c.data, tag); len(list) != 0 || cap(list) != c.want+1 {
			t.Errorf("%s: room for %d", c.name, cap(list))
		}
	}
	if list := growGenerated(make([]string, 1), one, tag); cap(list) != 1 {
		t.Error("a list that has room grew")
	}
}

// FuzzField compares what is read with another implementation, as far as that is as lenient.
func FuzzField(f *testing.F) {
	for _, seed := range []string{
		"", "\x08", "\x08\x01", "\x0a\x00", "\x0a\x05abc", "\x0a\xff\xff\xff\xff\xff\xff\xff\xff\xff\x01", "\x0b\x0c", "\x0b\x0b\x0c\x0c", "\x0b\x14",
		"\x0c", "\x0d\x01\x02\x03\x04", "\x09\x01\x02\x03\x04\x05\x06\x07\x08", "\x0e", "\x0f", "\x00\x00", "\x0b\x08\x01\x12\x01a\x0c\x08\x01", "\xf8\xff\xff\xff\x0f\x01",
	} {
		f.Add([]byte(seed))
	}
	f.Fuzz(func(t *testing.T, data []byte) {
		field, wire, number, body, next, err := fieldGenerated("Book", data, 0)
		wantField, wantWire, wantLen := protowire.ConsumeField(data)
		if err != nil {
			if wantLen >= 0 && int32(wantField) > 0 {
				t.Fatalf("%x: %v, but it is field %d", data, err, wantField)
			}
			return
		}
		if next <= 0 || next > len(data) || len(body) > next {
			t.Fatalf("%x: goes on at %d", data, next)
		}
		if n, err := skipGenerated(data); n != next || err != nil {
			t.Fatalf("%x: skips %d of %d: %v", data, n, next, err)
		}
		if wantLen < 0 {
			return // protowire refuses overlong numbers, numbers that are too large, and groups that end as others
		}
		if int32(wantField) != field || int(wantWire) != wire || wantLen != next {
			t.Fatalf("%x: field %d wire %d up to %d; want %d, %d, %d", data, field, wire, next, wantField, wantWire, wantLen)
		}
		_, _, n := protowire.ConsumeTag(data)
		switch wantWire {
		case protowire.VarintType:
			if want, _ := protowire.ConsumeVarint(data[n:]); want != number {
				t.Fatalf("%x: %d, want %d", data, number, want)
			}
		case protowire.BytesType:
			if want, _ := protowire.ConsumeBytes(data[n:]); !bytes.Equal(want, body) {
				t.Fatalf("%x: %x, want %x", data, body, want)
			}
		}
	})
}

func TestSkipErrors(t *testing.T) {
	for _, c := range []struct {
		data string
		want error
	}{
		{"\x0c", ErrUnexpectedEndOfGroupGenerated},
		{"\x0b\x08\x01", io.ErrUnexpectedEOF},
		{"\x0a\xff\xff\xff\xff\xff\xff\xff\xff\xff\x01", ErrInvalidLengthGenerated},
		{"\x08\xff\xff\xff\xff\xff\xff\xff\xff\xff\xff\x01", ErrIntOverflowGenerated},
	} {
		if _, err := skipGenerated([]byte(c.data)); !errors.Is(err, c.want) {
			t.Errorf("%x: %v, want %v", c.data, err, c.want)
		}
	}
}
