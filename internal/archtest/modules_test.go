package archtest

import (
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"golang.org/x/mod/modfile"
)

// The kinds of modules in hack/modules.txt.
const (
	released = "released"
	test     = "test"
)

// aModule is a line of hack/modules.txt.
type aModule struct{ folder, kind string }

type moduleList []aModule

func (l moduleList) kinds() map[string]string {
	kinds := map[string]string{}
	for _, m := range l {
		kinds[m.folder] = m.kind
	}
	return kinds
}

func modules(t *testing.T, root string) moduleList {
	t.Helper()
	text, err := os.ReadFile(filepath.Join(root, "hack/modules.txt"))
	if err != nil {
		t.Fatal(err)
	}
	var list moduleList
	for line := range strings.Lines(string(text)) {
		words := strings.Fields(line)
		if len(words) == 0 || words[0] == "#" {
			continue
		}
		if len(words) != 2 || words[1] != released && words[1] != test {
			t.Fatalf("hack/modules.txt: %q: want a folder, and %s or %s", line, released, test)
		}
		list = append(list, aModule{words[0], words[1]})
	}
	return list
}

// TestModulesAreListed: scripts go through hack/modules.txt, so what is not there is neither tested
// nor released.
func TestModulesAreListed(t *testing.T) {
	root := moduleRoot(t)
	kinds := modules(t, root).kinds()
	err := filepath.WalkDir(root, func(name string, d fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		if d.IsDir() && (d.Name() == "testdata" || strings.HasPrefix(d.Name(), ".")) {
			return filepath.SkipDir
		}
		folder := below(t, root, filepath.Dir(name))
		switch {
		case d.Name() == "go.work":
			t.Errorf("%s: a workspace hides what a module requires", below(t, root, name))
		case d.Name() == "go.mod" && kinds[folder] == "":
			t.Errorf("%s is a module, and no line of hack/modules.txt", folder)
		case d.Name() == "go.mod":
			delete(kinds, folder)
		}
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	for folder := range kinds {
		t.Errorf("hack/modules.txt: there is no module in %s", folder)
	}
}

// TestModulesRequireThoseAbove: a module is tagged after those that it requires. In this repository
// they are replaced by their folders, all of them: a module that replaces one and fetches another
// would mix two states of the repository.
func TestModulesRequireThoseAbove(t *testing.T) {
	root := moduleRoot(t)
	var above []string
	for _, m := range modules(t, root) {
		file := goMod(t, root, m.folder)
		for _, r := range file.Require {
			folder, ours := folderOf(r.Mod.Path)
			switch {
			case !ours:
			case m.kind == released && !slices.Contains(above, folder):
				t.Errorf("%s requires %s, which stands below it in hack/modules.txt, or is for tests", m.folder, folder)
			case !replaced(t, root, m.folder, file, r.Mod.Path, folder):
				t.Errorf("%s/go.mod does not replace %s by its folder", m.folder, r.Mod.Path)
			}
		}
		if m.kind == released {
			above = append(above, m.folder)
		}
	}
}

func goMod(t *testing.T, root, folder string) *modfile.File {
	t.Helper()
	name := filepath.Join(root, folder, "go.mod")
	text, err := os.ReadFile(name)
	if err != nil {
		t.Fatal(err)
	}
	file, err := modfile.Parse(name, text, nil)
	if err != nil {
		t.Fatal(err)
	}
	return file
}

// folderOf says where one of our modules is.
func folderOf(path string) (folder string, ours bool) {
	if path == module {
		return ".", true
	}
	return strings.CutPrefix(path, module+"/")
}

func replaced(t *testing.T, root, in string, file *modfile.File, path, folder string) bool {
	for _, r := range file.Replace {
		if r.Old.Path == path {
			return below(t, root, filepath.Join(root, in, r.New.Path)) == folder
		}
	}
	return false
}

// below is a path as seen from root, with slashes.
func below(t *testing.T, root, name string) string {
	t.Helper()
	rel, err := filepath.Rel(root, name)
	if err != nil {
		t.Fatal(err)
	}
	return filepath.ToSlash(rel)
}

// moduleRoot is the folder of the main module, which the test is in.
func moduleRoot(t *testing.T) string {
	t.Helper()
	root, err := filepath.Abs("../..")
	if err != nil {
		t.Fatal(err)
	}
	return root
}
