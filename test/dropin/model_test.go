package dropin

import (
	"encoding/json"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
)

// modelFiles are what the plug-ins for deep copies, defaults and conversions make.
var modelFiles = []string{"zz_generated.deepcopy.go", "zz_generated.defaults.go", "zz_generated.conversion.go"}

// The packages that k8s.io/code-generator tests its deep copies and defaults with get ours; its
// tests copy fuzzed values and compare them with what reflection copies, and look at every default.
func TestCodeGenerator(t *testing.T) {
	dir := releasedCopy(t, "k8s.io/code-generator")
	for _, tool := range []string{"deepcopy-gen", "defaulter-gen"} {
		tests := "cmd/" + tool + "/output_tests"
		removeAll(t, filepath.Join(dir, tests), modelFiles...)
		generateModel(t, dir, "./"+tests+"/...")
		goCommand(t, dir, "test", "-count=1", "./"+tests+"/...")
	}
}

// A server that is built from k8s.io/apiserver keeps working as it is: its own source registers our
// functions with apimachinery's Scheme.
func TestSampleAPIServer(t *testing.T) {
	notShort(t)
	dir := releasedCopy(t, "k8s.io/sample-apiserver")
	registered := registrations(t, dir)
	removeAll(t, dir, modelFiles...)
	generateModel(t, dir, "./...")
	if now := registrations(t, dir); registered == 0 || now != registered {
		t.Errorf("%d conversions and defaults are registered, %d were", now, registered)
	}
	goCommand(t, dir, "build", "./...")
	goCommand(t, dir, "test", "-count=1", "./pkg/apis/...")
}

// In meta/v1 are conversions that are asked for by type, from the parameters of URLs, and functions
// by hand around them.
func TestURLValues(t *testing.T) {
	notShort(t)
	dir := releasedCopy(t, "k8s.io/apimachinery")
	registered := registrations(t, filepath.Join(dir, "pkg/apis/testapigroup"))
	removeAll(t, dir, modelFiles...)
	generateModel(t, dir, "./pkg/...")
	if now := registrations(t, filepath.Join(dir, "pkg/apis/testapigroup")); registered == 0 || now != registered {
		t.Errorf("%d conversions and defaults are registered, %d were", now, registered)
	}
	goCommand(t, dir, "build", "./...")
	goCommand(t, dir, "test", "-count=1", "./pkg/apis/meta/...", "./pkg/apis/testapigroup/...", "./pkg/runtime")
}

// registrations counts the calls in generated files that make functions known to a Scheme.
func registrations(t *testing.T, dir string) int {
	t.Helper()
	n := 0
	for _, file := range modelFiles {
		for _, text := range read(t, dir, file) {
			for _, call := range []string{".AddGeneratedConversionFunc(", ".AddConversionFunc(", ".AddTypeDefaultingFunc("} {
				n += strings.Count(text, call)
			}
		}
	}
	return n
}

// generateModel runs gen, twice: the second run finds nothing to do.
func generateModel(t *testing.T, dir, pattern string) {
	t.Helper()
	gen := filepath.Join(t.TempDir(), "gen")
	goCommand(t, "../..", "build", "-o", gen, "./cmd/gen")
	for _, extra := range [][]string{nil, {"--verify"}} {
		cmd := exec.Command(gen, append(extra, "--inline-runtime", "--generators", "deepcopy,defaulter,conversion", pattern)...)
		cmd.Dir = dir
		cmd.Env = append(os.Environ(), "GOWORK=off", "GOPROXY=off", "GOFLAGS=-mod=readonly")
		if out, err := cmd.CombinedOutput(); err != nil {
			t.Fatalf("gen %s: %v\n%s", strings.Join(extra, " "), err, out)
		}
	}
}

// releasedCopy copies a module of the release that k8s.io/api is of to a temporary folder. It need
// not be among the requirements of this module.
func releasedCopy(t *testing.T, module string) string {
	t.Helper()
	version, err := exec.Command("go", "list", "-m", "-f", "{{.Version}}", "k8s.io/api").Output()
	if err != nil {
		t.Fatal(err)
	}
	out, err := exec.Command("go", "mod", "download", "-json", module+"@"+strings.TrimSpace(string(version))).Output()
	if err != nil {
		t.Fatalf("go mod download %s: %v\n%s", module, err, out)
	}
	var info struct{ Dir string }
	if err := json.Unmarshal(out, &info); err != nil || info.Dir == "" {
		t.Fatalf("go mod download %s: %v\n%s", module, err, out)
	}
	dir := t.TempDir()
	copyTree(t, info.Dir, dir, func(string) bool { return false })
	return dir
}
