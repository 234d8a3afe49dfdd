package main

import (
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
	"time"

	"github.com/typeplane/typeplane/generators/gentest"

	"golang.org/x/tools/txtar"
)

// TestReadme runs the commands of the README in an empty folder, word for word, as they will run after a release: the
// modules of this repository come from a proxy, and nothing is replaced.
func TestReadme(t *testing.T) {
	readme, err := os.ReadFile(filepath.Join(gentest.Root(t), "README.md"))
	if err != nil {
		t.Fatal(err)
	}
	block := regexp.MustCompile("(?s)In your own module:\n\n```\n(.*?)```").FindSubmatch(readme)
	if block == nil {
		t.Fatal("README.md no longer has the commands for one's own module")
	}
	shop := released(t)
	shop.run(t, "go mod init example.com/shop")
	for _, command := range strings.Split(strings.TrimSpace(string(block[1])), "\n") {
		shop.run(t, command)
	}
	shop.run(t, "go build ./...")
	if _, err := os.Stat(filepath.Join(shop.dir, "v1/zz_generated.deepcopy.go")); err != nil {
		t.Error(err)
	}
}

// TestToolInAModuleFileOfItsOwn: a module that only generates keeps the versions that it has, old ones.
func TestToolInAModuleFileOfItsOwn(t *testing.T) {
	switching, err := os.ReadFile(filepath.Join(gentest.Root(t), "docs/switching.md"))
	if err != nil {
		t.Fatal(err)
	}
	block := regexp.MustCompile("(?s)```\n(cp go.mod gen.mod\n.*?)```").FindSubmatch(switching)
	if block == nil {
		t.Fatal("docs/switching.md no longer has the commands for a module file of the tool")
	}
	shop := released(t)
	shop.run(t, "go mod init example.com/shop")
	rpc := []byte("package shop\n\nimport _ \"google.golang.org/grpc\"\n")
	if err := os.WriteFile(filepath.Join(shop.dir, "rpc.go"), rpc, 0o644); err != nil {
		t.Fatal(err)
	}
	shop.run(t, "go get k8s.io/apimachinery@v0.33.0 google.golang.org/grpc@v1.68.0")
	shop.run(t, "go mod tidy")
	before := shop.run(t, "go list -m -f {{.Path}}@{{.Version}} all")
	for _, command := range strings.Split(strings.TrimSpace(string(block[1])), "\n") {
		shop.run(t, command)
	}
	shop.run(t, "go build ./...")
	if after := shop.run(t, "go list -m -f {{.Path}}@{{.Version}} all"); after != before {
		t.Errorf("before\n%s\nafter\n%s", before, after)
	}
}

// release is a user's folder, and where the modules of this repository come from.
type release struct {
	dir string
	env []string
}

// released makes a folder with the sources of a shop, and no go.mod, beside a proxy that has the modules of this
// repository as of now. Their version is new each time, because Go remembers what a version holds.
func released(t *testing.T) release {
	t.Helper()
	proxy, version := t.TempDir(), fmt.Sprintf("v0.1.0-test.%d", time.Now().UnixNano())
	lay := exec.Command("go", "run", "./hack/proxy", "--version", version, "--dir", proxy)
	lay.Dir = gentest.Root(t)
	if out, err := lay.CombinedOutput(); err != nil {
		t.Fatalf("hack/proxy: %v\n%s", err, out)
	}
	elsewhere, err := exec.Command("go", "env", "GOPROXY", "GOMODCACHE").Output()
	if err != nil {
		t.Fatal(err)
	}
	words := strings.Fields(string(elsewhere))
	t.Cleanup(func() { forget(t, words[1], version) })
	r := release{dir: t.TempDir()}
	r.env = append(gentest.Env(), "GOPROXY=file://"+proxy+","+words[0], "GONOSUMDB=github.com/typeplane", "GOFLAGS=-modcacherw")
	for _, f := range txtar.Parse([]byte(shop)).Files {
		name := filepath.Join(r.dir, f.Name)
		if err := os.MkdirAll(filepath.Dir(name), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(name, f.Data, 0o644); err != nil {
			t.Fatal(err)
		}
	}
	return r
}

// forget takes a version of our modules out of Go's cache.
func forget(t *testing.T, cache, version string) {
	for _, pattern := range []string{"github.com/typeplane/typeplane@" + version, "github.com/typeplane/typeplane/*@" + version, "cache/download/github.com/typeplane/typeplane/@v/" + version + "*", "cache/download/github.com/typeplane/typeplane/*/@v/" + version + "*"} {
		found, err := filepath.Glob(filepath.Join(cache, pattern))
		if err != nil {
			t.Error(err)
		}
		for _, name := range found {
			if err := os.RemoveAll(name); err != nil {
				t.Error(err)
			}
		}
	}
}

func (r release) run(t *testing.T, command string) string {
	t.Helper()
	words := strings.Fields(command)
	cmd := exec.Command(words[0], words[1:]...)
	cmd.Dir, cmd.Env = r.dir, r.env
	out, err := cmd.CombinedOutput()
	if err != nil {
		t.Fatalf("%s: %v\n%s", command, err, out)
	}
	return string(out)
}
