package main

import (
	"errors"
	"fmt"
	"os"
	"os/exec"
	"runtime"
	"slices"
	"strings"
	"time"

	"github.com/typeplane/typeplane/internal/drill"
)

// Where the table is in the page.
const (
	begins = "<!-- drills: what follows is printed by make drills -->\n"
	ends   = "<!-- drills: end -->\n"
)

// table prints the scorecard. An error names the rows whose promise is not kept.
func table(figures []drill.Figure, failed []run) (text string, bad error) {
	var b strings.Builder
	fmt.Fprintf(&b, "%s.\n\n| | | promised | measured | met | on |\n|---:|---|---|---|---|---|\n", machine())
	for _, p := range promises {
		of := measured(figures, p.row)
		verdict := p.judge(of, slices.ContainsFunc(failed, func(r run) bool { return slices.Contains(r.rows, p.row) }))
		fmt.Fprintf(&b, "| %d | %s | %s | %s | %s | %s |\n", p.row, p.what, p.bounded(), p.listed(of), verdict, latest(of))
		if verdict == missed {
			bad = errors.Join(bad, fmt.Errorf("row %d, %s: promised is %s; measured was %s", p.row, p.what, p.bounded(), p.listed(of)))
		}
	}
	return b.String(), bad
}

// listed are the figures of a row in one line.
func (p promise) listed(figures []drill.Figure) string {
	var all []string
	for _, f := range figures {
		switch f.Kind {
		case drill.NotHere:
			all = append(all, f.Name)
		case drill.Counted:
			all = append(all, printed(f.Kind, f.Value)+" "+f.Name)
		default:
			all = append(all, f.Name+" "+printed(f.Kind, f.Value))
		}
	}
	return strings.Join(all, "; ")
}

// latest is the day of the newest figure.
func latest(figures []drill.Figure) string {
	var newest time.Time
	for _, f := range figures {
		if f.Time.After(newest) {
			newest = f.Time
		}
	}
	if newest.IsZero() {
		return ""
	}
	return newest.Format("01-02 15:04")
}

// machine says what the run was made on, and of what.
func machine() string {
	commit := "no commit"
	if out, err := exec.Command("git", "rev-parse", "--short=8", "HEAD").Output(); err == nil {
		commit = strings.TrimSpace(string(out))
	}
	text := fmt.Sprintf("Printed on %s UTC at %s: %s, %s/%s, %d processors", time.Now().UTC().Format("2006-01-02 15:04"), commit, runtime.Version(), runtime.GOOS, runtime.GOARCH, runtime.NumCPU())
	if data, err := os.ReadFile("/proc/loadavg"); err == nil {
		text += ", load " + strings.Join(strings.Fields(string(data))[:3], ", ")
	}
	return text
}

// put replaces the table of a page.
func put(page, text string) error {
	data, err := os.ReadFile(page)
	if err != nil {
		return err
	}
	before, rest, found := strings.Cut(string(data), begins)
	_, after, ended := strings.Cut(rest, ends)
	if !found || !ended {
		return fmt.Errorf("%s has no %q and %q: put them where the table shall be", page, strings.TrimSpace(begins), strings.TrimSpace(ends))
	}
	return os.WriteFile(page, []byte(before+begins+"\n"+text+"\n"+ends+after), 0o644)
}
