package kuberules

import (
	"bufio"
	"bytes"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/client-go/rest"
	"k8s.io/client-go/tools/clientcmd"
)

// hangs is after which time something that has to happen is taken to hang.
const hangs = 3 * time.Minute

// program is one of our servers: its folder, and the plug-ins that change objects before they are
// judged. It runs without these.
type program struct{ dir, plugins string }

var (
	clusterProgram    = program{"../../examples/cluster", "LimitRanger,ServiceAccount,DefaultStorageClass,ResourceQuota"}
	kubernetesProgram = program{"../../examples/kubernetes/server", "LimitRanger,ServiceAccount,DefaultStorageClass,ResourceQuota,Priority,DefaultTolerationSeconds,StorageObjectInUseProtection," +
		"TaintNodesByCondition,RuntimeClass,DefaultIngressClass,PersistentVolumeClaimResize,PodTopologyLabels"}
)

// server is a program, built and started.
type server struct {
	t      testing.TB
	url    string
	client *http.Client
}

func start(t testing.TB, p program) *server {
	t.Helper()
	binary := filepath.Join(t.TempDir(), "server")
	build := exec.Command("go", "build", "-o", binary, ".")
	build.Dir = p.dir
	if out, err := build.CombinedOutput(); err != nil {
		t.Fatalf("go build: %v\n%s", err, out)
	}
	cmd := exec.Command(binary, "--data-dir", t.TempDir(), "--secure-port", "0", "--enable-priority-and-fairness=false",
		"--disable-admission-plugins", p.plugins)
	stdout, err := cmd.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	var log bytes.Buffer
	cmd.Stderr = &log
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	exported, gone := make(chan string, 1), make(chan struct{})
	go func() {
		defer close(gone)
		for lines := bufio.NewScanner(stdout); lines.Scan(); {
			if file, ok := strings.CutPrefix(lines.Text(), "export KUBECONFIG="); ok {
				exported <- strings.Trim(file, `'"`)
			}
		}
		_ = cmd.Wait() // it is killed
	}()
	t.Cleanup(func() {
		_ = cmd.Process.Kill() // it may be gone
		<-gone
	})
	select {
	case file := <-exported:
		return connect(t, file)
	case <-gone:
		t.Fatalf("the server ended before it was ready:\n%s", &log)
	case <-time.After(hangs):
		t.Fatalf("the server was not ready after %v", hangs)
	}
	return nil
}

func connect(t testing.TB, kubeconfig string) *server {
	t.Helper()
	config, err := clientcmd.BuildConfigFromFlags("", kubeconfig)
	if err != nil {
		t.Fatal(err)
	}
	client, err := rest.HTTPClientFor(config)
	if err != nil {
		t.Fatal(err)
	}
	return &server{t, config.Host, client}
}

// path is where objects of a kind are, or one with a name.
func (k kind) path(name string, parts ...string) string {
	path := "/api/" + k.Version
	if k.Group != "" {
		path = "/apis/" + k.Group + "/" + k.Version
	}
	if !k.cluster {
		path += "/namespaces/" + inNamespace
	}
	path += "/" + k.resource
	if name != "" {
		path += "/" + name
	}
	return strings.Join(append([]string{path}, parts...), "/")
}

// do sends a document and returns the answer.
func (s *server) do(method, path string, doc any) ([]byte, int) {
	s.t.Helper()
	out, res := s.ask(method, path, doc)
	return out, res.StatusCode
}

// ask sends a document and returns the answer, with all that is before it.
func (s *server) ask(method, path string, doc any) ([]byte, *http.Response) {
	s.t.Helper()
	body, err := json.Marshal(doc)
	if err != nil {
		s.t.Fatal(err)
	}
	req, err := http.NewRequest(method, s.url+path, bytes.NewReader(body))
	if err != nil {
		s.t.Fatal(err)
	}
	req.Header.Set("Content-Type", "application/json")
	res, err := s.client.Do(req)
	if err != nil {
		s.t.Fatal(err)
	}
	defer res.Body.Close()
	out, err := io.ReadAll(res.Body)
	if err != nil {
		s.t.Fatal(err)
	}
	return out, res
}

// must sends a document that has to be taken, and returns what came of it.
func (s *server) must(method, path string, doc any) map[string]any {
	s.t.Helper()
	out, code := s.do(method, path, doc)
	if code >= 300 {
		s.t.Fatalf("%s %s: %d %s", method, path, code, out)
	}
	obj := map[string]any{}
	if err := json.Unmarshal(out, &obj); err != nil {
		s.t.Fatal(err)
	}
	return obj
}

// judge says what our server makes of a write, without keeping it.
func (s *server) judge(method, path string, doc map[string]any) verdict {
	s.t.Helper()
	out, code := s.do(method, path+"?dryRun=All", doc)
	if code < 300 {
		return verdict{accepted: true}
	}
	status := new(metav1.Status)
	if err := json.Unmarshal(out, status); err != nil {
		return verdict{message: fmt.Sprintf("%d %s", code, out)}
	}
	if code >= 500 {
		fmt.Fprintf(os.Stderr, "%s %s: %d %s\n", method, path, code, status.Message)
	}
	return verdictOf(status)
}
