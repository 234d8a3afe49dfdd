package breaking_test

import (
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/typeplane/typeplane/generators/internal/breaking"
	"github.com/typeplane/typeplane/generators/internal/gentest"

	"github.com/google/go-cmp/cmp"
	"golang.org/x/tools/txtar"
)

const shop = `-- v1/types.go --
// +groupName=shop.example.com
package v1

import metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

type Order struct {
	metav1.TypeMeta   ` + "`json:\",inline\"`" + `
	metav1.ObjectMeta ` + "`json:\"metadata\"`" + `
	Lines             []string ` + "`json:\"lines\"`" + `
}
`

func parse(text string) *txtar.Archive { return txtar.Parse([]byte(text)) }

func texts(result breaking.Result) (problems, notes []string) {
	for _, p := range result.Problems {
		problems = append(problems, p.String())
	}
	for _, p := range result.Notes {
		notes = append(notes, p.String())
	}
	return problems, notes
}

// TestPromises breaks an alpha version, a beta version, a hub and a stable version the same way.
func TestPromises(t *testing.T) {
	t.Parallel()
	var files txtar.Archive
	for _, v := range []string{"v1", "v1beta1", "v1alpha1", "__internal"} {
		files.Files = append(files.Files, txtar.File{Name: strings.Trim(v, "_") + "/types.go", Data: []byte(strings.Replace(
			string(parse(shop).Files[0].Data), "package v1", "// +versionName="+v+"\npackage v1", 1))})
	}
	dir := repository(t, &files)
	for i := range files.Files {
		files.Files[i].Data = []byte(strings.Replace(string(files.Files[i].Data), `"lines"`, `"rows"`, 1))
	}
	write(t, dir, &files)
	problems, notes := texts(check(t, dir, "HEAD"))
	const change = "types.go:10:2: Order.Lines: the field lines is called rows in JSON now ("
	if len(problems) != 2 || !strings.HasPrefix(problems[0], "v1/"+change) || !strings.HasPrefix(problems[1], "v1beta1/"+change) {
		t.Errorf("problems: %q", problems)
	}
	if len(notes) != 1 || !strings.HasPrefix(notes[0], "v1alpha1/"+change) {
		t.Errorf("notes: %q", notes)
	}
}

// TestMoved moves a package: what clients see is the same.
func TestMoved(t *testing.T) {
	t.Parallel()
	dir := repository(t, parse(shop))
	if err := os.MkdirAll(filepath.Join(dir, "apis/shop"), 0o755); err != nil {
		t.Fatal(err)
	}
	git(t, dir, "mv", "v1", "apis/shop/v1")
	if problems, notes := texts(check(t, dir, "HEAD")); problems != nil || notes != nil {
		t.Errorf("%q %q", problems, notes)
	}
}

// TestGone removes a kind, and a version.
func TestGone(t *testing.T) {
	t.Parallel()
	const kinds = `type Item struct {
	metav1.TypeMeta
	metav1.ObjectMeta ` + "`json:\"metadata\"`" + `
}
`
	dir := repository(t, parse(shop+"\n"+kinds+"-- v2/types.go --\n"+strings.Replace(string(parse(shop).Files[0].Data), "package v1", "package v2", 1)))
	write(t, dir, parse(shop))
	git(t, dir, "rm", "-r", "--quiet", "v2")
	problems, _ := texts(check(t, dir, "HEAD"))
	want := []string{
		"v1/types.go:2:1: shop.example.com/v1: the kind Item is gone (v1/types.go:12 in HEAD); keep it for as long as clients may use it",
		"v1/types.go:2:1: shop.example.com/v2: the version is gone (v2/types.go:2 in HEAD); keep serving it for as long as clients may use it",
	}
	if diff := cmp.Diff(want, problems); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
}

