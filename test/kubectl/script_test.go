package main

import (
	"bufio"
	"bytes"
	"errors"
	"flag"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"
	"time"
)

var (
	update = flag.Bool("update", false, "write into the scripts what the commands print now")
	older  = flag.String("older", "", "`path` of a kubectl 1.27 that runs the scripts too")
)

// root is where the commands of a script run.
const root = "../.."

// TestScripts runs every script of testdata/scripts/PROGRAM against a server of that example, with nothing in it. A script is
// a transcript: "$ COMMAND", what it prints to stdout, each line of stderr after "2> ", and "? CODE" if it does not end with
// 0. Of what is printed only uids, resourceVersions, times and paths are masked (see mask).
func TestScripts(t *testing.T) {
	eachScript(t, "KUBECTL does not name a kubectl; run `make kubectl-scripts`", os.Getenv("KUBECTL"), func(t *testing.T, script string, got []step) {
		if *update {
			write(t, script, got)
			return
		}
		compare(t, read(t, script), got, nil)
	})
}

// TestOlderKubectl runs the scripts with kubectl 1.27. Where it prints something else, testdata/older has the reason and what
// it prints.
func TestOlderKubectl(t *testing.T) {
	if *older == "" {
		t.Skip("-older names no kubectl 1.27")
	}
	eachScript(t, "", *older, func(t *testing.T, script string, got []step) {
		differences := strings.Replace(script, "scripts", "older", 1)
		if *update {
			writeDifferences(t, differences, read(t, script), got)
			return
		}
		compare(t, read(t, script), got, read(t, differences))
	})
}

func eachScript(t *testing.T, missing, kubectl string, check func(t *testing.T, script string, got []step)) {
	if kubectl == "" {
		t.Fatal(missing)
	}
	programs := t.TempDir()
	build := exec.Command("go", "build", "-o", programs+"/", "./examples/library", "./examples/cluster")
	build.Dir = root
	if out, err := build.CombinedOutput(); err != nil {
		t.Fatalf("go build: %v\n%s", err, out)
	}
	if err := os.Symlink(kubectl, filepath.Join(programs, "kubectl")); err != nil {
		t.Fatal(err)
	}
	scripts, err := filepath.Glob("testdata/scripts/*/*.txt")
	if err != nil || len(scripts) == 0 {
		t.Fatalf("no scripts: %v", err)
	}
	for _, script := range scripts {
		program := filepath.Base(filepath.Dir(script))
		t.Run(program+"/"+filepath.Base(script), func(t *testing.T) {
			t.Parallel()
			e := start(t, programs, program)
			var got []step
			for _, s := range read(t, script) {
				got = append(got, e.run(t, s.command))
			}
			check(t, script, got)
		})
	}
}

// environment is what the commands of one script run in: a server of its own, an empty home, and this kubectl in the path.
type environment struct {
	programs, home, kubeconfig, server string
}

func start(t *testing.T, programs, program string) *environment {
	t.Helper()
	e := &environment{programs: programs, home: t.TempDir()}
	cmd := exec.Command(filepath.Join(programs, program), "--data-dir", filepath.Join(t.TempDir(), "data"), "--secure-port", "0")
	var log bytes.Buffer
	cmd.Stderr = &log
	stdout, err := cmd.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		cmd.Process.Kill()
		cmd.Wait()
	})
	for lines := bufio.NewScanner(stdout); e.kubeconfig == ""; {
		if !lines.Scan() {
			cmd.Wait()
			t.Fatalf("%s ended before it was ready:\n%s", program, log.String())
		}
		if file, ok := strings.CutPrefix(lines.Text(), "export KUBECONFIG="); ok {
			e.kubeconfig = strings.Trim(file, `'"`)
		}
	}
	data, err := os.ReadFile(e.kubeconfig)
	if err != nil {
		t.Fatal(err)
	}
	e.server = string(regexp.MustCompile(`https://[^\s"]+`).Find(data))
	return e
}

// step is one command and what came of it.
type step struct {
	command, stdout, stderr string
	code                    int
	reason                  string // in a list of differences: why it is another one
}

func (e *environment) run(t *testing.T, command string) step {
	t.Helper()
	cmd := exec.CommandContext(t.Context(), "sh", "-c", command)
	cmd.Dir = root
	cmd.Env = []string{"HOME=" + e.home, "KUBECONFIG=" + e.kubeconfig, "KUBECACHEDIR=" + e.home, "TMPDIR=" + e.home,
		"PATH=" + e.programs + ":" + os.Getenv("PATH"), "TZ=UTC", "LC_ALL=C"}
	cmd.WaitDelay = time.Minute
	var stdout, stderr bytes.Buffer
	cmd.Stdout, cmd.Stderr = &stdout, &stderr
	err := cmd.Run()
	var exit *exec.ExitError
	if err != nil && !errors.As(err, &exit) {
		t.Fatalf("%s: %v", command, err)
	}
	return step{command: command, stdout: e.mask(stdout.String()), stderr: e.mask(stderr.String()), code: cmd.ProcessState.ExitCode()}
}

var masks = []struct {
	pattern *regexp.Regexp
	by      string
}{
	{regexp.MustCompile(`\b[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}\b`), "<uid>"},
	{regexp.MustCompile(`(X509SHA256=)[0-9a-f]{64}`), "$1<digest>"},
	{regexp.MustCompile(`(resourceVersion"?: *)"\d+"`), `$1"<rv>"`},
	{regexp.MustCompile(`(Resource Version: +)\d+`), "$1<rv>"},
	{regexp.MustCompile(`\d{4}-\d\d-\d\d[T ]\d\d:\d\d:\d\d(\.\d+)?(Z| \+0000)`), "<time>"},
	{regexp.MustCompile(`(?m) {2,}((\d+m)?\d+s|\d+m)( {2,}|$)`), "  <age>  "},
	{regexp.MustCompile(`(?m)(LIVE|MERGED)-\d+`), "$1-<n>"},
	{regexp.MustCompile(`(?m)^([IWE])\d{4} \d\d:\d\d:\d\d\.\d+ +\d+ (\w+\.go):\d+\]`), "$1 <time> $2]"},
	{regexp.MustCompile(`(?m) +$`), ""},
}

// mask replaces what differs from run to run.
func (e *environment) mask(text string) string {
	text = strings.NewReplacer(e.server, "<server>", strings.TrimPrefix(e.server, "https://"), "<host>", e.home, "<home>", e.kubeconfig, "<kubeconfig>").Replace(text)
	for _, m := range masks {
		text = m.pattern.ReplaceAllString(text, m.by)
	}
	return text
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
		} else {
			last.stdout += line
		}
	}
	return steps
}

func compare(t *testing.T, want, got, differences []step) {
	t.Helper()
	differs := map[string]step{}
	for _, d := range differences {
		if d.reason == "" {
			t.Errorf("%s: no reason is given for the difference", d.command)
		}
		if slices.IndexFunc(want, d.is) != lastIndex(want, d.is) {
			t.Errorf("%s: the script has it twice; write one of them otherwise", d.command)
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

// text is a step as it stands in a script, without its reason.
func (s step) text() string {
	var b strings.Builder
	fmt.Fprintf(&b, "$ %s\n%s", s.command, s.stdout)
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

// writeDifferences keeps the reasons that are there, and leaves those that are not to whoever looks at the new differences.
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
