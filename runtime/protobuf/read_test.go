package protobuf

import (
	"bytes"
	"reflect"
	"sync"
	"testing"
	"unsafe"

	"google.golang.org/protobuf/encoding/protowire"
)

// book is a message with fields of many sorts.
type book struct {
	Title  string
	Tags   []string
	Pages  []page
	Years  []int64
	Names  map[string]string
	Copies *int32
	Far    bool
	Parts  map[int32]*page
	Raw    [][]byte
}

type page struct{ Number int32 }

func readsBook(t *Type[book]) *Type[book] {
	if m := Begin(t); m != nil {
		t := &t.Layout
		Text(t, 1, &m.Title)
		Texts(t, 2, &m.Tags)
		Items(t, 3, &m.Pages, readsPage())
		Numbers(t, 4, &m.Years)
		TextMap(t, 5, &m.Names)
		NumberPointer(t, 6, &m.Copies)
		Map(t, 7, &m.Parts, NumberItem[int32](), PointerItem(readsPage()))
		Items(t, 8, &m.Raw, With(new(Type[[]byte]), CopyBytes))
		Bool(t, 5000, &m.Far)
	}
	return t
}

func readsPage() *Type[page] {
	if m := Begin(&typePage); m != nil {
		Number(&typePage.Layout, 1, &m.Number)
	}
	return &typePage
}

var (
	typeBook = Type[book]{Layout: Layout{Object: true}}
	typePage = Type[page]{Layout: Layout{Slab: 3}}
)

func readBook(data []byte, m *book) error {
	var err error
	var slabs [4]Slab
	r := Reader{Err: &err, Slabs: slabs[:]}
	Read(&r, &typeBook, func() { readsBook(&typeBook) }, data, m)
	return err
}

// What is written by hand here is read, and nothing else.
func TestRead(t *testing.T) {
	one := int32(1)
	recycled := Recycler(&typeBook, func() { readsBook(&typeBook) }, 4)
	recycledBook := func(data []byte, m *book) error {
		got, err := recycled(data)
		*m = *got
		return err
	}
	for _, c := range []struct {
		name, data string
		want       book
		err        string
	}{
		{"nothing", "", book{}, ""},
		{"a string", "\x0a\x01x", book{Title: "x"}, ""},
		{"the last one counts", "\x0a\x01x\x0a\x00", book{}, ""},
		{"a length in two bytes", "\x0a\x81\x00x", book{Title: "x"}, ""},
		{"a tag in two bytes", "\x8a\x00\x01x", book{Title: "x"}, ""},
		{"a tag in three", "\x8a\x80\x00\x01x", book{Title: "x"}, ""},
		{"lists", "\x12\x01x\x12\x00\x1a\x02\x08\x01\x1a\x00", book{Tags: []string{"x", ""}, Pages: []page{{1}, {}}}, ""},
		{"lists in pieces", "\x1a\x00\x12\x01x\x1a\x02\x08\x01\x12\x00", book{Tags: []string{"x", ""}, Pages: []page{{}, {1}}}, ""},
		{"items whose tags are too long", "\x1a\x00\x9a\x00\x02\x08\x01\x1a\x81\x00\x00", book{Pages: []page{{}, {1}}}, "proto: page: illegal tag 0 (wire type 0)"},
		{"numbers", "\x20\x01\x22\x03\x02\x80\x01\x20\x03", book{Years: []int64{1, 2, 128, 3}}, ""},
		{"bytes", "\x42\x01x\x42\x00", book{Raw: [][]byte{[]byte("x"), {}}}, ""},
		{"a pointer", "\x30\x01", book{Copies: &one}, ""},
		{"a map", "\x2a\x05\x0a\x01k\x12\x00\x2a\x00", book{Names: map[string]string{"k": "", "": ""}}, ""},
		{"a map the other way round", "\x2a\x06\x12\x01v\x0a\x01k", book{Names: map[string]string{"k": "v"}}, ""},
		{"an entry with another field", "\x2a\x08\x18\x01\x0a\x01k\x12\x01v", book{Names: map[string]string{"k": "v"}}, ""},
		{"an entry with a field that goes on behind it", "\x2a\x05\x0a\x01k\x1a\x01x", book{}, "unexpected EOF"},
		{"a map of pointers", "\x3a\x06\x08\x07\x12\x02\x08\x01\x3a\x02\x08\x08", book{Parts: map[int32]*page{7: {1}, 8: nil}}, ""},
		{"a high number", "\xc0\xb8\x02\x01", book{Far: true}, ""},
		{"an unknown one", "\xc8\xb8\x02\x01\x4a\x01x\x4b\x08\x01\x4c\x0a\x01x", book{Title: "x"}, ""},
		{"the wrong way", "\x0d\x01\x02\x03\x04", book{}, "proto: wrong wireType = 5 for field Title"},
		{"the wrong way far off", "\xc2\xb8\x02\x00", book{}, "proto: wrong wireType = 2 for field Far"},
		{"the wrong way inside", "\x1a\x02\x0a\x00", book{}, "proto: wrong wireType = 2 for field Number"},
		{"the end of a group", "\x0c", book{}, "proto: book: wiretype end group for non-group"},
		{"no number", "\x00\x01", book{}, "proto: book: illegal tag 0 (wire type 0)"},
		{"cut off in a tag", "\x8a", book{}, "unexpected EOF"},
		{"cut off in a length", "\x0a\x81", book{}, "unexpected EOF"},
		{"cut off in a string", "\x0a\x02x", book{}, "unexpected EOF"},
		{"cut off in a number", "\x30\x80", book{}, "unexpected EOF"},
		{"cut off in a packed list", "\x22\x02\x01", book{}, "unexpected EOF"},
		{"a message that is too long", "\x1a\x03\x08\x01", book{}, "unexpected EOF"},
		{"a field behind its message", "\x1a\x01\x08\x01", book{}, "unexpected EOF"},
		{"a negative length", "\x0a\xff\xff\xff\xff\xff\xff\xff\xff\xff\x01", book{}, "proto: negative length found during unmarshaling"},
		{"a number without end", "\x30\xff\xff\xff\xff\xff\xff\xff\xff\xff\xff\x01", book{}, "proto: integer overflow"},
	} {
		for round := range 5 { // the second and third time it is known how much is needed, then there is memory of other books
			var got book
			read := readBook
			if round > 2 {
				read = recycledBook
			}
			err := read([]byte(c.data), &got)
			switch {
			case c.err != "":
				if err == nil || err.Error() != c.err {
					t.Errorf("%s: %v, want %s", c.name, err, c.err)
				}
			case err != nil || !reflect.DeepEqual(got, c.want):
				t.Errorf("%s: %+v, %v; want %+v", c.name, got, err, c.want)
			}
		}
	}
}

