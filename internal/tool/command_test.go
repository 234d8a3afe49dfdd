package tool

import (
	"bytes"
	"errors"
	"strings"
	"testing"

	"github.com/spf13/pflag"

	"github.com/typeplane/typeplane/internal/program"
	"github.com/typeplane/typeplane/internal/program/programtest"
)

// do runs a command as main does, and returns what it wrote.
func do(t *testing.T, in string, args ...string) (out, log string, err error) {
	t.Helper()
	return doIn(t, programtest.Widgets(), in, args...)
}

// doIn is do of a program.
func doIn(t *testing.T, of program.Server, in string, args ...string) (out, log string, err error) {
	t.Helper()
	var o, e bytes.Buffer
	err = Run(t.Context(), of, args, Console{In: strings.NewReader(in), Out: &o, Err: &e})
	return o.String(), e.String(), err
}

// must is do for a command that succeeds.
func must(t *testing.T, args ...string) string {
	t.Helper()
	out, log, err := do(t, "", args...)
	if err != nil {
		t.Fatalf("%s: %v\n%s%s", strings.Join(args, " "), err, out, log)
	}
	return out
}

func TestHelp(t *testing.T) {
	if out := must(t, "help"); !strings.Contains(out, "widgets migrate") || !strings.Contains(out, "--secure-port") {
		t.Errorf("help:\n%s", out)
	}
	if out := must(t, "help", "backup"); !strings.Contains(out, "Usage: widgets backup FILE [flags]") || !strings.Contains(out, "--force") {
		t.Errorf("help backup:\n%s", out)
	}
	out, _, err := do(t, "", "restore", "--help")
	if !errors.Is(err, pflag.ErrHelp) || !strings.Contains(out, "--replace") {
		t.Errorf("restore --help: %v\n%s", err, out)
	}
}

func TestRefusedCommandLines(t *testing.T) {
	for line, want := range map[string]string{
		"inspct":                                "did you mean inspect?",
		"serve":                                 "there are help, inspect, backup, restore, migrate",
		"help bakup":                            "did you mean backup?",
		"inspect":                               "want one argument, a key or a prefix",
		"inspect a b":                           "got 2",
		"inspect a b --decode -":                "its key at most",
		"inspect a/ --decode -":                 "its key at most",
		"inspect --decode -":                    "there is nothing in it",
		"inspect a -o xml":                      "want yaml, json, raw or table",
		"inspect a --etcd-prefix registry":      "begins with a slash",
		"inspect a --data-dir /nonexistent/dir": "there is no database in it",
		"backup":                                "the file to write",
		"backup f --etcd-cafile x":              "--etcd-servers",
		"backup /dev/null --force":              "/dev/null is not a file",
		"backup f --forc":                       "did you mean --force?",
		"restore":                               "the file to restore from",
		"restore /nonexistent --data-dir x":     "no such file",
		"console now":                           "no arguments",
		"console --port 70000":                  "want from 0 to 65535",
		"console --data-dir /nonexistent":       "no server has run on it",
		"console --kubeconfig /nonexistent":     "no such file",
		"migrate now":                           "no arguments",
		"migrate --rate -1":                     "--rate=-1",
		"migrate --storage-versions a/b/c":      "group/version",
		"migrate --storage-versions other/v1":   "fits no resource",
	} {
		_, _, err := do(t, "", strings.Fields(line)...)
		if err == nil || !strings.Contains(err.Error(), want) || ExitCode(err) != 1 {
			t.Errorf("%s: %v (exit %d), want %q", line, err, ExitCode(err), want)
		}
	}
}

func TestProgress(t *testing.T) {
	var lines, painted bytes.Buffer
	for terminal, w := range map[bool]*bytes.Buffer{false: &lines, true: &painted} {
		p := newProgress(Console{Err: w, Terminal: terminal}, "work", plainCount)
		p.set(1, 10)
		if w.Len() > 0 {
			t.Errorf("terminal %v, shown at once: %q", terminal, w)
		}
		p.last = p.last.Add(-lineEvery)
		p.set(5, 10)
		p.set(10, 10)
		p.end()
	}
	if got := strings.Count(lines.String(), "\n"); got != 2 || !strings.HasPrefix(lines.String(), "work: 5 of 10, ") || strings.Contains(lines.String(), "\r") {
		t.Errorf("lines: %q", lines.String())
	}
	if got := painted.String(); !strings.HasPrefix(got, "\rwork [###############               ] 5 of 10, ") || strings.Count(got, "\n") != 1 {
		t.Errorf("painted: %q", got)
	}
}
