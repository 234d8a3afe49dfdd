package json_test

import (
	"errors"
	"fmt"
	"reflect"
	"strings"
	"testing"

	"github.com/typeplane/typeplane/runtime/json"
)

type wide struct {
	_     [1000]byte
	Names []string         `json:"names"`
	Inner *wide            `json:"inner"`
	Any   any              `json:"any"`
	Map   map[string]int64 `json:"map"`
}

func readWide(r *json.Reader, out *wide) {
	if !r.BeginObject("wide") {
		return
	}
	for r.NextField("wide") {
		switch r.Name() {
		case "names":
			json.ReadSlice(r, &out.Names, "[]string", (*json.Reader).String)
		case "inner":
			if json.Pointer(r, &out.Inner) {
				readWide(r, out.Inner)
			}
		case "any":
			r.Any(&out.Any)
		case "map":
			json.ReadMap(r, &out.Map, "map[string]int64", (*json.Reader).Int64)
		default:
			r.Unknown()
		}
	}
}

// What takes more memory than it may is not read, by functions or by reflection; what is only long
// is.
func TestLimit(t *testing.T) {
	items := func(item string, n int) string { return strings.Repeat(item+",", n) + item }
	for name, tc := range map[string]struct {
		data  string
		limit int
		ok    bool
	}{
		"structs":       {"[" + items("{}", 1000) + "]", 1 << 20, false},
		"a few structs": {"[" + items("{}", 100) + "]", 1 << 19, true},
		"strings":       {`[{"names":[` + items(`""`, 10_000) + "]}]", 100_000, false},
		"long strings":  {`[{"names":["` + strings.Repeat("a", 1_000_000) + `"]}]`, 100_000, true},
		"pointers":      {"[" + strings.Repeat(`{"inner":`, 200) + "{}" + strings.Repeat("}", 200) + "]", 100_000, false},
		"objects":       {`[{"any":[` + items("{}", 10_000) + "]}]", 100_000, false},
		"numbers":       {`[{"any":[` + items("1", 10_000) + "]}]", 100_000, false},
		"a map":         {`[{"map":{` + items(`"a":1`, 10_000) + "}}]", 100_000, false},
		"no limit":      {"[" + items("{}", 1000) + "]", 0, true},
	} {
		r := json.NewReader([]byte(tc.data))
		if tc.limit > 0 {
			r.Limit(tc.limit)
		}
		var out []wide
		json.ReadSlice(r, &out, "[]wide", readWide)
		if err := r.Err(); tc.ok != (err == nil) || !tc.ok && !errors.Is(err, json.ErrTooLarge) {
			t.Errorf("%s: %v", name, err)
		}
		if tc.limit > 0 && (json.Fits([]byte(tc.data), reflect.TypeOf(out), tc.limit, nil) == nil) != tc.ok {
			t.Errorf("%s, read by reflection: want %t", name, tc.ok)
		}
	}
}

// The paths of fields that are there twice are no multiple of the data, however long a key is that
// all of them are below of.
func TestStrictTextIsBounded(t *testing.T) {
	var twice strings.Builder
	for i := range 200 {
		fmt.Fprintf(&twice, `"%[1]d":1,"%[1]d":1,`, i)
	}
	var v any
	r := json.NewReader([]byte(`{"` + strings.Repeat("n", 100_000) + `":{` + twice.String() + `"end":1}}`))
	r.Any(&v)
	size := 0
	for _, err := range r.Strict() {
		size += len(err.Error())
	}
	if err := r.Err(); err != nil || size == 0 || size > 1<<20 {
		t.Errorf("%d bytes of paths, %v", size, err)
	}
}

// What strangers nest so deep that nothing could be put around it is not read, by functions or by
// reflection, wherever it is.
func TestDepthOfStrangers(t *testing.T) {
	for name, around := range map[string][2]string{"a value": {`{"any":`, `}`}, "a member that is passed over": {`{"other":`, `}`}, "structs": {"", ""}} {
		begin, end := "[", "]"
		if name == "structs" {
			begin, end = `{"inner":`, "}"
		}
		for n, want := range map[int]error{9000: nil, 9950: json.ErrTooDeep} {
			data := []byte(around[0] + strings.Repeat(begin, n) + "null" + strings.Repeat(end, n) + around[1])
			var out wide
			r := json.NewReader(data).Limit(1 << 30)
			readWide(r, &out)
			if err := r.Err(); !errors.Is(err, want) {
				t.Errorf("%s, %d: %v", name, n, err)
			}
			if err := json.Fits(data, reflect.TypeFor[wide](), 1<<30, nil); !errors.Is(err, want) {
				t.Errorf("%s, %d, by reflection: %v", name, n, err)
			}
			r = json.NewReader(data)
			if readWide(r, new(wide)); r.Err() != nil {
				t.Errorf("%s, %d, of a friend: %v", name, n, r.Err())
			}
		}
	}
}
