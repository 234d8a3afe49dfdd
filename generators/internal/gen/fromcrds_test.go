package gen

import (
	"encoding/json"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"golang.org/x/tools/txtar"

	"github.com/typeplane/typeplane/generators/internal/gentest"
)

// TestFromCRDs does what docs/from-crds.md says in a project of kubebuilder's layout: its main.go
// is added, its commands are run, and its message is what a client is told.
func TestFromCRDs(t *testing.T) {
	root := gentest.Root(t)
	page, err := os.ReadFile(filepath.Join(root, "docs/from-crds.md"))
	if err != nil {
		t.Fatal(err)
	}
	main := regexp.MustCompile("(?s)```go\n(.*?)```").FindSubmatch(page)
	commands := regexp.MustCompile("(?s)```\n(go get -tool .*?)```").FindSubmatch(page)
	message := regexp.MustCompile(`\n *(The CronJob "nightly" is invalid: .*)\n`).FindSubmatch(page)
	if main == nil || commands == nil || message == nil {
		t.Fatal("the page has lost its main.go, its commands or its message")
	}
	project, err := txtar.ParseFile("testdata/kubebuilder.txtar")
	if err != nil {
		t.Fatal(err)
	}
	dir := t.TempDir()
	for _, f := range append(project.Files, txtar.File{Name: "main.go", Data: main[1]}) {
		name := filepath.Join(dir, f.Name)
		if err := os.MkdirAll(filepath.Dir(name), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(name, f.Data, 0o644); err != nil {
			t.Fatal(err)
		}
	}
	run := func(command string) {
		t.Helper()
		words := strings.Fields(command)
		cmd := exec.Command(words[0], words[1:]...)
		cmd.Dir, cmd.Env = dir, append(os.Environ(), "GOWORK=off", "GOFLAGS=-ldflags=-w") // linking debug information takes the longest
		if out, err := cmd.CombinedOutput(); err != nil {
			t.Fatalf("%s: %v\n%s", command, err, out)
		}
	}
	const module = "github.com/typeplane/typeplane"
	run("go mod init example.com/project")
	run("go mod edit -require=sigs.k8s.io/controller-runtime@v0.25.2 -require=" + module + "@v0.0.0 -replace=" + module + "=" + root +
		" -replace=" + module + "/runtime=" + root + "/runtime -tool=" + module + "/cmd/gen")
	run("go mod tidy")
	for _, command := range strings.Split(strings.TrimSpace(string(commands[1])), "\n") {
		if !strings.HasPrefix(command, "go get ") && !strings.HasPrefix(command, "./") {
			run(command)
		}
	}
	run("go test .")

	var status struct{ Message string }
	answer, err := os.ReadFile(filepath.Join(dir, "answer-Unprocessable Entity"))
	if err != nil || json.Unmarshal(answer, &status) != nil {
		t.Fatalf("%v: %s", err, answer)
	}
	said := strings.Replace(status.Message, `CronJob.batch.example.com "nightly"`, `The CronJob "nightly"`, 1)
	if said != string(message[1]) {
		t.Errorf("a client is told\n%s\nthe page says\n%s", said, message[1])
	}
}