// What is read is added to what is there, and what a list has room for need not be empty.
func TestReadMore(t *testing.T) {
	m := book{Tags: []string{"a"}, Pages: append(make([]page, 0, 4), page{1}, page{2})[:1], Names: map[string]string{"k": "v"}}
	if err := readBook([]byte("\x12\x01x\x1a\x00\x1a\x02\x08\x07\x2a\x06\x0a\x01l\x12\x01w"), &m); err != nil {
		t.Fatal(err)
	}
	want := book{Tags: []string{"a", "x"}, Pages: []page{{1}, {}, {7}}, Names: map[string]string{"k": "v", "l": "w"}}
	if !reflect.DeepEqual(m, want) {
		t.Errorf("%+v", m)
	}
}

// A list that is interrupted takes no longer: what follows is counted when there is no room, not
// for each item.
func TestReadLongList(t *testing.T) {
	data := append([]byte("\x1a\x00\x0a\x00"), bytes.Repeat([]byte{0x1a, 0}, 300_000)...)
	var m book
	if err := readBook(data, &m); err != nil || len(m.Pages) != 300_001 {
		t.Error(len(m.Pages), err)
	}
}

// Readers at the same time build a type once.
func TestReadAtOnce(t *testing.T) {
	var many [8]Type[book]
	for i := range many {
		var wg sync.WaitGroup
		for range 8 {
			wg.Go(func() {
				var err error
				var m book
				r := Reader{Err: &err, Slabs: make([]Slab, 4)}
				Read(&r, &many[i], func() { readsBook(&many[i]) }, []byte("\x1a\x02\x08\x07"), &m)
				if err != nil || len(m.Pages) != 1 || m.Pages[0].Number != 7 {
					t.Error(m, err)
				}
			})
		}
		wg.Wait()
	}
}

