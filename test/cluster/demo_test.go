package cluster

import (
	"bufio"
	"net"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/typeplane/typeplane/internal/etcdproc"
)

// TestDemo runs the program behind `make etcd-cluster`, with TLS, for a server of ours; it stops as
// it would by Ctrl-C, and goes on with its data.
func TestDemo(t *testing.T) {
	t.Parallel()
	etcd, err := etcdproc.Build(t.Context())
	must(t, err)
	program := filepath.Join(t.TempDir(), "etcd-cluster")
	if out, err := exec.Command("go", "build", "-o", program, "./etcd-cluster").CombinedOutput(); err != nil {
		t.Fatalf("go build: %v\n%s", err, out)
	}
	args := []string{"--etcd", etcd, "--dir", filepath.Join(t.TempDir(), "data"), "--ports", freePorts(t, 6), "--tls"}

	flags, stop := startDemo(t, program, args)
	if len(flags) != 4 || strings.Count(flags[0], "https://127.0.0.1:") != 3 {
		t.Fatalf("it prints %q", flags)
	}
	s := startServer(t, flags...)
	code, body, err := s.do(t.Context(), http.MethodPost, books, "application/json",
		[]byte(`{"apiVersion":"library.example.com/v1","kind":"Book","metadata":{"name":"kept"},"spec":{"title":"T","authors":["A"],"copies":1}}`))
	if code != http.StatusCreated {
		t.Fatalf("create: %d %s %v", code, body, err)
	}
	stop()

	again, stop := startDemo(t, program, args)
	defer stop()
	if strings.Join(again, " ") != strings.Join(flags, " ") {
		t.Errorf("it printed %q, now %q", flags, again)
	}
	for begin := time.Now(); ; time.Sleep(50 * time.Millisecond) {
		code, body, err := s.do(t.Context(), http.MethodGet, books+"/kept", "", nil)
		if code == http.StatusOK {
			break
		}
		if time.Since(begin) > 3*time.Minute {
			t.Fatalf("after the restart: %d %s %v", code, body, err)
		}
	}
}

// startDemo returns the flags that the program prints, and what ends it.
func startDemo(t *testing.T, program string, args []string) (flags []string, stop func()) {
	t.Helper()
	cmd := exec.Command(program, args...)
	cmd.Stderr = os.Stderr
	stdout, err := cmd.StdoutPipe()
	must(t, err)
	must(t, cmd.Start())
	t.Cleanup(func() { cmd.Process.Kill() })
	line, err := bufio.NewReader(stdout).ReadString('\n')
	if err != nil {
		cmd.Wait()
		t.Fatalf("it prints %q (%v)", line, err)
	}
	return strings.Fields(line), func() {
		t.Helper()
		must(t, cmd.Process.Signal(syscall.SIGINT))
		if err := cmd.Wait(); err != nil {
			t.Errorf("it ends with %v", err)
		}
	}
}

// freePorts are ports that nobody listens on right now. They are below those that the kernel hands
// out by itself.
func freePorts(t *testing.T, n int) string {
	t.Helper()
	var ports []string
	for port := 20000 + os.Getpid()%1000*10; len(ports) < n; port++ {
		if l, err := net.Listen("tcp", "127.0.0.1:"+strconv.Itoa(port)); err == nil {
			l.Close()
			ports = append(ports, strconv.Itoa(port))
		}
	}
	return strings.Join(ports, ",")
}
