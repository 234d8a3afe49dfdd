package json_test

import (
	"errors"
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