// A list that claims to be long has room only for what is there.
func TestRoom(t *testing.T) {
	tag := protowire.EncodeTag(3, protowire.BytesType)
	one := protowire.AppendBytes(protowire.AppendTag(nil, 3, protowire.BytesType), []byte("\x08\x01"))
	other := protowire.AppendBytes(protowire.AppendTag(nil, 4, protowire.BytesType), []byte("\x01"))
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
		if got := following(c.data, 0, tag); got != c.want {
			t.Errorf("%s: %d, want %d", c.name, got, c.want)
		}
		var m book
		_ = readBook(append(bytes.Clone(one), c.data...), &m)
		if len(m.Pages) < 1 || cap(m.Pages) > 2*(c.want+1) {
			t.Errorf("%s: %d in room for %d", c.name, len(m.Pages), cap(m.Pages))
		}
	}
	// They may all be the same entry.
	e := mapEntries{short: func(_ unsafe.Pointer, room int, _ string, _ []byte, _ bool, _ *arena) error {
		if room != 1000 {
			t.Errorf("room for %d entries", room)
		}
		return nil
	}}
	var m map[string]string
	r := Reader{}
	r.entry(&e, unsafe.Pointer(&m), bytes.Repeat([]byte{0x1a, 0}, 1e6), 2, 2, tag)
}

// Values of a slab are apart, however many there are.
func TestSlab(t *testing.T) {
	r := Reader{Slabs: make([]Slab, 4)}
	seen := map[unsafe.Pointer]bool{}
	for range 1000 {
		v := r.one(&wordLayout)
		if *(*uint64)(v) != 0 || seen[v] {
			t.Fatal("a value was given out twice")
		}
		*(*uint64)(v), seen[v] = 1, true
	}
	nothing := Type[struct{}]{Layout{Slab: 3}}
	With(&nothing, func(*struct{}, []byte, bool) error { return nil })
	for range 3 {
		r.one(&nothing.Layout)
		r.room(&nothing.Layout, 2000)
	}
	a, b := r.room(&stringLayout, 3), r.room(&stringLayout, 1000)
	*(*string)(a), *(*string)(unsafe.Add(a, 2*stringLayout.size)) = "first", "last"
	if c := r.one(&stringLayout); *(*string)(c) != "" || *(*string)(b) != "" || c == a {
		t.Error("lists run into one another")
	}
}

// The second object like another gets what it needs at once, but not what only one of two needed.
func TestNeeds(t *testing.T) {
	r := Reader{Slabs: make([]Slab, 4), needs: make([]need, 4)}
	pair := Type[[2]uint64]{Layout{Slab: 3}} // 16 bytes on every machine
	With(&pair, func(*[2]uint64, []byte, bool) error { return nil })
	for i, c := range []struct{ used, made int }{{1, 4}, {50, 64}, {50, 80}, {50, 50}, {51, 100}, {3, 50}, {3, 3}, {3, 3}} {
		clear(r.Slabs)
		r.refilled = 0
		for range c.used {
			r.one(&pair.Layout)
		}
		r.remember()
		if made := int(r.Slabs[3].made); made != c.made {
			t.Errorf("object %d, which needs %d: %d were made, want %d", i, c.used, made, c.made)
		}
	}
}

// An entry of a map is split only if there is nothing odd about it.
func TestShortEntry(t *testing.T) {
	for _, c := range []struct {
		entry, key, value string
		ok                bool
	}{
		{"\x0a\x01k\x12\x02vv", "k", "vv", true},
		{"\x0a\x00\x12\x00", "", "", true},
		{"\x12\x01v\x0a\x01k", "", "", false},
		{"\x0a\x01k", "", "", false},
		{"\x0a\x01k\x12", "", "", false},
		{"\x0a\x01k\x12\x02v", "", "", false},
		{"\x0a\x01k\x12\x01vv", "", "", false},
		{"\x0a\x09k\x12\x01v", "", "", false},
		{"\x0a\x81\x00k\x12\x01v", "", "", false},
		{"\x0a\x01k\x12\x81\x00v", "", "", false},
		{"\x0a\x01k\x0a\x01v", "", "", false},
		{"", "", "", false},
	} {
		key, value, ok := shortEntry([]byte(c.entry))
		if string(key) != c.key || string(value) != c.value || ok != c.ok {
			t.Errorf("%x: %q, %q, %v", c.entry, key, value, ok)
		}
		var m book
		err := readBook([]byte("\x2a"+string(rune(len(c.entry)))+c.entry), &m)
		if c.ok && (err != nil || m.Names[c.key] != c.value) {
			t.Errorf("%x: read %v: %v", c.entry, m.Names, err)
		}
	}
}
