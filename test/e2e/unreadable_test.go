package e2e

import (
	"bufio"
	"bytes"
	"encoding/json"
	"fmt"
	"net/http"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"syscall"
	"testing"
	"time"
)

const (
	bookKey = "/library.example.com/books/default/"
	force   = "?ignoreStoreReadErrorWithClusterBreakingPotential=true"

	storeReadError = "StorageReadError"
)

// apiStatus is what a client looks at of an error.
type apiStatus struct {
	Code            int
	Reason, Message string
	Details         struct {
		Causes []struct{ Field, Message string }
	}
}

// Two of three stored objects are spoiled behind the server's back. Everybody who would see one of
// them is told so, nobody else notices anything, and the last resort deletes them and nothing else.
func TestUnreadable(t *testing.T) {
	for _, cache := range []string{"--watch-cache=true", "--watch-cache=false"} {
		t.Run(cache, func(t *testing.T) {
			s := start(t, filepath.Join(t.TempDir(), "data"), cache)
			defer s.stop(syscall.SIGTERM)
			for _, name := range []string{"good", "spoiled", "spoiled-too"} {
				s.mustCreate(t, name)
			}
			after := fmt.Sprint(revision(t, s))
			s.spoil(t, "spoiled")
			s.spoil(t, "spoiled-too")
			s.checkUnreadable(t, after)
			s.deleteUnreadable(t)
		})
	}
}

// spoil puts something into the database that is no object, with etcd's own tool.
func (s *server) spoil(t *testing.T, name string) {
	t.Helper()
	etcdctl := filepath.Join(filepath.Dir(kubectlPath(t)), "etcdctl")
	cmd := exec.Command(etcdctl, "--endpoints=unix://"+filepath.Join(s.dataDir, "etcd.sock"), "put", "/registry"+bookKey+name)
	cmd.Stdin = strings.NewReader("k8s\x00 but no object")
	if out, err := cmd.CombinedOutput(); err != nil {
		t.Fatalf("%v: %s", err, out)
	}
}

// checkUnreadable makes every request that meets the spoiled objects, and some that don't.
func (s *server) checkUnreadable(t *testing.T, after string) {
	t.Helper()
	const spoiled = books + "/spoiled"
	for _, c := range []struct {
		method, path string
		code         int
		keys         []string // of the objects that the answer blames
	}{
		{"GET", spoiled, 500, []string{"spoiled"}},
		{"GET", books, 500, []string{"spoiled", "spoiled-too"}},
		{"GET", books + "?limit=2", 500, []string{"spoiled"}},
		{"GET", books + "?labelSelector=a%3Db", 500, []string{"spoiled", "spoiled-too"}},
		{"GET", books + "?fieldSelector=metadata.name%3Dspoiled-too", 500, []string{"spoiled-too"}},
		{"PUT", spoiled, 500, []string{"spoiled"}},
		{"POST", books, 409, nil},
		{"DELETE", spoiled, 500, []string{"spoiled"}},
		{"DELETE", books, 500, []string{"spoiled", "spoiled-too"}},

		{"GET", books + "/good", 200, nil},
		{"GET", books + "?fieldSelector=metadata.name%3Dgood", 200, nil},
		{"GET", books + "?limit=1", 200, nil},
		{"GET", books + "?resourceVersionMatch=Exact&resourceVersion=" + after, 200, nil},
		{"GET", strings.Replace(books, "default", "other", 1), 200, nil},
	} {
		var body []byte
		if c.method == "PUT" || c.method == "POST" {
			body = book("spoiled")
		}
		code, answer, err := s.do(c.method, c.path, "application/json", body)
		if err != nil || code != c.code {
			t.Errorf("%s %s: %d, %v, want %d\n%s", c.method, c.path, code, err, c.code, answer)
			continue
		}
		if len(c.keys) == 0 {
			continue
		}
		var status apiStatus
		if err := json.Unmarshal(answer, &status); err != nil || status.Reason != storeReadError {
			t.Errorf("%s %s: %v, %s", c.method, c.path, err, answer)
			continue
		}
		var blamed []string
		for _, cause := range status.Details.Causes {
			if cause.Field != "" { // an answer about one object has it in the message only
				blamed = append(blamed, strings.TrimPrefix(cause.Field, bookKey))
			}
		}
		one := strings.HasPrefix(c.path, books+"/")
		if !one && !slices.Equal(blamed, c.keys) || !strings.Contains(status.Message, bookKey+c.keys[0]) {
			t.Errorf("%s %s blames %q: %s", c.method, c.path, blamed, answer)
		}
	}
	// A watch says it where it comes to the first one, and ends; one of another object goes on.
	event, status := s.firstEvent(t, books+"?watch=true&timeoutSeconds=120&resourceVersion="+after)
	if event != "ERROR" || status.Code != 500 || status.Reason != storeReadError || !strings.Contains(status.Message, bookKey+"spoiled") {
		t.Errorf("the watch begins with %s %+v", event, status)
	}
	good := books + "?watch=true&timeoutSeconds=120&fieldSelector=metadata.name%3Dgood&resourceVersion="
	go s.do(http.MethodPatch, books+"/good", "application/merge-patch+json", []byte(`{"metadata":{"labels":{"patched":"yes"}}}`))
	if event, status := s.firstEvent(t, good+after); event != "MODIFIED" {
		t.Errorf("the watch of the good book begins with %s %+v", event, status)
	}
}

