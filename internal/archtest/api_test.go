package archtest

import (
	"errors"
	"flag"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"golang.org/x/tools/go/packages"
)

var update = flag.Bool("update", false, "write docs/api and docs/ladder.md anew")

// stable are the packages that users may rely on; CONTRIBUTING.md says what that means.
var stable = []string{
	module,
	module + "/registry",
	module + "/registry/rest",
	module + "/admission",
	module + "/auth",
	module + "/proxy",
	module + "/storage",
	module + "/storage/storagetest",
	module + "/apitest",
	module + "/trace",
	module + "/runtime",
	module + "/runtime/serializer",
}

const (
	apiDir    = "docs/api"
	changelog = "CHANGELOG.md"
)

// TestExportedAPI compares what the stable packages export with the lists in docs/api, so that
// nobody changes it without seeing that.
func TestExportedAPI(t *testing.T) {
	root := moduleRoot(t)
	goFiles(t, root) // go test runs this again when a file has changed that it has read
	lists := map[string]bool{}
	for _, p := range loadStable(t, root) {
		name := filepath.Join(apiDir, listName(p.PkgPath))
		lists[name] = true
		lines := exported(p.Types)
		for _, line := range lines {
			if strings.Contains(line, "internal/") {
				t.Errorf("%s: users can't name the type in %q; give it an alias in %s", name, line, p.Name)
			}
		}
		compareList(t, filepath.Join(root, name), name, strings.Join(lines, "\n")+"\n")
	}
	for _, name := range listsOnDisk(t, root) {
		if !lists[name] {
			t.Errorf("%s is of no stable package; remove it", name)
		}
	}
}

// TestStableIsSaid wants the table in CONTRIBUTING.md to name the packages that have lists.
func TestStableIsSaid(t *testing.T) {
	text, err := os.ReadFile(filepath.Join(moduleRoot(t), "CONTRIBUTING.md"))
	if err != nil {
		t.Fatal(err)
	}
	_, table, found := strings.Cut(string(text), "\n## What is stable\n")
	table, _, _ = strings.Cut(table, "\n## ")
	if !found {
		t.Fatal(`CONTRIBUTING.md has no section "What is stable"`)
	}
	for _, pkg := range stable {
		name := strings.TrimSuffix(listName(pkg), ".txt")
		if !strings.Contains(table, "`"+name+"`") {
			t.Errorf("CONTRIBUTING.md does not say that %s is stable", name)
		}
	}
}

func loadStable(t *testing.T, root string) []*packages.Package {
	t.Helper()
	config := &packages.Config{Dir: root, Mode: packages.NeedName | packages.NeedTypes | packages.NeedImports | packages.NeedExportFile}
	loaded, err := packages.Load(config, stable...)
	if err != nil {
		t.Fatal(err)
	}
	for _, p := range loaded {
		if len(p.Errors) > 0 {
			t.Fatalf("%s: %v", p.PkgPath, p.Errors[0])
		}
	}
	return loaded
}

// listName is the file of a package below apiDir.
func listName(pkg string) string {
	if pkg == module {
		return "typeplane.txt"
	}
	return strings.TrimPrefix(pkg, module+"/") + ".txt"
}

func compareList(t *testing.T, file, name, now string) {
	t.Helper()
	if *update {
		if err := errors.Join(os.MkdirAll(filepath.Dir(file), 0o755), os.WriteFile(file, []byte(now), 0o644)); err != nil {
			t.Fatal(err)
		}
	}
	listed, err := os.ReadFile(file)
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		t.Fatal(err)
	}
	if string(listed) == now {
		return
	}
	diff := cmp.Diff(strings.Split(string(listed), "\n"), strings.Split(now, "\n"))
	t.Errorf("the exported API is not that of %s (- listed, + exported):\n%s\nIf users shall see this, say what it means for them in %s and run\n\tgo test ./internal/archtest -run API -update", name, diff, changelog)
}

func listsOnDisk(t *testing.T, root string) (names []string) {
	t.Helper()
	err := filepath.WalkDir(filepath.Join(root, apiDir), func(name string, d fs.DirEntry, err error) error {
		if err == nil && !d.IsDir() {
			names = append(names, below(t, root, name))
		}
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	return names
}

// TestAPIChangesAreTold wants a changed CHANGELOG.md wherever a list in docs/api has changed: on a
// branch since it left main, on main in the last commit.
func TestAPIChangesAreTold(t *testing.T) {
	root := moduleRoot(t)
	before := base(t, root)
	changed := strings.Fields(git(t, root, "diff", "--name-only", before, "--", apiDir, changelog))
	if len(changed) > 0 && !slices.Contains(changed, changelog) {
		t.Errorf("since commit %s these lists of the exported API have changed, and %s has not; say there what that means for users:\n\t%s",
			before, changelog, strings.Join(changed, "\n\t"))
	}
}

// base is the commit that the work at hand is compared with. Without one the test is skipped.
func base(t *testing.T, root string) string {
	t.Helper()
	for _, main := range []string{"origin/main", "main"} {
		at, err := exec.Command("git", "-C", root, "merge-base", "HEAD", main).Output()
		if err != nil {
			continue
		}
		before := strings.TrimSpace(string(at))
		uncommitted := git(t, root, "status", "--porcelain", "--", apiDir, changelog) != ""
		if before != strings.TrimSpace(git(t, root, "rev-parse", "HEAD")) || uncommitted {
			return before
		}
		if parent, err := exec.Command("git", "-C", root, "rev-parse", "HEAD^").Output(); err == nil {
			return strings.TrimSpace(string(parent))
		}
	}
	t.Skip("git knows no commit of main before this one")
	return ""
}

func git(t *testing.T, root string, args ...string) string {
	t.Helper()
	out, err := exec.Command("git", append([]string{"-C", root}, args...)...).Output()
	if err != nil {
		t.Fatalf("git %s: %v", strings.Join(args, " "), err)
	}
	return string(out)
}
