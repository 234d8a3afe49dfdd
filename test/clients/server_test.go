package clients

import (
	"context"
	"flag"
	"fmt"
	"net/url"
	"os"
	"os/exec"
	"path/filepath"
	"testing"
	"time"

	"github.com/go-logr/logr"
	"k8s.io/apimachinery/pkg/util/wait"
	"k8s.io/client-go/rest"
	"k8s.io/client-go/tools/clientcmd"
	"k8s.io/klog/v2"
	ctrl "sigs.k8s.io/controller-runtime"

	"github.com/typeplane/typeplane/internal/testserver"
)

// patience is how long a condition may take on a machine that does much else.
const patience = 90 * time.Second

// programs is the folder of the examples, built once.
var programs string

func TestMain(m *testing.M) {
	flag.Parse()
	if kind := os.Getenv("TYPEPLANE_NOISE"); kind != "" {
		os.Exit(noise(kind, os.Getenv("TYPEPLANE_NOISE_AT")))
	}
	os.Exit(run(m))
}

func run(m *testing.M) int {
	dir, err := os.MkdirTemp("", "clients")
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		return 1
	}
	defer os.RemoveAll(dir)
	programs = dir
	build := exec.Command("go", "build", "-o", dir+"/", "./examples/library", "./examples/cluster")
	build.Dir = "../.."
	if out, err := build.CombinedOutput(); err != nil {
		fmt.Fprintf(os.Stderr, "go build: %v\n%s", err, out)
		return 1
	}
	// Clients tell much about a server that is killed under them.
	klog.SetLogger(logr.Discard())
	ctrl.SetLogger(logr.Discard())
	return m.Run()
}

// server is a program that runs until it is killed, or the test ends. It may be started again.
type server struct {
	*testserver.Process
	program, dataDir string
	port             string // "0" until it has one
	flags            []string
	config           *rest.Config
}

// start runs an example in a directory of its own and returns when it is ready.
func start(t *testing.T, program string, flags ...string) *server {
	t.Helper()
	s := &server{program: program, dataDir: filepath.Join(t.TempDir(), "data"), port: "0", flags: flags}
	if err := s.start(t.Context()); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { s.Kill() }) // which may be another process by then
	return s
}

// start runs the program, again on the same port if it ran before.
func (s *server) start(ctx context.Context) error {
	ctx, cancel := context.WithTimeout(ctx, patience)
	defer cancel()
	args := append([]string{"--data-dir", s.dataDir, "--secure-port", s.port}, s.flags...)
	process, err := testserver.Start(ctx, exec.Command(filepath.Join(programs, s.program), args...))
	if err != nil {
		return err
	}
	s.Process = process
	return s.connect(process.Kubeconfig)
}

func (s *server) connect(kubeconfig string) error {
	if s.config != nil {
		return nil
	}
	config, err := clientcmd.BuildConfigFromFlags("", kubeconfig)
	if err != nil {
		return err
	}
	at, err := url.Parse(config.Host)
	if err != nil {
		return err
	}
	config.QPS = -1
	s.config, s.port = config, at.Port()
	return nil
}

// with returns a copy of the configuration that the test may change.
func (s *server) with(change func(*rest.Config)) *rest.Config {
	config := rest.CopyConfig(s.config)
	change(config)
	return config
}

// eventually waits until a condition holds; what says which one, when it does not.
func eventually(t *testing.T, what string, condition func() bool) {
	t.Helper()
	err := wait.PollUntilContextTimeout(t.Context(), 10*time.Millisecond, patience, true, func(context.Context) (bool, error) {
		return condition(), nil
	})
	if err != nil {
		t.Fatalf("%s: not after %v", what, patience)
	}
}

func must(t *testing.T, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}
