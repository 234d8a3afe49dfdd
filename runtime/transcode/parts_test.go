package transcode_test

import (
	"encoding/json"
	"regexp"
	"strconv"
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/typeplane/typeplane/runtime/transcode"
)

// TestParts takes random metadata apart. The parts follow each other without a gap, and those of a
// field are inside it. JSON has something at each path, unless it leaves out what is empty.
func TestParts(t *testing.T) {
	for seed := range int64(300) {
		meta := randomMeta(seed)
		message, err := meta.Marshal()
		if err != nil {
			t.Fatal(err)
		}
		parts, err := transcode.ObjectMeta.Parts(message)
		if err != nil {
			t.Fatalf("seed %d: %v", seed, err)
		}
		checkTiles(t, seed, parts, 0, len(message))
		var object any
		if err := json.Unmarshal([]byte(decoded(t, message, 1)), &object); err != nil {
			t.Fatal(err)
		}
		for _, part := range parts {
			if part.Value < part.End && message[part.End-1] != 0 && utf8.ValidString(part.Path) && !has(object, part.Path) {
				t.Errorf("seed %d: %s is not in the JSON: %v", seed, part.Path, object)
			}
		}
	}
}

// checkTiles wants the parts to fill the bytes from begin to end.
func checkTiles(t *testing.T, seed int64, parts []transcode.Part, begin, end int) {
	t.Helper()
	for len(parts) > 0 {
		first := parts[0]
		if first.Begin != begin || first.Value <= first.Begin || first.Value > first.End || first.End > end {
			t.Fatalf("seed %d: %+v, want it to begin at %d and to end at %d at most", seed, first, begin, end)
		}
		inside := 1
		for inside < len(parts) && parts[inside].Begin < first.End {
			inside++
		}
		if inside > 1 {
			checkTiles(t, seed, parts[1:inside], first.Value, first.End)
		}
		parts, begin = parts[inside:], first.End
	}
	if begin != end {
		t.Fatalf("seed %d: the parts end at %d, want %d", seed, begin, end)
	}
}

var steps = regexp.MustCompile(`\[[^\]]*\]|[^.\[]+`)

func has(object any, path string) bool {
	for _, step := range steps.FindAllString(path, -1) {
		name := strings.Trim(step, "[]")
		switch at := object.(type) {
		case map[string]any:
			var found bool
			if object, found = at[name]; !found {
				return false
			}
		case []any:
			n, err := strconv.Atoi(name)
			if err != nil || n >= len(at) {
				return false
			}
			object = at[n]
		default:
			return false
		}
	}
	return true
}

func TestPartsOfNoMessage(t *testing.T) {
	for _, message := range []string{"\x0a\x05ab", "\x0a", "\x0b", "\xff\xff\xff\xff\xff\xff\xff\xff\xff\xff\xff", "\x0a\xff\xff\xff\xff\xff\xff\xff\xff\xff\x01"} {
		if parts, err := transcode.ObjectMeta.Parts([]byte(message)); err == nil {
			t.Errorf("%q: %+v, want an error", message, parts)
		}
	}
	parts, err := transcode.ObjectMeta.Parts([]byte("\x0a\x01a\xf8\x01\x07"))
	if want := (transcode.Part{Path: "#31", Begin: 3, Value: 5, End: 6}); err != nil || len(parts) != 2 || parts[1] != want {
		t.Errorf("an unknown field: %+v, %v, want %+v", parts, err, want)
	}
}
