package dropin

import (
	"encoding/json"
	"io/fs"
	"maps"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
)

// moduleCopy copies a module from the module cache to a temporary folder and returns the folder.
func moduleCopy(t *testing.T, module string) string {
	t.Helper()
	out, err := exec.Command("go", "list", "-m", "-f", "{{.Dir}}", module).Output()
	if err != nil {
		t.Fatalf("go list -m %s: %v", module, err)
	}
	dir := t.TempDir()
	copyTree(t, strings.TrimSpace(string(out)), dir, func(string) bool { return false })
	return dir
}

// downloadedCopy copies a module that is not among the requirements of this one, in the version of
// k8s.io/api, with what its packages need. It is for modules that would bring too much with them;
// where there is neither a copy in the module cache nor a network, the test is skipped.
func downloadedCopy(t *testing.T, module string) string {
	t.Helper()
	version, err := exec.Command("go", "list", "-m", "-f", "{{.Version}}", "k8s.io/api").Output()
	if err != nil {
		t.Fatalf("go list -m k8s.io/api: %v", err)
	}
	var found struct{ Dir, Error string }
	out, err := exec.Command("go", "mod", "download", "-json", module+"@"+strings.TrimSpace(string(version))).Output()
	if jsonErr := json.Unmarshal(out, &found); jsonErr != nil {
		t.Fatalf("go mod download: %v, %v: %s", err, jsonErr, out)
	}
	if found.Error != "" {
		t.Skipf("the module can't be had: %s", found.Error)
	}
	dir := t.TempDir()
	copyTree(t, found.Dir, dir, func(string) bool { return false })
	return dir
}

func copyTree(t *testing.T, from, to string, skip func(name string) bool) {
	t.Helper()
	err := filepath.WalkDir(from, func(name string, d fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		rel, err := filepath.Rel(from, name)
		if err != nil || skip(rel) {
			return err
		}
		if d.IsDir() {
			return os.MkdirAll(filepath.Join(to, rel), 0o755)
		}
		data, err := os.ReadFile(name)
		if err != nil {
			return err
		}
		return os.WriteFile(filepath.Join(to, rel), data, 0o644)
	})
	if err != nil {
		t.Fatal(err)
	}
}

func walk(t *testing.T, dir string, do func(name string)) {
	t.Helper()
	err := filepath.WalkDir(dir, func(name string, d fs.DirEntry, err error) error {
		if err == nil && !d.IsDir() {
			do(name)
		}
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
}

func removeAll(t *testing.T, dir string, names ...string) {
	t.Helper()
	removed := 0
	walk(t, dir, func(name string) {
		for _, n := range names {
			if filepath.Base(name) == n {
				if err := os.Remove(name); err != nil {
					t.Fatal(err)
				}
				removed++
			}
		}
	})
	if removed == 0 {
		t.Fatalf("no %v in %s", names, dir)
	}
}

// read returns all files of a name by path.
func read(t *testing.T, dir, base string) map[string]string {
	t.Helper()
	out := map[string]string{}
	walk(t, dir, func(name string) {
		if filepath.Base(name) == base {
			data, err := os.ReadFile(name)
			if err != nil {
				t.Fatal(err)
			}
			out[name] = string(data)
		}
	})
	return out
}

func write(t *testing.T, name string, data []byte) {
	t.Helper()
	if err := os.WriteFile(name, data, 0o644); err != nil {
		t.Fatal(err)
	}
}

func replaceIn(t *testing.T, name, old, new string) {
	t.Helper()
	data, err := os.ReadFile(name)
	if err != nil {
		t.Fatal(err)
	}
	if !strings.Contains(string(data), old) {
		t.Fatalf("%s has no %q", name, old)
	}
	write(t, name, []byte(strings.Replace(string(data), old, new, 1)))
}

// readAll is read for several names.
func readAll(t *testing.T, dir string, names []string) map[string]string {
	t.Helper()
	out := map[string]string{}
	for _, name := range names {
		maps.Copy(out, read(t, dir, name))
	}
	return out
}

// sameFiles compares files to the byte. got may hold more: files of packages that had none.
func sameFiles(t *testing.T, want, got map[string]string) {
	t.Helper()
	if len(want) == 0 {
		t.Error("there is nothing to compare")
	}
	for name, text := range want {
		switch other, ok := got[name]; {
		case !ok:
			t.Errorf("%s is gone", name)
		case other != text:
			t.Errorf("%s changed", name)
		}
	}
}