// deleteUnreadable is rid of the spoiled objects, and of nothing else.
func (s *server) deleteUnreadable(t *testing.T) {
	t.Helper()
	if code, answer, err := s.do("DELETE", books+"/good"+force, "", nil); err != nil || code != 409 {
		t.Errorf("delete a good book by force: %d %s %v", code, answer, err)
	}
	if code, answer, err := s.do("DELETE", books+"/spoiled"+force+"&dryRun=All", "", nil); err != nil || code != 200 {
		t.Errorf("dry run: %d %s %v", code, answer, err)
	}
	if code, _ := s.get(books + "/spoiled"); code != 500 {
		t.Errorf("after a dry run: %d", code)
	}
	if code, answer, err := s.do("DELETE", books+"/spoiled"+force, "", nil); err != nil || code != 200 {
		t.Errorf("delete by force: %d %s %v", code, answer, err)
	}
	// As the page says it to somebody with kubectl.
	cmd := exec.Command(kubectlPath(t), "delete", "--raw", books+"/spoiled-too"+force)
	cmd.Env = kubectlEnv(t, s)
	if out, err := cmd.CombinedOutput(); err != nil || !strings.Contains(string(out), `"status":"Success"`) {
		t.Errorf("kubectl: %v, %s", err, out)
	}
	code, answer := s.get(books)
	if code != 200 || !bytes.Contains(answer, []byte(`"name":"good"`)) || bytes.Contains(answer, []byte(`"name":"spoiled`)) {
		t.Errorf("list: %d %s", code, answer)
	}
	after := fmt.Sprint(revision(t, s))
	s.mustCreate(t, "spoiled")
	if event, status := s.firstEvent(t, books+"?watch=true&timeoutSeconds=120&resourceVersion="+after); event != "ADDED" {
		t.Errorf("the watch after all that begins with %s %+v", event, status)
	}
}

// firstEvent opens a watch and returns what its first event is, with the status if that is an
// error.
func (s *server) firstEvent(t *testing.T, path string) (string, apiStatus) {
	t.Helper()
	resp, err := s.Client.Get(s.URL + path)
	if err != nil {
		t.Fatal(err)
	}
	defer resp.Body.Close()
	stuck := time.AfterFunc(hangs, func() { resp.Body.Close() })
	defer stuck.Stop()
	line, err := bufio.NewReader(resp.Body).ReadBytes('\n')
	if err != nil {
		t.Fatalf("%s: %d, no event: %v", path, resp.StatusCode, err)
	}
	var event struct {
		Type   string
		Object json.RawMessage
	}
	if err := json.Unmarshal(line, &event); err != nil {
		t.Fatalf("%v in %s", err, line)
	}
	var status apiStatus
	if event.Type == "ERROR" {
		if err := json.Unmarshal(event.Object, &status); err != nil {
			t.Fatal(err)
		}
	}
	return event.Type, status
}
