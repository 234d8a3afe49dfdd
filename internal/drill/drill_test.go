package drill

import (
	"encoding/json"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"
)

func TestFiguresAreAdded(t *testing.T) {
	file := filepath.Join(t.TempDir(), "figures")
	t.Setenv(File, "")
	Start.Count("nobody reads this", 1)
	t.Setenv(File, file)
	Start.Worst("empty", 1500*time.Millisecond)
	Start.Count("starts", 3)
	data, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	var got []Figure
	for line := range strings.Lines(string(data)) {
		var f Figure
		if err := json.Unmarshal([]byte(line), &f); err != nil {
			t.Fatal(err)
		}
		if time.Since(f.Time) > time.Hour {
			t.Errorf("noted at %v", f.Time)
		}
		f.Time = time.Time{}
		got = append(got, f)
	}
	want := []Figure{{Row: Start, Name: "empty", Kind: Seconds, Value: 1.5}, {Row: Start, Name: "starts", Kind: Counted, Value: 3}}
	if len(got) != 2 || got[0] != want[0] || got[1] != want[1] {
		t.Errorf("%v, want %v", got, want)
	}
}

func TestFigureThatIsLost(t *testing.T) {
	t.Setenv(File, filepath.Join(t.TempDir(), "no", "such", "directory"))
	defer func() {
		if recover() == nil {
			t.Error("it went on")
		}
	}()
	Start.Count("starts", 1)
}
