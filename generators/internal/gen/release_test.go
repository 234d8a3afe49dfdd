package gen

import (
	"bytes"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/typeplane/typeplane/generators/internal/gentest"

	"golang.org/x/tools/txtar"
)

// TestReadme runs the commands of the README in an empty folder, word for word, as they will run
// after a release. The modules of this repository come from a proxy, and nothing is replaced.
func TestReadme(t *testing.T) {
	readme, err := os.ReadFile(filepath.Join(gentest.Root(t), "README.md"))
	if err != nil {
		t.Fatal(err)
	}
	block := regexp.MustCompile("(?s)In your own module:\n\n```\n(.*?)```").FindSubmatch(readme)
	if block == nil {
		t.Fatal("README.md no longer has the commands for one's own module")
	}
	shop := released(t, []byte(shop))
	shop.run(t, "go mod init example.com/shop")
	for _, command := range strings.Split(strings.TrimSpace(string(block[1])), "\n") {
		shop.run(t, command)
	}
	shop.run(t, "go build ./...")
	if _, err := os.Stat(filepath.Join(shop.dir, "v1/zz_generated.deepcopy.go")); err != nil {
		t.Error(err)
	}
}

// TestToolInAModuleFileOfItsOwn: a module that only generates keeps the versions that it has, old
// ones.
func TestToolInAModuleFileOfItsOwn(t *testing.T) {
	switching, err := os.ReadFile(filepath.Join(gentest.Root(t), "docs/switching.md"))
	if err != nil {
		t.Fatal(err)
	}
	block := regexp.MustCompile("(?s)```\n(cp go.mod gen.mod\n.*?)```").FindSubmatch(switching)
	if block == nil {
		t.Fatal("docs/switching.md no longer has the commands for a module file of the tool")
	}
	shop := released(t, []byte(shop))
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

// TestModuleOfTypes: a module of types names apimachinery and the runtime in its go.mod, and
// nothing else. A program that imports it links nothing else of ours. The code in it needs a
// runtime of its level.
func TestModuleOfTypes(t *testing.T) {
	files, err := os.ReadFile("testdata/apimodule.txtar")
	if err != nil {
		t.Fatal(err)
	}
	shop := released(t, files)
	api, client := shop.in("api"), shop.in("client")
	api.run(t, "go mod init example.com/shop/api")
	api.run(t, "go get k8s.io/apimachinery@v0.37.2 github.com/typeplane/typeplane/runtime")
	api.run(t, "cp go.mod gen.mod")
	api.run(t, "go get -tool -modfile=gen.mod github.com/typeplane/typeplane/cmd/gen")
	api.run(t, "go tool -modfile=gen.mod gen ./...")
	api.run(t, "go mod tidy")
	const direct = "go list -m -f {{if.Indirect}}{{else}}{{.Path}}{{end}} all"
	if got, want := strings.Fields(api.run(t, direct)), []string{"example.com/shop/api", runtimeModule, "k8s.io/apimachinery"}; !slices.Equal(got, want) {
		t.Errorf("the module names %q, want %q", got, want)
	}

	client.run(t, "go mod init example.com/shop/client")
	client.run(t, "go mod edit -require=example.com/shop/api@v0.0.0 -replace=example.com/shop/api=../api")
	client.run(t, "go get k8s.io/client-go@v0.37.2")
	client.run(t, "go mod tidy")
	if got, want := client.run(t, "go run ."), `{"metadata":{"name":"first"},"lines":["tea","cake"]}`+"\n"; got != want {
		t.Errorf("the program says\n%swant\n%s", got, want)
	}
	for _, path := range strings.Fields(client.run(t, "go list -deps .")) {
		if strings.HasPrefix(path, "github.com/typeplane/") && !strings.HasPrefix(path, runtimeModule+"/") {
			t.Errorf("the program links %s", path)
		}
	}
	if modules := client.run(t, "go list -m all"); strings.Contains(modules, "github.com/typeplane/typeplane v") {
		t.Errorf("the program requires the main module:\n%s", modules)
	}
	otherLevel(t, api)
}

// otherLevel takes the level that the code needs from the runtime: each file that was printed says
// so, and what to do.
func otherLevel(t *testing.T, api release) {
	module := strings.TrimSpace(api.run(t, "go list -m -f {{.Dir}} "+runtimeModule))
	other := t.TempDir()
	if err := os.CopyFS(other, os.DirFS(module)); err != nil {
		t.Fatal(err)
	}
	level := filepath.Join(other, "level/level.go")
	text, err := os.ReadFile(level)
	if err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(level, bytes.ReplaceAll(text, []byte("Level1_"), []byte("Level999_")), 0o644); err != nil {
		t.Fatal(err)
	}
	api.run(t, "go mod edit -replace="+runtimeModule+"="+other)
	build := exec.Command("go", "build", "./...")
	build.Dir, build.Env = api.dir, api.env
	out, err := build.CombinedOutput()
	if err == nil {
		t.Fatal("code of level 1 compiles with a runtime that lacks it")
	}
	for _, name := range []string{"generated.pb.go", "zz_generated.json.go"} {
		message := regexp.MustCompile(`(?m)^v1/` + regexp.QuoteMeta(name) + `:\d+:\d+: undefined: level\.Level1_go_get_u_github_com_typeplane_typeplane_runtime$`)
		if !message.Match(out) {
			t.Errorf("%s does not say which runtime it needs:\n%s", name, out)
		}
	}
}

const runtimeModule = "github.com/typeplane/typeplane/runtime"

// release is a user's folder, and where the modules of this repository come from.
type release struct {
	dir string
	env []string
}

// released makes a folder with files, which have no go.mod, beside a proxy that has the modules of
// this repository as of now.
func released(t *testing.T, files []byte) release {
	t.Helper()
	proxy, err := laid()
	if err != nil {
		t.Fatal(err)
	}
	r := release{dir: t.TempDir()}
	r.env = append(gentest.Env(), "GOPROXY="+proxy, "GONOSUMDB=github.com/typeplane", "GOFLAGS=-modcacherw -ldflags=-w")
	for _, f := range txtar.Parse(files).Files {
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

// version is that of the modules in all tests, so that gen is built once. It is new each time,
// because Go remembers what a version holds.
var version = fmt.Sprintf("v0.1.0-test.%d", time.Now().UnixNano())

// laid lays the modules out in a folder, and returns GOPROXY with it.
var laid = sync.OnceValues(func() (string, error) {
	root, err := filepath.Abs("../../..")
	if err != nil {
		return "", err
	}
	dir, err := os.MkdirTemp("", "proxy")
	if err != nil {
		return "", err
	}
	forgotten = append(forgotten, dir)
	lay := exec.Command("go", "run", "./hack/proxy", "--version", version, "--dir", dir)
	lay.Dir = root
	if out, err := lay.CombinedOutput(); err != nil {
		return "", fmt.Errorf("hack/proxy: %v\n%s", err, out)
	}
	env, err := exec.Command("go", "env", "GOPROXY", "GOMODCACHE").Output()
	if err != nil {
		return "", err
	}
	words := strings.Fields(string(env))
	for _, pattern := range []string{"typeplane@" + version, "typeplane/*@" + version} {
		forgotten = append(forgotten, filepath.Join(words[1], "github.com/typeplane", pattern))
	}
	for _, pattern := range []string{"typeplane/@v/" + version + "*", "typeplane/*/@v/" + version + "*"} {
		forgotten = append(forgotten, filepath.Join(words[1], "cache/download/github.com/typeplane", pattern))
	}
	return "file://" + dir + "," + words[0], nil
})

// forgotten is what is removed after the tests: the proxy, and what Go's cache has of the version.
var forgotten []string

func forget() {
	for _, pattern := range forgotten {
		found, err := filepath.Glob(pattern)
		for _, name := range found {
			err = errors.Join(err, os.RemoveAll(name))
		}
		if err != nil {
			fmt.Fprintln(os.Stderr, err)
		}
	}
}

// in is a folder in the user's.
func (r release) in(folder string) release { return release{filepath.Join(r.dir, folder), r.env} }

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
