package lift

import (
	"bufio"
	"bytes"
	"encoding/json"
	"io"
	"net/http"
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

// server is a program that was lifted, built and started.
type server struct {
	t      testing.TB
	url    string
	client *http.Client
}

// start builds the program in a folder and starts it with an empty database.
func start(t *testing.T, dir string) *server {
	t.Helper()
	binary := filepath.Join(t.TempDir(), "lifted")
	goCommand(t, dir, "build", "-o", binary, ".")
	cmd := exec.Command(binary, "--data-dir", t.TempDir(), "--secure-port", "0")
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
	config.QPS = -1
	client, err := rest.HTTPClientFor(config)
	if err != nil {
		t.Fatal(err)
	}
	return &server{t, config.Host, client}
}

// do sends a document, or nothing, and returns the answer.
func (s *server) do(method, path string, doc any) (int, []byte) {
	s.t.Helper()
	var body []byte
	if doc != nil {
		var err error
		if body, err = json.Marshal(doc); err != nil {
			s.t.Fatal(err)
		}
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
	return res.StatusCode, out
}

// get reads a value of JSON.
func (s *server) get(path string, into any) {
	s.t.Helper()
	code, out := s.do("GET", path, nil)
	if code != http.StatusOK {
		s.t.Fatalf("GET %s: %d %s", path, code, out)
	}
	if err := json.Unmarshal(out, into); err != nil {
		s.t.Fatal(err)
	}
}

// judge sends a document and says what the server makes of it, which is to be strict about fields.
func (s *server) judge(method, path string, doc map[string]any) verdict {
	s.t.Helper()
	parameters := "?fieldValidation=Strict"
	if strings.Contains(path, "?") {
		parameters = "&fieldValidation=Strict"
	}
	code, out := s.do(method, path+parameters, doc)
	if code < 300 {
		var object map[string]any
		if err := json.Unmarshal(out, &object); err != nil {
			s.t.Fatal(err)
		}
		return verdict{accepted: true, object: object}
	}
	status := new(metav1.Status)
	if err := json.Unmarshal(out, status); err != nil || code >= 500 {
		s.t.Errorf("%s %s: %d %s", method, path, code, out)
	}
	refused := verdict{message: status.Message, code: code}
	if status.Details != nil {
		for _, cause := range status.Details.Causes {
			refused.wrong = append(refused.wrong, cause.Field)
		}
	}
	if len(refused.wrong) == 0 {
		refused.wrong = []string{""}
	}
	return refused
}