// TestReferences compares with a tag, a branch and an older commit, with and without uncommitted
// changes.
func TestReferences(t *testing.T) {
	t.Parallel()
	dir := repository(t, parse(shop))
	git(t, dir, "tag", "released")
	git(t, dir, "branch", "stable")
	write(t, dir, parse(strings.Replace(shop, `"lines"`, `"rows"`, 1)))
	commit(t, dir)
	for ref, want := range map[string]int{"HEAD": 0, "HEAD~1": 1, "released": 1, "stable": 1, "refs/tags/released": 1} {
		if problems, _ := texts(check(t, dir, ref)); len(problems) != want {
			t.Errorf("%s: %d problems, want %d: %q", ref, len(problems), want, problems)
		}
	}
	write(t, dir, parse(shop))
	if problems, _ := texts(check(t, dir, "HEAD")); len(problems) != 1 {
		t.Errorf("uncommitted: %q", problems)
	}
	if problems, _ := texts(check(t, dir, "released")); len(problems) != 0 {
		t.Errorf("put back, uncommitted: %q", problems)
	}
	if out, _ := exec.Command("git", "-C", dir, "status", "--porcelain").Output(); string(out) != " M v1/types.go\n" {
		t.Errorf("the repository was touched:\n%s", out)
	}
}

// TestSubfolder has the module in a folder of the repository, beside one that it replaces another
// with.
func TestSubfolder(t *testing.T) {
	t.Parallel()
	top := t.TempDir()
	dir := filepath.Join(top, "services/shop")
	module := gentest.Module(t, parse(shop))
	if err := os.CopyFS(dir, os.DirFS(module)); err != nil {
		t.Fatal(err)
	}
	write(t, top, parse("-- lib/go.mod --\nmodule lib.example.com\n-- lib/lib.go --\npackage lib\n\ntype Line struct {\n\tText string `json:\"text\"`\n}\n"))
	using := strings.Replace(shop, "[]string", "[]lib.Line", 1)
	using = strings.Replace(using, "import metav1", "import lib \"lib.example.com\"\nimport metav1", 1)
	write(t, dir, parse(using))
	mod, err := os.OpenFile(filepath.Join(dir, "go.mod"), os.O_APPEND|os.O_WRONLY, 0)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := mod.WriteString("\nrequire lib.example.com v0.0.0\n\nreplace lib.example.com => ../../lib\n"); err != nil {
		t.Fatal(err)
	}
	if err := mod.Close(); err != nil {
		t.Fatal(err)
	}
	git(t, top, "init", "--quiet")
	commit(t, top)
	write(t, top, parse("-- lib/lib.go --\npackage lib\n\ntype Line struct {\n\tText int32 `json:\"text\"`\n}\n"))
	problems, _ := texts(check(t, dir, "HEAD"))
	if len(problems) != 1 || !strings.HasSuffix(problems[0], "Line.Text: its type is int32, and was string; keep the type; another one is for a new field or a new version") {
		t.Errorf("%q", problems)
	}
}

// TestReplacedOutside has a go.mod that leads out of the repository, as those of temporary modules
// here do.
func TestReplacedOutside(t *testing.T) {
	t.Parallel()
	top := t.TempDir()
	if err := os.CopyFS(filepath.Join(top, "shop"), os.DirFS(gentest.Module(t, parse(shop)))); err != nil {
		t.Fatal(err)
	}
	dir := filepath.Join(top, "shop")
	name := filepath.Join(dir, "go.mod")
	mod, err := os.ReadFile(name)
	if err != nil {
		t.Fatal(err)
	}
	write(t, top, parse("-- lib/go.mod --\nmodule lib.example.com\n-- lib/lib.go --\npackage lib\n\ntype Line string\n"))
	write(t, dir, parse(strings.Replace(strings.Replace(shop, "[]string", "[]lib.Line", 1), "import metav1", "import lib \"lib.example.com\"\nimport metav1", 1)))
	if err := os.WriteFile(name, []byte(string(mod)+"\nrequire lib.example.com v0.0.0\n\nreplace lib.example.com => ../lib\n"), 0o644); err != nil {
		t.Fatal(err)
	}
	git(t, dir, "init", "--quiet")
	commit(t, dir)
	if problems, notes := texts(check(t, dir, "HEAD")); problems != nil || notes != nil {
		t.Errorf("%q %q", problems, notes)
	}
}

