package main

import (
	"bufio"
	"bytes"
	"flag"
	"fmt"
	"net/http"
	"net/url"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/go-logr/logr"
	"k8s.io/client-go/rest"
	"k8s.io/client-go/tools/clientcmd"
	ctrl "sigs.k8s.io/controller-runtime"
)

// patience is how long a condition may take on a machine that does much else. After a few restarts
// client-go waits up to half a minute, twice over, before it watches again.
const patience = 4 * time.Minute

// programs is the folder of the server and of the controller, built once.
var programs string

func TestMain(m *testing.M) {
	flag.Parse()
	os.Exit(run(m))
}

func run(m *testing.M) int {
	dir, err := os.MkdirTemp("", "controller")
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		return 1
	}
	defer os.RemoveAll(dir)
	programs = dir
	for in, what := range map[string]string{"../../..": "./examples/cluster", ".": "."} {
		build := exec.Command("go", "build", "-o", dir+"/", what)
		build.Dir = in
		if out, err := build.CombinedOutput(); err != nil {
			fmt.Fprintf(os.Stderr, "go build %s: %v\n%s", what, err, out)
			return 1
		}
	}
	ctrl.SetLogger(logr.Discard())
	return m.Run()
}

// process is a program that runs until it is killed, or the test ends.
type process struct {
	t      *testing.T
	name   string
	cmd    *exec.Cmd
	ended  chan struct{}
	mu     sync.Mutex // guards killed and log
	killed bool
	log    bytes.Buffer
}

// launch starts a program, which calls itself name. It must not end before it is killed. Each line
// of its output goes to line.
func launch(t *testing.T, name, program string, line func(string), args ...string) *process {
	t.Helper()
	p := &process{t: t, name: name, cmd: exec.Command(filepath.Join(programs, program), args...), ended: make(chan struct{})}
	p.cmd.Args[0], p.cmd.Stderr = name, p
	stdout, err := p.cmd.StdoutPipe()
	must(t, err)
	must(t, p.cmd.Start())
	go func() {
		defer close(p.ended)
		for lines := bufio.NewScanner(stdout); lines.Scan(); {
			line(lines.Text())
		}
		err := p.cmd.Wait()
		p.mu.Lock()
		defer p.mu.Unlock()
		if !p.killed {
			t.Errorf("%s ended by itself: %v\n%s", name, err, p.log.String())
		}
	}()
	t.Cleanup(p.kill)
	return p
}

// Write keeps the last of what the program logs.
func (p *process) Write(text []byte) (int, error) {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.log.Len() > 1<<16 {
		p.log.Reset()
	}
	return p.log.Write(text)
}

// said says whether a text is in what the program has logged.
func (p *process) said(text string) bool {
	p.mu.Lock()
	defer p.mu.Unlock()
	return strings.Contains(p.log.String(), text)
}

// kill ends the program as a machine that loses power does, and returns when it is gone.
func (p *process) kill() {
	p.mu.Lock()
	p.killed = true
	p.mu.Unlock()
	p.cmd.Process.Kill()
	<-p.ended
	if p.t.Failed() {
		p.mu.Lock()
		defer p.mu.Unlock()
		p.t.Logf("%s said:\n%s", p.name, p.log.String())
	}
}

// cluster is a server that may be killed and started again, on the same address.
type cluster struct {
	*process
	dataDir, port string
	args          []string
	config        *rest.Config
}

// startCluster runs examples/cluster in a directory of its own and returns when it is ready.
func startCluster(t *testing.T, args ...string) *cluster {
	t.Helper()
	c := &cluster{dataDir: filepath.Join(t.TempDir(), "data"), port: "0", args: args}
	c.start(t)
	return c
}

func (c *cluster) kubeconfig() string { return filepath.Join(c.dataDir, "admin.kubeconfig") }

func (c *cluster) start(t *testing.T) {
	t.Helper()
	serving := make(chan struct{}, 1)
	c.process = launch(t, "cluster", "cluster", func(line string) {
		if strings.HasPrefix(line, "export KUBECONFIG=") {
			serving <- struct{}{}
		}
	}, append(c.args, "--data-dir", c.dataDir, "--secure-port", c.port)...)
	select {
	case <-serving:
	case <-c.ended:
		t.FailNow()
	}
	if c.config == nil {
		config, err := clientcmd.BuildConfigFromFlags("", c.kubeconfig())
		must(t, err)
		at, err := url.Parse(config.Host)
		must(t, err)
		config.QPS = -1
		c.config, c.port = config, at.Port()
	}
	http1, err := rest.HTTPClientFor(c.config)
	must(t, err)
	eventually(t, func() string {
		resp, err := http1.Get(c.config.Host + "/readyz")
		if err != nil {
			return err.Error()
		}
		resp.Body.Close()
		if resp.StatusCode != http.StatusOK {
			return resp.Status
		}
		return ""
	})
}

// startController runs the controller over a cluster.
func startController(t *testing.T, name string, c *cluster, args ...string) *process {
	t.Helper()
	return launch(t, name, "controller", func(string) {}, append(args, "--kubeconfig", c.kubeconfig())...)
}

// eventually waits until there is nothing amiss any more.
func eventually(t *testing.T, amiss func() string) {
	t.Helper()
	for end := time.Now().Add(patience); ; time.Sleep(20 * time.Millisecond) {
		what := amiss()
		if what == "" || t.Context().Err() != nil {
			return
		}
		if time.Now().After(end) {
			t.Fatalf("after %v: %s", patience, what)
		}
	}
}

func must(t *testing.T, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}
