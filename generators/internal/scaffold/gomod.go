package scaffold

import (
	"context"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"strings"

	"golang.org/x/mod/modfile"
)

// Typeplane is the path of the module that servers are built with.
const Typeplane = "github.com/typeplane/typeplane"

// Origin is where a module gets Typeplane from: a release, or the folder of a clone.
type Origin struct{ Version, Clone string }

// require adds Typeplane to a module, or its part runtime alone.
func (o Origin) require(runtimeOnly bool) []string {
	path := Typeplane
	if runtimeOnly {
		path += "/runtime"
	}
	if o.Clone == "" {
		return []string{"-require=" + path + "@" + o.Version}
	}
	edits := []string{"-require=" + path + "@v0.0.0", "-replace=" + Typeplane + "/runtime=" + filepath.Join(o.Clone, "runtime")}
	if !runtimeOnly {
		edits = append(edits, "-replace="+Typeplane+"="+o.Clone)
	}
	return edits
}

// goCommand runs the go command in a folder. What it downloads it says on log; its last words are
// in the error.
func goCommand(ctx context.Context, dir string, log io.Writer, args ...string) error {
	return goCommandWith(ctx, nil, dir, log, args...)
}

// goCommandWith runs the go command with more environment variables.
func goCommandWith(ctx context.Context, env []string, dir string, log io.Writer, args ...string) error {
	cmd := exec.CommandContext(ctx, "go", args...)
	var said tail
	cmd.Env = append(os.Environ(), env...)
	cmd.Dir, cmd.Stdout, cmd.Stderr = dir, log, io.MultiWriter(log, &said)
	if err := cmd.Run(); err != nil {
		return fmt.Errorf("go %s in %s: %w: %s", strings.Join(args, " "), dir, err, strings.TrimSpace(string(said)))
	}
	return nil
}

// tail keeps the last KiB.
type tail []byte

func (t *tail) Write(b []byte) (int, error) {
	*t = append(*t, b...)
	if extra := len(*t) - 1024; extra > 0 {
		*t = (*t)[extra:]
	}
	return len(b), nil
}

// modulePath is that of the module in a folder, "" if there is none.
func modulePath(dir string) (string, error) {
	file := filepath.Join(dir, "go.mod")
	text, err := os.ReadFile(file)
	if os.IsNotExist(err) {
		return "", nil
	}
	if err != nil {
		return "", err
	}
	path := modfile.ModulePath(text)
	if path == "" {
		return "", fmt.Errorf("%s names no module: write `module example.com/shop` in its first line", file)
	}
	return path, nil
}

// Patterns are the package patterns of all that belongs together: the module, and those that its
// go.work names in folders below it.
func Patterns(root string) ([]string, error) {
	file := filepath.Join(root, "go.work")
	text, err := os.ReadFile(file)
	if os.IsNotExist(err) {
		return []string{"./..."}, nil
	}
	if err != nil {
		return nil, err
	}
	work, err := modfile.ParseWork(file, text, nil)
	if err != nil {
		return nil, err
	}
	out := []string{"./..."}
	for _, use := range work.Use {
		if dir := filepath.ToSlash(filepath.Clean(use.Path)); dir != "." && filepath.IsLocal(dir) {
			out = append(out, "./"+dir+"/...")
		}
	}
	return out, nil
}

// require adds to the go.mod of each module the modules that its packages, tests and tools need.
// Unlike it, go mod tidy downloads modules that only the tests of other modules need.
func require(ctx context.Context, root string, modules []string, log io.Writer) error {
	for _, dir := range modules {
		// in a workspace, the go command does not change go.mod
		if err := goCommandWith(ctx, []string{"GOWORK=off"}, filepath.Join(root, dir), log, "list", "-mod=mod", "-deps", "-test", "-f={{/* prints nothing */}}", "./...", "tool"); err != nil {
			return err
		}
	}
	return nil
}
