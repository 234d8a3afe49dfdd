// Command proxy lays out the modules of this repository as a module proxy in a folder, as they
// would be after a release. No module has replacements, and each requires the released versions
// of the others. So the commands in the README can be tried word for word before the first
// release:
//
//	go run ./hack/proxy --version v0.1.0 --dir DIR
//	export GOPROXY=file://DIR,$(go env GOPROXY) GONOSUMDB=github.com/typeplane
//
// It takes the files that git knows, with the changes of the work tree. hack/modules.txt says which
// modules are released.
package main

import (
	"bytes"
	"encoding/json"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"time"

	"github.com/spf13/pflag"
	"golang.org/x/mod/modfile"
	"golang.org/x/mod/module"
	"golang.org/x/mod/zip"
)

func main() {
	version := pflag.String("version", "v0.1.0", "The version of all modules.")
	dir := pflag.String("dir", "", "The folder of the proxy; it is made.")
	pflag.Parse()
	if err := run(*version, *dir); err != nil {
		fmt.Fprintln(os.Stderr, "proxy:", err)
		os.Exit(1)
	}
}

func run(version, dir string) error {
	if dir == "" {
		return fmt.Errorf("--dir: say where the proxy shall be")
	}
	out, err := exec.Command("git", "rev-parse", "--show-toplevel").Output()
	if err != nil {
		return fmt.Errorf("git rev-parse: %w", err)
	}
	r := release{root: strings.TrimSpace(string(out)), version: version}
	if r.folders, r.all, err = readModules(filepath.Join(r.root, "hack/modules.txt")); err != nil {
		return err
	}
	for _, folder := range r.folders {
		if err := r.lay(folder, dir); err != nil {
			return fmt.Errorf("%s: %w", folder, err)
		}
	}
	return nil
}

// release is this repository under a version.
type release struct {
	root, version string
	folders       []string // of the released modules
	all           []string // of all modules
}

func readModules(name string) (released, all []string, err error) {
	text, err := os.ReadFile(name)
	if err != nil {
		return nil, nil, err
	}
	for line := range strings.Lines(string(text)) {
		words := strings.Fields(line)
		if len(words) != 2 || words[0] == "#" {
			continue
		}
		all = append(all, words[0])
		if words[1] == "released" {
			released = append(released, words[0])
		}
	}
	return released, all, nil
}

// lay writes what a proxy answers about the module in a folder.
func (r release) lay(folder, dir string) error {
	mod, path, err := r.goMod(folder)
	if err != nil {
		return err
	}
	escaped, err := module.EscapePath(path)
	if err != nil {
		return err
	}
	at := filepath.Join(dir, filepath.FromSlash(escaped), "@v")
	if err := os.MkdirAll(at, 0o755); err != nil {
		return err
	}
	info, err := json.Marshal(map[string]any{"Version": r.version, "Time": time.Unix(0, 0).UTC()})
	if err != nil {
		return err
	}
	files, err := r.files(folder, mod)
	if err != nil {
		return err
	}
	var zipped bytes.Buffer
	if err := zip.Create(&zipped, module.Version{Path: path, Version: r.version}, files); err != nil {
		return err
	}
	for name, data := range map[string][]byte{
		"list":              []byte(r.version + "\n"),
		r.version + ".info": info,
		r.version + ".mod":  mod,
		r.version + ".zip":  zipped.Bytes(),
	} {
		if err := os.WriteFile(filepath.Join(at, name), data, 0o644); err != nil {
			return err
		}
	}
	return nil
}

// goMod is the go.mod of a folder as a release has it, and the module's path.
func (r release) goMod(folder string) (text []byte, path string, err error) {
	name := filepath.Join(r.root, folder, "go.mod")
	if text, err = os.ReadFile(name); err != nil {
		return nil, "", err
	}
	file, err := modfile.Parse(name, text, nil)
	if err != nil {
		return nil, "", err
	}
	for _, replace := range file.Replace {
		replaced := replace.Old // it is gone from replace when the line is dropped
		if err := file.DropReplace(replaced.Path, replaced.Version); err != nil {
			return nil, "", err
		}
		if err := file.AddRequire(replaced.Path, r.version); err != nil {
			return nil, "", err
		}
	}
	file.Cleanup()
	text, err = file.Format()
	return text, file.Module.Mod.Path, err
}

// files are those of the module in a folder, with the given go.mod.
func (r release) files(folder string, mod []byte) ([]zip.File, error) {
	cmd := exec.Command("git", "ls-files", "--cached", "--others", "--exclude-standard")
	cmd.Dir = filepath.Join(r.root, folder)
	out, err := cmd.Output()
	if err != nil {
		return nil, fmt.Errorf("git ls-files: %w", err)
	}
	var files []zip.File
	for _, name := range strings.Fields(string(out)) {
		on := filepath.Join(cmd.Dir, name)
		switch info, err := os.Stat(on); {
		case os.IsNotExist(err) || r.elsewhere(folder, name):
		case err != nil:
			return nil, err
		case name == "go.mod":
			files = append(files, file{name: name, on: on, info: info, text: mod})
		default:
			files = append(files, file{name: name, on: on, info: info})
		}
	}
	return files, nil
}

// elsewhere says whether a file below a folder belongs to a module below it.
func (r release) elsewhere(folder, name string) bool {
	for _, other := range r.all {
		rel, err := filepath.Rel(folder, other)
		if err == nil && rel != "." && strings.HasPrefix(name, rel+"/") {
			return true
		}
	}
	return false
}

// file is one for a module's zip.
type file struct {
	name, on string
	info     os.FileInfo
	text     []byte // in place of what is on disk
}

func (f file) Path() string                { return f.name }
func (f file) Lstat() (os.FileInfo, error) { return f.info, nil }

func (f file) Open() (io.ReadCloser, error) {
	if f.text != nil {
		return io.NopCloser(bytes.NewReader(f.text)), nil
	}
	return os.Open(f.on)
}
