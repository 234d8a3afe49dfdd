package gen

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/typeplane/typeplane/generators/internal/gentest"

	"github.com/google/go-cmp/cmp"
	"golang.org/x/tools/txtar"
)

// page compares a page of the documentation with what it is made from; -update writes it.
func page(t *testing.T, name, want string) {
	t.Helper()
	file := filepath.Join(gentest.Root(t), name)
	if gentest.Update() {
		if err := os.WriteFile(file, []byte(want), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	got, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(want, string(got)); diff != "" {
		t.Errorf("%s is out of date; run go test ./generators/internal/gen -update (-want +got):\n%s", name, diff)
	}
}

func TestTagsPage(t *testing.T) {
	status, markdown, stderr := call("tags", "--markdown")
	if status != ok || stderr != "" {
		t.Fatalf("status %d, %s", status, stderr)
	}
	now, err := os.ReadFile(filepath.Join(gentest.Root(t), "docs/tags.md"))
	if err != nil {
		t.Fatal(err)
	}
	page(t, "docs/tags.md", markdown+placesSection(t, string(now)))
	_, text, _ := call("tags")
	for _, p := range plugins() {
		for _, d := range p.Tags {
			if !strings.Contains(text, "\n+"+d.Name) || !strings.Contains(text, d.Doc) {
				t.Errorf("gen tags does not say what +%s is for %s", d.Name, p.Name)
			}
		}
	}
}

const mistyped = `
-- v1/doc.go --
// +k8s:deepcopy-gen=package
package v1
-- v1/types.go --
package v1

// Order has a tag that gen does not know.
type Order struct {
	// +k8s:maxLenght=5
	Lines []string
}
`

// TestTagExamples wants the example of a tag where the page shows it, and not in its text too.
func TestTagExamples(t *testing.T) {
	_, stdout, _ := call("tags", "--markdown")
	for line := range strings.Lines(stdout) {
		if strings.Contains(line, "Example:") {
			t.Errorf("the text of a tag has an example in it: %s", line)
		}
	}
}

func TestUnknownTags(t *testing.T) {
	dir := gentest.Module(t, txtar.Parse([]byte(mistyped)))
	t.Chdir(dir)
	t.Setenv("GOFLAGS", "")
	t.Setenv("GOWORK", "off")
	const said = "v1/types.go:5:5: Order.Lines: +k8s:maxLenght is not a tag; did you mean +k8s:maxLength?\n"
	if status, _, stderr := call("./..."); status != failed || stderr != said+"gen: 1 problem, nothing was written\n" {
		t.Errorf("status %d and\n%s", status, stderr)
	}
	if status, _, stderr := call("--unknown-tags=warn", "./..."); status != ok || stderr != "warning: "+said {
		t.Errorf("status %d and\n%s", status, stderr)
	}
	if _, err := os.Stat("v1/zz_generated.deepcopy.go"); err != nil {
		t.Error(err)
	}
	if status, _, stderr := call("--unknown-tags=warn", "./..."); status != ok || stderr != "warning: "+said {
		t.Errorf("the second time: status %d and\n%s", status, stderr)
	}
}
