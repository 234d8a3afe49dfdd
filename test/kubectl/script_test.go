package main

import (
	"bufio"
	"bytes"
	"errors"
	"flag"
	"io"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"
	"time"

	"k8s.io/client-go/rest"
	"k8s.io/client-go/tools/clientcmd"
)

var (
	update = flag.Bool("update", false, "write into the scripts what the commands print now")
	older  = flag.String("older", "", "`path` of a kubectl 1.27 that runs the scripts too")
	peer   = flag.String("peer", "", "`path` of the server of test/peer, which the scripts run against too")
)

// root is where the commands of a script run.
const root = "../.."

// TestScripts runs every script of testdata/scripts/PROGRAM against a server of that example, with
// nothing in it. A script is a transcript: "$ COMMAND", what it prints to stdout, each line of
// stderr after "2> ", and "? CODE" if it fails. Only uids, resourceVersions, times and paths are
// masked in what is printed (see mask).
func TestScripts(t *testing.T) {
	setup{kubectl: stock(t), server: examples(t)}.runScripts(t)
}

// TestOlderKubectl runs the scripts with kubectl 1.27.
func TestOlderKubectl(t *testing.T) {
	if *older == "" {
		t.Skip("-older names no kubectl 1.27")
	}
	setup{kubectl: *older, server: examples(t), differences: "older"}.runScripts(t)
}

// TestPeer runs the scripts against the same kinds on k8s.io/apiserver, which is in test/peer.
func TestPeer(t *testing.T) {
	if *peer == "" {
		t.Skip("-peer names no server; run `make kubectl-peer`")
	}
	setup{
		kubectl:     stock(t),
		server:      peerCommand,
		differences: "peer",
	}.runScripts(t)
}

// peerCommand starts the peer with an example's kinds.
func peerCommand(example, dir string) *exec.Cmd {
	return exec.Command(*peer, "-like", example, "-data-dir", dir)
}

// stock is the kubectl of the day.
func stock(t *testing.T) string {
	t.Helper()
	kubectl := os.Getenv("KUBECTL")
	if kubectl == "" {
		t.Fatal("KUBECTL does not name a kubectl; run `make kubectl-scripts`")
	}
	return kubectl
}

// examples builds the examples, and returns what starts a server of one.
func examples(t *testing.T) func(example, dir string) *exec.Cmd {
	t.Helper()
	programs := t.TempDir()
	build := exec.Command("go", "build", "-o", programs+"/", "./examples/library", "./examples/cluster")
	build.Dir = root
	if out, err := build.CombinedOutput(); err != nil {
		t.Fatalf("go build: %v\n%s", err, out)
	}
	return func(example, dir string) *exec.Cmd {
		args := []string{"--data-dir", dir, "--secure-port", "0"}
		if example == "library" {
			args = append(args, "--enable-api=none") // its own kinds alone, as the peer has them
		}
		return exec.Command(filepath.Join(programs, example), args...)
	}
}

// setup says which programs are tried.
type setup struct {
	kubectl string
	// server returns a command that serves an example's kinds, with its data in a directory that is
	// not there yet. It says "export KUBECONFIG=FILE" when it listens.
	server func(example, dir string) *exec.Cmd
	// differences is the folder of testdata that says, script by script, what is printed instead,
	// and why. What is listed has to differ. "! not run" in the place of what is printed leaves a
	// command out, and before the first command the script.
	differences string
}

func (s setup) runScripts(t *testing.T) {
	t.Helper()
	scripts, err := filepath.Glob("testdata/scripts/*/*.txt")
	if err != nil || len(scripts) == 0 {
		t.Fatalf("no scripts: %v", err)
	}
	programs := t.TempDir()
	this, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	for name, program := range map[string]string{"kubectl": s.kubectl, "request": this} {
		if err := os.Symlink(program, filepath.Join(programs, name)); err != nil {
			t.Fatal(err)
		}
	}
	for _, script := range scripts {
		example := filepath.Base(filepath.Dir(script))
		t.Run(example+"/"+filepath.Base(script), func(t *testing.T) {
			t.Parallel()
			want := read(t, script)
			differences := filepath.Join("testdata", s.differences, example, filepath.Base(script))
			var differs []step
			if s.differences != "" {
				if reason, ok := leftOut(t, differences); ok {
					t.Skip(reason)
				}
				differs = read(t, differences)
			}
			e := start(t, programs, s.server(example, filepath.Join(t.TempDir(), "data")))
			var got []step
			for _, w := range want {
				if i := slices.IndexFunc(differs, w.is); i >= 0 && differs[i].skip {
					got = append(got, differs[i])
					continue
				}
				got = append(got, e.run(t, w.command))
			}
			switch {
			case !*update:
				compare(t, want, got, differs)
			case s.differences == "":
				write(t, script, got)
			default:
				writeDifferences(t, differences, want, got)
			}
		})
	}
}

// environment is what the commands of one script run in: a server of its own, an empty home, and
// this kubectl in the path.
type environment struct {
	programs, home, kubeconfig, server string
}

// start starts a server, and returns when it is ready: it has made what every server begins with,
// and decides by it.
func start(t *testing.T, programs string, cmd *exec.Cmd) *environment {
	t.Helper()
	e := &environment{programs: programs, home: t.TempDir()}
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
			t.Fatalf("%s ended before it was ready:\n%s", cmd, log.String())
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
	e.awaitReady(t)
	return e
}

func (e *environment) awaitReady(t *testing.T) {
	t.Helper()
	config, err := clientcmd.BuildConfigFromFlags("", e.kubeconfig)
	if err != nil {
		t.Fatal(err)
	}
	client, err := rest.HTTPClientFor(config)
	if err != nil {
		t.Fatal(err)
	}
	defer client.CloseIdleConnections()
	for end := time.Now().Add(2 * time.Minute); ; time.Sleep(2 * time.Millisecond) {
		resp, err := client.Get(config.Host + "/readyz")
		if err != nil {
			t.Fatal(err)
		}
		answer, _ := io.ReadAll(resp.Body) // for the message only
		resp.Body.Close()
		if resp.StatusCode == http.StatusOK {
			return
		}
		if time.Now().After(end) {
			t.Fatalf("the server is not ready: %s", answer)
		}
	}
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
	{regexp.MustCompile(`(resourceVersion\\+":\\+")\d+`), "$1<rv>"}, // in a quoted object
	{regexp.MustCompile(`(Resource Version: +)\d+`), "$1<rv>"},
	{regexp.MustCompile(`(resource version: \d+, current: )\d+`), "$1<rv>"},
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
