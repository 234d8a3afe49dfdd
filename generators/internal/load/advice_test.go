package load_test

import (
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/typeplane/typeplane/generators/internal/diag"
	"github.com/typeplane/typeplane/generators/internal/load"
)

// shop has a type with a field of another module, which lies in dep and needs a third one.
const shop = `
-- go.mod --
module example.com/shop

go 1.26.0

require (
	example.org/dep v0.1.0
	example.org/units v0.2.0 // indirect
)

replace (
	example.org/dep => ./dep
	example.org/units => ./units
)
-- v1/types.go --
// +k8s:deepcopy-gen=package
package v1

import "example.org/dep/amount"

type Order struct{ Amount amount.Amount }
-- dep/go.mod --
module example.org/dep

go 1.26.0

require example.org/units v0.2.0
-- dep/amount/amount.go --
package amount

import "example.org/units"

type Amount struct{ Unit units.Unit }
-- units/go.mod --
module example.org/units

go 1.26.0
-- units/units.go --
package units

type Unit string
`

// TestAdvice breaks a module in the ways in which people do. What is said names the command that
// mends it, and after that command all is well.
func TestAdvice(t *testing.T) {
	vendored := func(t *testing.T, dir string) { goCommand(t, dir, "mod vendor") }
	for name, tc := range map[string]struct {
		breaks func(t *testing.T, dir string)
		want   string // with its cure at the end
		mended func(t *testing.T, dir string)
	}{
		"nothing": {},
		"a requirement too old": {
			breaks: replace("go.mod", "example.org/units v0.2.0", "example.org/units v0.1.0"),
			want:   "load packages: updates to go.mod needed; run go mod tidy",
		},
		"no requirement of what is required": {
			breaks: replace("go.mod", "\texample.org/units v0.2.0 // indirect\n", ""),
			want:   "load packages: updates to go.mod needed; run go mod tidy",
		},
		"no go.sum": {
			breaks: func(t *testing.T, dir string) {
				replace("go.mod", "example.org/units v0.2.0 //", "example.org/units v0.2.0\n\tgopkg.in/inf.v0 v0.9.1 //")(t, dir)
				replace("v1/types.go", `"example.org/dep/amount"`, "(\n\t\"example.org/dep/amount\"\n\t\"gopkg.in/inf.v0\"\n)\n\ntype Sum inf.Dec")(t, dir)
			},
			want: "v1/types.go:6:2: cannot import gopkg.in/inf.v0: missing go.sum entry for module providing package gopkg.in/inf.v0; run go mod tidy",
		},
		"no requirement": {
			breaks: replace("v1/types.go", "example.org/dep/amount", "example.net/amount"),
			want:   "v1/types.go:4:8: cannot import example.net/amount: no required module provides package example.net/amount; run go get example.net/amount",
			mended: replace("v1/types.go", "example.net/amount", "example.org/dep/amount"), // there is no network
		},
		"a replacement that is gone": {
			breaks: replace("go.mod", "=> ./dep", "=> ./deb"),
			want:   "v1/types.go:4:8: cannot import example.org/dep/amount: example.org/dep@v0.1.0: replacement directory ./deb does not exist; name the folder that is meant in the replace line of go.mod",
			mended: replace("go.mod", "=> ./deb", "=> ./dep"),
		},
		"no go.mod": {
			breaks: func(t *testing.T, dir string) {
				if err := os.Remove(filepath.Join(dir, "go.mod")); err != nil {
					t.Fatal(err)
				}
			},
			want: "./...: there is no go.mod in this folder, and in none above it; run gen init example.com/NAME for a module that serves, or go mod init for an empty one",
			mended: func(t *testing.T, dir string) {
				goCommand(t, dir, "mod init example.com/NAME")
				replace("v1/types.go", "amount.Amount", "string")(t, dir)
				replace("v1/types.go", `import "example.org/dep/amount"`, "")(t, dir)
			},
		},
		"a go.mod that can't be read": {
			breaks: replace("go.mod", "replace (", "replace"),
			want:   "load packages: errors parsing go.mod: go.mod:10: usage: replace module/path [v1.2.3] => other/module v1.4; mend that line",
			mended: replace("go.mod", "replace\n", "replace (\n"),
		},
		"a newer Go": {
			breaks: replace("go.mod", "go 1.26.0", "go 1.99.0"),
			want:   "; set GOTOOLCHAIN=auto, so that the go command gets that version, or install it",
			mended: replace("go.mod", "go 1.99.0", "go 1.26.0"),
		},
		"vendored": {breaks: vendored},
		"vendored before go.mod changed": {
			breaks: func(t *testing.T, dir string) {
				vendored(t, dir)
				replace("go.mod", "example.org/dep v0.1.0", "example.org/dep v0.1.1")(t, dir)
			},
			want: "example.org/dep@v0.1.1: is explicitly required in go.mod, but not marked as explicit in vendor/modules.txt; run go mod vendor",
		},
		"vendored before an import": {
			breaks: func(t *testing.T, dir string) {
				vendored(t, dir)
				replace("v1/types.go", "dep/amount", "dep/price")(t, dir)
				if err := os.Rename(filepath.Join(dir, "dep/amount"), filepath.Join(dir, "dep/price")); err != nil {
					t.Fatal(err)
				}
				replace("dep/price/amount.go", "package amount", "package price")(t, dir)
				replace("v1/types.go", "amount.", "price.")(t, dir)
			},
			want: "import lookup disabled by -mod=vendor; run go mod tidy, and then go mod vendor",
			mended: func(t *testing.T, dir string) {
				goCommand(t, dir, "mod tidy")
				goCommand(t, dir, "mod vendor")
			},
		},
		"not in the workspace": {
			breaks: func(t *testing.T, dir string) {
				if err := os.WriteFile(filepath.Join(dir, "go.work"), []byte("go 1.26.0\n\nuse ./dep\n"), 0o666); err != nil {
					t.Fatal(err)
				}
			},
			want:   "run go work use . to add this module to go.work, or set GOWORK=off",
			mended: func(t *testing.T, dir string) { goCommand(t, dir, "work use .") },
		},
	} {
		t.Run(name, func(t *testing.T) {
			dir := write(t, shop)
			if tc.breaks != nil {
				tc.breaks(t, dir)
			}
			if said := refused(t, dir); !strings.HasSuffix(said, tc.want) || tc.want == "" && said != "" {
				t.Fatalf("%s\nwant %s", said, tc.want)
			}
			if _, command, ok := strings.Cut(tc.want, "; run go "); ok && tc.mended == nil {
				goCommand(t, dir, command)
			} else if tc.mended != nil {
				tc.mended(t, dir)
			}
			if said := refused(t, dir); said != "" {
				t.Errorf("when it is mended: %s", said)
			}
		})
	}
}

