package main

import (
	"errors"
	"strings"
	"testing"
)

// TestJudge tells the four ways in which a run may surprise from the two in which it does not.
func TestJudge(t *testing.T) {
	known := []difference{{client: "c", check: "a: known", says: "404", reason: "no such thing"}}
	kept := result{check: "a: known", said: "status 404"}
	for _, tc := range []struct {
		name    string
		results []result
		want    string // part of the only surprise, "" for none
	}{
		{"as expected", []result{kept, {check: "a: other", holds: true}}, ""},
		{"a failure that nobody knows of", []result{kept, {check: "a: other", said: "no"}}, `"a: other" failed: no`},
		{"a difference that is none any more", []result{{check: "a: known", holds: true}}, "take it out"},
		{"a difference with another answer", []result{{check: "a: known", said: "500"}}, "other words"},
		{"a difference that was not looked for", nil, "no such check"},
		{"that of another client", []result{kept, {check: "b: known", said: "404"}}, `"b: known" failed`},
	} {
		t.Run(tc.name, func(t *testing.T) {
			tr := trial{client: client{name: "c"}, results: tc.results}
			tr.judge(known)
			if got := strings.Join(tr.surprises, "\n"); tc.want == "" && got != "" || !strings.Contains(got, tc.want) {
				t.Errorf("surprises: %q, want %q", got, tc.want)
			}
		})
	}
}

// TestJudgeNotRun does not miss the checks of a client that could not be run.
func TestJudgeNotRun(t *testing.T) {
	tr := trial{client: client{name: "c"}, err: errors.New("no such library")}
	tr.judge([]difference{{client: "c", check: "a: known"}})
	if len(tr.surprises) > 0 {
		t.Errorf("surprises: %q", tr.surprises)
	}
	if page := string(printPage([]trial{tr})); !strings.Contains(page, "not run to the end") {
		t.Errorf("the page says nothing of it:\n%s", page)
	}
}

// TestParseLines reads what programs print, and notices one that ended too early.
func TestParseLines(t *testing.T) {
	version, results, err := parseLines([]byte("version 1.2\nok a: b\nnot ok a: c # why: 1 # 2\n1..2\n"))
	if err != nil || version != "1.2" || len(results) != 2 || results[0] != (result{check: "a: b", holds: true}) || results[1] != (result{check: "a: c", said: "why: 1 # 2"}) {
		t.Errorf("version %q, results %v, error %v", version, results, err)
	}
	for name, out := range map[string]string{"ended": "ok a: b\n", "fewer": "ok a: b\n1..2\n", "odd": "Traceback\n1..0\n"} {
		if _, _, err := parseLines([]byte(out)); err == nil {
			t.Errorf("%s: no error for %q", name, out)
		}
	}
}

// TestPageShowsFailures has all that does not hold on the page, whether it is known or not.
func TestPageShowsFailures(t *testing.T) {
	trials := []trial{
		{client: client{name: "a"}, version: "1", results: []result{{check: "x: holds", holds: true}, {check: "x: fails", said: "no"}}},
		{client: client{name: "b"}, leftOut: true},
	}
	got := string(printPage(trials))
	for _, want := range []string{"| [a](#a) | 1 | 2 | 1 | 0 | 1 |", "~~fails~~", "**fails**", "| [b](#b) | | **not run** |"} {
		if !strings.Contains(got, want) {
			t.Errorf("the page has no %q:\n%s", want, got)
		}
	}
}
