package e2e

import (
	"encoding/json"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"reflect"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/typeplane/typeplane/internal/drill"
)

// TestUpgrade runs the commands of docs/upgrading.md: three releases of one program over one
// database.
func TestUpgrade(t *testing.T) {
	t.Parallel()
	tellAlone(t, "../../docs/upgrading.md", goEnv(t))
	drill.Upgrade.Count("upgrades", 1)
}

// TestLastWeek upgrades examples/library from the last commit of the previous week, and goes back.
// Each build reads and writes what the other stored.
func TestLastWeek(t *testing.T) {
	t.Parallel()
	before := buildBefore(t, startOfWeek(t))
	dir := t.TempDir()
	stored := map[string]any{}
	for n, program := range []string{before, "library", before, "library"} {
		s := startProgram(t, program, dir)
		if got := s.storedBooks(); !reflect.DeepEqual(got, stored) {
			t.Errorf("start %d, %s: it serves\n%v\nstored was\n%v", n, program, got, stored)
		}
		name := "book-" + string(rune('a'+n))
		s.mustDo(http.StatusCreated, "POST", books, "application/json", book(name))
		s.mustDo(http.StatusOK, "PATCH", books+"/"+name, "application/merge-patch+json", []byte(`{"spec":{"copies":7}}`))
		if n > 1 {
			s.mustDo(http.StatusOK, "PATCH", books+"/book-a", "application/merge-patch+json", []byte(`{"metadata":{"labels":{"by":"`+name+`"}}}`))
			s.mustDo(http.StatusOK, "DELETE", books+"/book-b", "", nil)
			s.mustDo(http.StatusCreated, "POST", books, "application/json", book("book-b"))
		}
		stored = s.storedBooks()
		if err := s.stop(syscall.SIGTERM); err != nil {
			t.Errorf("start %d, %s: %v", n, program, err)
		}
	}
	drill.Upgrade.Count("upgrades", 2)
}

// startOfWeek returns the Monday before the commit under test. So one program of last week is built
// in a week, and the build cache has it from then on.
func startOfWeek(t *testing.T) time.Time {
	t.Helper()
	out, err := exec.Command("git", "log", "-1", "--format=%cI").Output()
	if err != nil {
		t.Skip("this is no git repository, so no earlier build can be made")
	}
	now, err := time.Parse(time.RFC3339, strings.TrimSpace(string(out)))
	if err != nil {
		t.Fatal(err)
	}
	now = now.UTC()
	return now.Truncate(24*time.Hour).AddDate(0, 0, -(int(now.Weekday())+6)%7)
}

// buildBefore builds examples/library as of the last commit before a time, and returns the name of
// the program.
func buildBefore(t *testing.T, at time.Time) string {
	t.Helper()
	out, err := exec.Command("git", "rev-list", "-1", "--before="+at.Format(time.RFC3339), "HEAD").Output()
	commit := strings.TrimSpace(string(out))
	if err != nil || commit == "" {
		t.Skipf("git has no commit before %s: %v", at.Format(time.DateOnly), err)
	}
	t.Logf("the build before is %s", commit)
	const name = "library-last-week"
	src := t.TempDir()
	build := exec.Command("sh", "-c", `git -C "$ROOT" archive "$COMMIT" | tar -x && go build -trimpath -buildvcs=false -o "$PROGRAM" ./examples/library`)
	build.Dir = src
	root, err := filepath.Abs("../..")
	if err != nil {
		t.Fatal(err)
	}
	build.Env = append(os.Environ(), "ROOT="+root, "COMMIT="+commit, "PROGRAM="+filepath.Join(programs, name))
	began := time.Now()
	if out, err := build.CombinedOutput(); err != nil {
		t.Fatalf("build commit %s: %v\n%s", commit, err, out)
	}
	t.Logf("built in %s", time.Since(began).Round(time.Second))
	return name
}

// storedBooks returns all books by name, without managedFields.
func (s *server) storedBooks() map[string]any {
	s.t.Helper()
	var list struct {
		Items []map[string]any `json:"items"`
	}
	if err := json.Unmarshal(s.mustDo(http.StatusOK, "GET", books, "", nil), &list); err != nil {
		s.t.Fatal(err)
	}
	all := map[string]any{}
	for _, item := range list.Items {
		meta := item["metadata"].(map[string]any)
		delete(meta, "managedFields")
		all[meta["name"].(string)] = item
	}
	return all
}

func (s *server) mustDo(want int, method, path, contentType string, body []byte) []byte {
	s.t.Helper()
	code, answer, err := s.do(method, path, contentType, body)
	if err != nil || code != want {
		s.t.Fatalf("%s %s: %d, %v, want %d\n%s", method, path, code, err, want, answer)
	}
	return answer
}

// goEnv is what the go command needs to build in another home directory what it has built in this
// one.
func goEnv(t *testing.T) []string {
	t.Helper()
	names := []string{"GOCACHE", "GOMODCACHE", "GOPATH", "GOPROXY", "GOFLAGS", "GOTOOLCHAIN", "GONOSUMDB", "GOSUMDB"}
	out, err := exec.Command("go", append([]string{"env"}, names...)...).Output()
	if err != nil {
		t.Fatal(err)
	}
	values := strings.Split(strings.TrimSuffix(string(out), "\n"), "\n")
	var env []string
	for i, name := range names {
		env = append(env, name+"="+values[i])
	}
	return env
}
