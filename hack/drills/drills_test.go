package main

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/typeplane/typeplane/internal/drill"
)

func TestJudge(t *testing.T) {
	p := promise{drill.LeaderKill, "a leader dies", []bound{within("writes again", 5), none("violations"), enough("faults", 20)}}
	figure := func(name string, kind drill.Kind, value float64) drill.Figure {
		return drill.Figure{Row: p.row, Name: name, Kind: kind, Value: value}
	}
	quick, slow := figure("writes again", drill.Seconds, 2), figure("writes again", drill.Seconds, 6)
	fine, wrong := figure("violations", drill.Counted, 0), figure("violations", drill.Counted, 1)
	few, many := figure("faults", drill.Counted, 3), figure("faults", drill.Counted, 20)
	for _, tc := range []struct {
		name    string
		figures []drill.Figure
		failed  bool
		want    string
	}{
		{"all of it", []drill.Figure{quick, fine, many}, false, met},
		{"not often enough", []drill.Figure{quick, fine, few}, false, short},
		{"too slow", []drill.Figure{slow, fine, many}, false, missed},
		{"too slow and too seldom", []drill.Figure{slow, fine, few}, false, missed},
		{"a violation", []drill.Figure{quick, wrong, many}, false, missed},
		{"a figure is missing", []drill.Figure{quick, many}, false, partly},
		{"a figure is missing, and another wrong", []drill.Figure{wrong, many}, false, missed},
		{"nothing", nil, false, notRun},
		{"the test failed", []drill.Figure{quick, fine, many}, true, broken},
		{"it can't be measured", []drill.Figure{figure("no control groups", drill.NotHere, 0)}, false, notHere},
	} {
		if got := p.judge(tc.figures, tc.failed); got != tc.want {
			t.Errorf("%s: %s, want %s", tc.name, got, tc.want)
		}
	}
}

func TestFiguresAreJoined(t *testing.T) {
	file := filepath.Join(t.TempDir(), "figures")
	t.Setenv(drill.File, file)
	drill.LeaderKill.Count("faults", 2)
	drill.LeaderKill.Worst("writes again", 7e9)
	drill.Start.Count("starts", 1)
	drill.LeaderKill.Count("faults", 3)
	drill.LeaderKill.Worst("writes again", 4e9)
	figures, err := read(file)
	if err != nil {
		t.Fatal(err)
	}
	joined := measured(figures, drill.LeaderKill)
	if got := (promise{}).listed(joined); got != "5 faults; writes again 7 s" {
		t.Errorf("joined: %s", got)
	}

	if err := forget(file, []drill.Row{drill.LeaderKill}); err != nil {
		t.Fatal(err)
	}
	if figures, err = read(file); err != nil || len(figures) != 1 || figures[0].Row != drill.Start {
		t.Errorf("%v %v are left", figures, err)
	}
}

// TestRows: the numbers are the places in the table, and each run is for a row.
func TestRows(t *testing.T) {
	for i, p := range promises {
		if int(p.row) != i+1 || len(p.bounds) == 0 {
			t.Errorf("row %d is at place %d, with %d bounds", p.row, i+1, len(p.bounds))
		}
	}
	if drill.LittleMemory != promises[len(promises)-1].row {
		t.Errorf("there are more rows than the %d of the table", len(promises))
	}
	for _, r := range runs {
		if len(r.rows) == 0 {
			t.Errorf("%v is for no row", r)
		}
		if _, err := os.Stat(filepath.Join("../..", r.dir)); err != nil {
			t.Error(err)
		}
	}
}

func TestPut(t *testing.T) {
	page := filepath.Join(t.TempDir(), "page.md")
	if err := os.WriteFile(page, []byte("before\n"+begins+"old\n"+ends+"after\n"), 0o644); err != nil {
		t.Fatal(err)
	}
	if err := put(page, "new\n"); err != nil {
		t.Fatal(err)
	}
	data, err := os.ReadFile(page)
	if want := "before\n" + begins + "\nnew\n\n" + ends + "after\n"; err != nil || string(data) != want {
		t.Errorf("%v\n%s", err, data)
	}
	if err := os.WriteFile(page, []byte("no place\n"), 0o644); err != nil {
		t.Fatal(err)
	}
	if err := put(page, "new\n"); err == nil || !strings.Contains(err.Error(), "where the table shall be") {
		t.Errorf("%v", err)
	}
}

func TestRowsCalled(t *testing.T) {
	if wanted, err := rowsCalled("9, 10"); err != nil || len(wanted) != 2 || !wanted[drill.LeaderKill] || !wanted[drill.FrozenMember] {
		t.Errorf("%v %v", wanted, err)
	}
	if _, err := rowsCalled("9,99"); err == nil {
		t.Error("row 99 was taken")
	}
}
