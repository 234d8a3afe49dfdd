package generators_test

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/typeplane/typeplane/generators/internal/deepcopy"
	"github.com/typeplane/typeplane/generators/internal/generators"
	"github.com/typeplane/typeplane/generators/internal/register"

	"golang.org/x/tools/txtar"
)

// house is a folder with a module, one that stands in for another, and room for a workspace.
const house = `
-- main/go.mod --
module example.com

go 1.26

require example.org/part v0.0.0

replace example.org/part => ../part
-- main/v1/doc.go --
// +k8s:deepcopy-gen=package
package v1
-- main/v1/types.go --
package v1

import (
	"example.com/deep/hidden"
	"example.org/part"
)

type Book struct {
	Parts []part.Part
	Words []hidden.Word
}
-- main/v1/windows.go --
//go:build windows

package v1

type Window struct{ Panes []string }
-- main/v1/types_test.go --
package v1
-- main/plain/plain.go --
package plain

type Plain struct{ Words []string }
-- main/deep/hidden/hidden.go --
package hidden

type Word struct{ Letters []string }

func (in *Word) DeepCopyInto(out *Word) { *out = *in }
-- main/target.txt --
package plain
-- part/go.mod --
module example.org/part

go 1.26
-- part/part.go --
package part

type Part struct{ Words string }
-- empty/file --
`

// estate writes the house with old times to a temporary folder.
func estate(t *testing.T) string {
	t.Helper()
	dir, err := filepath.EvalSymlinks(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	for _, f := range txtar.Parse([]byte(house)).Files {
		name := filepath.Join(dir, f.Name)
		if err := os.MkdirAll(filepath.Dir(name), 0o755); err != nil {
			t.Fatal(err)
		}
		write(t, dir, f.Name, string(f.Data))
	}
	if err := os.Symlink("../target.txt", filepath.Join(dir, "main/plain/linked.go")); err != nil {
		t.Fatal(err)
	}
	age(t, dir)
	return dir
}

// age makes everything look untouched for an hour.
func age(t *testing.T, dir string) {
	t.Helper()
	old := time.Now().Add(-time.Hour)
	err := filepath.WalkDir(dir, func(name string, _ os.DirEntry, err error) error {
		if err == nil {
			err = os.Chtimes(name, old, old)
		}
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
}

func houseConfig(dir string) generators.Config {
	return generators.Config{
		Dir: filepath.Join(dir, "main"), Env: append(os.Environ(), "GOFLAGS=", "GOPROXY=off", "GOWORK="), Patterns: []string{"./v1", "./plain/..."},
		Plugins: []generators.Plugin{deepcopy.Plugin(), register.Plugin()}, Cache: filepath.Join(dir, "cache"),
	}
}

func mustRun(t *testing.T, cfg generators.Config) generators.Result {
	t.Helper()
	result, err := generators.Run(cfg)
	if err != nil {
		t.Fatal(err)
	}
	return result
}

// settled runs until nothing is left to do, which must be soon.
func settled(t *testing.T, cfg generators.Config, dir string) {
	t.Helper()
	for range 4 {
		age(t, dir)
		if mustRun(t, cfg).UpToDate {
			return
		}
	}
	t.Fatal("gen never finds that all is up to date")
}

// emptyFolder removes the files of a folder, or fills them with something else.
func emptyFolder(t *testing.T, dir string, with []byte) {
	t.Helper()
	files, err := filepath.Glob(filepath.Join(dir, "*"))
	if err != nil || len(files) == 0 {
		t.Fatalf("%s is empty: %v", dir, err)
	}
	for _, file := range files {
		if err := os.Remove(file); err != nil {
			t.Fatal(err)
		}
		if with != nil {
			write(t, dir, filepath.Base(file), string(with))
		}
	}
}

func times(t *testing.T, dir string) string {
	t.Helper()
	var b strings.Builder
	err := filepath.WalkDir(dir, func(name string, entry os.DirEntry, err error) error {
		if err != nil {
			return err
		}
		info, err := entry.Info()
		fmt.Fprintln(&b, name, info.ModTime())
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	return b.String()
}