// TestExportIgnored compares packages that archives of the repository leave out, beside files with
// names and contents that need care.
func TestExportIgnored(t *testing.T) {
	t.Parallel()
	dir := repository(t, parse(shop+"-- .gitattributes --\nv1 export-ignore\nv1/** export-ignore\n-- docs/a \"b\" é.txt --\ntext\n-- docs/empty.txt --\n"))
	write(t, dir, parse(strings.Replace(shop, `"lines"`, `"rows"`, 1)))
	if problems, _ := texts(check(t, dir, "HEAD")); len(problems) != 1 || !strings.Contains(problems[0], "is called rows in JSON now") {
		t.Errorf("%q", problems)
	}
}

// TestNewPackage names a package, and a module, that did not exist.
func TestNewPackage(t *testing.T) {
	t.Parallel()
	dir := repository(t, parse("-- readme.go --\npackage example\n"))
	write(t, dir, parse(shop))
	for _, pattern := range []string{"./v1", "./v1/...", "./..."} {
		result, err := breaking.Check(breaking.Config{Dir: dir, Env: gentest.Env(), Patterns: []string{pattern}, Ref: "HEAD"})
		if problems, notes := texts(result); err != nil || problems != nil || notes != nil {
			t.Errorf("%s: %v %q %q", pattern, err, problems, notes)
		}
	}
}

// TestNumbersOfProto finds changed numbers in generated.proto, where no struct tag has them.
func TestNumbersOfProto(t *testing.T) {
	t.Parallel()
	const proto = "-- v1/generated.proto --\nsyntax = \"proto2\";\n\n// Order is one.\nmessage Order {\n  optional .k8s.io.ObjectMeta metadata = 1;\n\n  // lines = 9;\n  repeated string lines = 2;\n}\n"
	dir := repository(t, parse(shop+proto))
	write(t, dir, parse(strings.Replace(proto, "lines = 2", "lines = 3", 1)))
	problems, _ := texts(check(t, dir, "HEAD"))
	if len(problems) != 1 || !strings.Contains(problems[0], "Order.Lines: its protobuf number is 3, and was 2") {
		t.Errorf("%q", problems)
	}
}

func TestErrors(t *testing.T) {
	t.Parallel()
	plain := gentest.Module(t, parse(shop))
	broken := repository(t, parse(strings.Replace(shop, "[]string", "[]string +", 1)))
	write(t, broken, parse(shop))
	for _, tc := range []struct{ name, dir, ref, want string }{
		{"no repository", plain, "HEAD", "is in no git repository, so there is nothing to compare with"},
		{"no such commit", broken, "nowhere", `git knows no commit "nowhere"; name a commit, a tag or a branch that is here, perhaps after git fetch`},
		{"a commit like a flag", broken, "--output=x", `git knows no commit "--output=x"`},
		{"a commit that doesn't parse", broken, "HEAD", "the packages of HEAD cannot be read: v1/types.go:9:29: expected"},
	} {
		t.Run(tc.name, func(t *testing.T) {
			_, err := breaking.Check(breaking.Config{Dir: tc.dir, Env: append(gentest.Env(), "GIT_CEILING_DIRECTORIES="+os.TempDir()), Patterns: []string{"./..."}, Ref: tc.ref})
			if err == nil || !strings.Contains(err.Error(), tc.want) {
				t.Errorf("got %v\nwant %s", err, tc.want)
			}
		})
	}
	if left, _ := filepath.Glob(filepath.Join(os.TempDir(), "gen-breaking-*")); len(left) > 0 {
		t.Logf("temporary folders of other runs: %v", left)
	}
	result, err := breaking.Check(breaking.Config{Dir: repository(t, parse(shop+"!")), Env: gentest.Env(), Patterns: []string{"./..."}, Ref: "HEAD"})
	if err != nil || len(result.Invalid) == 0 {
		t.Errorf("a tree that doesn't parse now: %v %v", err, result)
	}
}