// offline is an environment in which the go command has what is in its cache.
func offline() []string {
	return append(os.Environ(), "GOWORK=", "GOFLAGS=", "GOPROXY=off", "GOSUMDB=off", "GOTOOLCHAIN=local")
}

// refused is what is said of a module, "" if it is loaded.
func refused(t *testing.T, dir string) string {
	t.Helper()
	report := &diag.Report{}
	if _, err := load.Load(load.Config{Dir: dir, Env: offline(), Patterns: []string{"./..."}, Report: report}); err != nil {
		return err.Error()
	}
	var said []string
	for _, p := range report.Problems() {
		said = append(said, p.String())
	}
	return strings.Join(said, "\n")
}

func goCommand(t *testing.T, dir, args string) {
	t.Helper()
	cmd := exec.Command("go", strings.Fields(args)...)
	cmd.Dir, cmd.Env = dir, offline()
	if out, err := cmd.CombinedOutput(); err != nil {
		t.Fatalf("go %s: %v\n%s", args, err, out)
	}
}

// replace changes a file.
func replace(file, what, by string) func(*testing.T, string) {
	return func(t *testing.T, dir string) {
		t.Helper()
		name := filepath.Join(dir, file)
		text, err := os.ReadFile(name)
		if err != nil || !strings.Contains(string(text), what) {
			t.Fatalf("%s: no %q: %v", file, what, err)
		}
		if err := os.WriteFile(name, []byte(strings.ReplaceAll(string(text), what, by)), 0o666); err != nil {
			t.Fatal(err)
		}
	}
}
