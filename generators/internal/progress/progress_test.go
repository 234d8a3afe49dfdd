package progress

import (
	"bytes"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"testing/synctest"
	"time"
)

// TestLine follows the line of a run: nothing for two seconds, then each step with its count and
// the elapsed time, and an empty line at the end.
func TestLine(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var out bytes.Buffer
		p := start(&out)
		p.Step("list packages", 0)
		time.Sleep(delay - time.Millisecond)
		synctest.Wait()
		if out.Len() > 0 {
			t.Errorf("shown before two seconds: %q", &out)
		}
		time.Sleep(interval)
		p.Step("check packages", 300)
		p.Add(100)
		p.Add(20)
		time.Sleep(2 * time.Second)
		p.Step("download modules", 0)
		p.Add(3)
		time.Sleep(interval)
		p.Close()
		p.Close()
		got := strings.Split(out.String(), "\r\x1b[K")
		for _, want := range []string{"gen: list packages, 2 s", "gen: check packages, 120 of 300, 4 s", "gen: download modules, 3, 4 s"} {
			if !strings.Contains(out.String(), want) {
				t.Errorf("%q is missing in %q", want, got)
			}
		}
		if got[len(got)-1] != "" {
			t.Errorf("the line is left behind: %q", got)
		}
	})
}

// TestShortRun leaves nothing on the terminal.
func TestShortRun(t *testing.T) {
	var out bytes.Buffer
	p := start(&out)
	p.Step("list packages", 0)
	p.Close()
	if out.Len() > 0 {
		t.Errorf("%q", &out)
	}
}

// TestNoTerminal: there is no progress in a file or a buffer, and nil shows nothing.
func TestNoTerminal(t *testing.T) {
	file, err := os.Create(filepath.Join(t.TempDir(), "log"))
	if err != nil {
		t.Fatal(err)
	}
	defer file.Close()
	if New(file) != nil || New(&bytes.Buffer{}) != nil {
		t.Error("shows progress without a terminal")
	}
	var none *Progress
	none.Step("list packages", 1)
	none.Add(1)
	none.Close()
}
