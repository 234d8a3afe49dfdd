package main

import (
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
)

// step is one command and what came of it.
type step struct {
	command, stdout, stderr string
	code                    int
	reason                  string // in a list of differences: why it is another one
	skip                    bool   // in a list of differences: it is not run
}

// read reads a script; one that is not there has no steps.
func read(t *testing.T, file string) []step {
	t.Helper()
	data, err := os.ReadFile(file)
	if err != nil && !os.IsNotExist(err) {
		t.Fatal(err)
	}
	var steps []step
	reason := ""
	for line := range strings.Lines(string(data)) {
		if text, ok := strings.CutPrefix(line, "# "); ok {
			reason += text
			continue
		}
		if command, ok := strings.CutPrefix(line, "$ "); ok {
			steps = append(steps, step{command: strings.TrimSuffix(command, "\n"), reason: reason})
			reason = ""
			continue
		}
		if len(steps) == 0 {
			t.Fatalf("%s: %q comes before any command", file, line)
		}
		last := &steps[len(steps)-1]
		if text, ok := strings.CutPrefix(line, "2> "); ok {
			last.stderr += text
		} else if text, ok := strings.CutPrefix(line, "? "); ok {
			fmt.Sscan(text, &last.code)
		} else if line == notRun {
			last.skip = true
		} else {
			last.stdout += line
		}
	}
	return steps
}

// leftOut says whether a list of differences leaves out the script as a whole, and why.
func leftOut(t *testing.T, file string) (reason string, ok bool) {
	t.Helper()
	data, err := os.ReadFile(file)
	if err != nil && !os.IsNotExist(err) {
		t.Fatal(err)
	}
	before, _, _ := strings.Cut(string(data), "$ ")
	before, rest, ok := strings.Cut(before, notRun)
	reason = strings.TrimSpace(strings.ReplaceAll(before, "# ", ""))
	if ok && (reason == "" || rest != "") {
		t.Fatalf("%s: want a reason, and nothing behind %q", file, notRun)
	}
	return reason, ok
}

func compare(t *testing.T, want, got, differences []step) {
	t.Helper()
	differs := map[string]step{}
	for _, d := range differences {
		if d.reason == "" {
			t.Errorf("%s: no reason is given for the difference", d.command)
		}
		switch i := slices.IndexFunc(want, d.is); {
		case i < 0:
			t.Errorf("%s: the script does not have it", d.command)
		case i != lastIndex(want, d.is):
			t.Errorf("%s: the script has it twice; write one of them otherwise", d.command)
		case want[i].text() == d.text():
			t.Errorf("%s: no difference is listed", d.command)
		}
		differs[d.command] = d
	}
	for i, w := range want {
		if d, ok := differs[w.command]; ok {
			w = d
		}
		if g := got[i]; g.text() != w.text() {
			t.Errorf("%s\nprints\n%s\nwant\n%s", w.command, g.text(), w.text())
		}
	}
}

// is says that it is the same command.
func (s step) is(other step) bool { return s.command == other.command }

func lastIndex(steps []step, is func(step) bool) int {
	last := -1
	for i, s := range steps {
		if is(s) {
			last = i
		}
	}
	return last
}

const notRun = "! not run\n"

// text is a step as it stands in a script, without its reason.
func (s step) text() string {
	var b strings.Builder
	fmt.Fprintf(&b, "$ %s\n%s", s.command, s.stdout)
	if s.skip {
		b.WriteString(notRun)
	}
	if s.stdout != "" && !strings.HasSuffix(s.stdout, "\n") {
		b.WriteByte('\n')
	}
	for line := range strings.Lines(s.stderr) {
		b.WriteString("2> " + strings.TrimSuffix(line, "\n") + "\n")
	}
	if s.code != 0 {
		fmt.Fprintf(&b, "? %d\n", s.code)
	}
	return b.String()
}

func write(t *testing.T, file string, steps []step) {
	t.Helper()
	kept := read(t, file)
	var b strings.Builder
	for i, s := range steps {
		for line := range strings.Lines(kept[i].reason) {
			b.WriteString("# " + line)
		}
		b.WriteString(s.text())
	}
	if err := os.WriteFile(file, []byte(b.String()), 0o644); err != nil {
		t.Fatal(err)
	}
}

// writeDifferences keeps the reasons that are there, and leaves those that are not to whoever looks
// at the new differences.
func writeDifferences(t *testing.T, file string, want, got []step) {
	t.Helper()
	reasons := map[string]string{}
	for _, d := range read(t, file) {
		reasons[d.command] = d.reason
	}
	var b strings.Builder
	for i, g := range got {
		if g.text() == want[i].text() {
			continue
		}
		for line := range strings.Lines(reasons[g.command]) {
			b.WriteString("# " + line)
		}
		b.WriteString(g.text())
	}
	if b.Len() == 0 {
		os.Remove(file)
		return
	}
	if err := os.MkdirAll(filepath.Dir(file), 0o755); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(file, []byte(b.String()), 0o644); err != nil {
		t.Fatal(err)
	}
}
