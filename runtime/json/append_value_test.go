package json

import (
	"encoding/json"
	"math"
	"math/rand/v2"
	"strings"
	"testing"
)

// TestAppendAny: values of any type are written as encoding/json writes them.
func TestAppendAny(t *testing.T) {
	random := rand.New(rand.NewPCG(1, 2))
	for range 2000 {
		sameAsLibrary(t, randomValue(random, 5))
	}
	deep := any("the end")
	for i := range 3 * plainDepth {
		if deep = any([]any{deep}); i%2 == 0 {
			deep = map[string]any{"a": deep}
		}
	}
	sameAsLibrary(t, deep)
	sameAsLibrary(t, []any{math.NaN()})
	sameAsLibrary(t, map[string]any{"a": []any{func() {}}})
}

func sameAsLibrary(t *testing.T, value any) {
	t.Helper()
	want, wantErr := json.Marshal(value)
	got, err := AppendAny([]byte("before "), value)
	if (err != nil) != (wantErr != nil) {
		t.Errorf("it fails with %v, and the library with %v", err, wantErr)
	}
	if err == nil && string(got) != "before "+string(want) {
		t.Errorf("it writes\n%.300s, and the library\n%.300s", got, want)
	}
}

// TestAppendAnyCycle: a value that holds itself is an error, as it is for the library.
func TestAppendAnyCycle(t *testing.T) {
	cycle := map[string]any{}
	cycle["again"] = []any{cycle}
	if _, err := AppendAny(nil, cycle); err == nil || !strings.Contains(err.Error(), "cycle") {
		t.Errorf("it fails with %v, want a cycle", err)
	}
}

func randomValue(random *rand.Rand, depth int) any {
	n := 12
	if depth == 0 {
		n = 8
	}
	switch random.IntN(n) {
	case 0:
		return nil
	case 1:
		return random.IntN(2) == 0
	case 2:
		return random.Int64() - random.Int64()
	case 3:
		return random.NormFloat64() * math.Pow(10, float64(random.IntN(60)-30))
	case 4:
		return json.Number("1.50")
	case 5:
		return random.Uint64()
	case 6:
		return map[string]any(nil)
	case 7:
		return []string{"", "<a>", "\u2028\xff", "\"\\\n\x01"}[random.IntN(4)]
	case 8, 9:
		list := make([]any, random.IntN(4))
		for i := range list {
			list[i] = randomValue(random, depth-1)
		}
		return list
	}
	object := map[string]any{}
	for range random.IntN(20) {
		object[string(rune('a'+random.IntN(40)))] = randomValue(random, depth-1)
	}
	return object
}
