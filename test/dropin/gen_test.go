package dropin

import (
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"
)

const header = `/*
Copyright The Kubernetes Authors.

Licensed under the Apache License, Version 2.0 (the "License");
you may not use this file except in compliance with the License.
You may obtain a copy of the License at

    http://www.apache.org/licenses/LICENSE-2.0

Unless required by applicable law or agreed to in writing, software
distributed under the License is distributed on an "AS IS" BASIS,
WITHOUT WARRANTIES OR CONDITIONS OF ANY KIND, either express or implied.
See the License for the specific language governing permissions and
limitations under the License.
*/
`

// replaced are the generated files that a module is copied without: what gen makes has to take
// their place.
var replaced = []string{
	"generated.pb.go", "zz_generated.deepcopy.go", "zz_generated.defaults.go", "zz_generated.conversion.go",
	"zz_generated.prerelease-lifecycle.go", "zz_generated.model_name.go",
}

// identical are those of them that come out as upstream's generators make them, to the byte.
var identical = []string{"zz_generated.prerelease-lifecycle.go", "zz_generated.model_name.go"}

// modes are the two ways in which generated code has what it leans on.
var modes = []string{"inline", "import"}

// flagsFor are the flags of gen for a mode; the module gets the requirement that it needs for an
// import.
func flagsFor(t *testing.T, mode, dir string, packages []string, flags ...string) []string {
	t.Helper()
	if mode == "inline" {
		return append([]string{"--inline-runtime"}, flags...)
	}
	const module = "github.com/typeplane/typeplane/runtime"
	source, err := filepath.Abs("../../runtime")
	if err != nil {
		t.Fatal(err)
	}
	goCommand(t, dir, "mod", "edit", "-require="+module+"@v0.0.0", "-replace="+module+"="+source)
	goCommand(t, dir, slices.Concat([]string{"list", "-mod=mod", "-test", "-deps"}, packages, []string{module + "/..."})...)
	return flags
}

// generate builds gen from this repository and runs these generators, or all, on the module in dir;
// twice: the second run finds nothing to do. What is printed imports nothing of ours.
func generate(t *testing.T, dir string, generators ...string) {
	t.Helper()
	generateWith(t, dir, everything, []string{"--inline-runtime", "--generators", strings.Join(generators, ",")})
}

// everything is all packages of a module.
var everything = []string{"./..."}

// generateWith is generate with flags, for some packages.
func generateWith(t *testing.T, dir string, packages, flags []string) {
	t.Helper()
	gen := filepath.Join(t.TempDir(), "gen")
	goCommand(t, "../..", "build", "-o", gen, "./cmd/gen")
	headerFile := filepath.Join(t.TempDir(), "header.txt")
	write(t, headerFile, []byte(header))
	for _, extra := range [][]string{nil, {"--verify"}} {
		cmd := exec.Command(gen, slices.Concat(extra, flags, []string{"--go-header-file", headerFile}, packages)...)
		cmd.Dir = dir
		cmd.Env = append(os.Environ(), "GOWORK=off", "GOPROXY=off", "GOFLAGS=-mod=readonly")
		if out, err := cmd.CombinedOutput(); err != nil {
			t.Fatalf("gen %s: %v\n%s", strings.Join(extra, " "), err, out)
		}
	}
}

// goCommand runs the go command in a folder.
func goCommand(t *testing.T, dir string, args ...string) {
	t.Helper()
	cmd := exec.Command("go", args...)
	cmd.Dir = dir
	cmd.Env = append(os.Environ(), "GOWORK=off")
	if out, err := cmd.CombinedOutput(); err != nil {
		t.Fatalf("go %s: %v\n%s", strings.Join(args, " "), err, out)
	}
}
