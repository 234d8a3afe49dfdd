package gen

import (
	"os"
	"strings"
	"testing"

	"golang.org/x/tools/txtar"

	"github.com/typeplane/typeplane/generators/internal/gentest"
)

// TestCheckCRD shows the messages and the statuses of --check-crd.
func TestCheckCRD(t *testing.T) {
	archive, err := txtar.ParseFile("../crd/testdata/names.txtar")
	if err != nil {
		t.Fatal(err)
	}
	dir := gentest.Module(t, archive)
	t.Chdir(dir)
	t.Setenv("GOFLAGS", "")
	t.Setenv("GOWORK", "off")
	for _, f := range archive.Files {
		if name, ok := strings.CutPrefix(f.Name, "want/config/crd/bases/"); ok {
			if err := os.WriteFile(name, f.Data, 0o644); err != nil {
				t.Fatal(err)
			}
		}
	}
	const policies = "shop.example.com_policies.yaml"
	if status, stdout, stderr := call("--check-crd="+policies, "./..."); status != ok || stdout != "gen: 1 CustomResourceDefinition as the types say\n" || stderr != "" {
		t.Errorf("status %d, %q and\n%s", status, stdout, stderr)
	}
	data, err := os.ReadFile(policies)
	if err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(policies, []byte(strings.Replace(string(data), "scope: Namespaced", "scope: Cluster", 1)), 0o644); err != nil {
		t.Fatal(err)
	}
	const want = `api/v1/types.go:6:6: Policy: ` + policies + `: spec.scope: it is "Cluster" there, and "Namespaced" by the types; ` +
		"change the types, or print the definition anew with +typeplane:crd\ngen: 1 difference\n"
	if status, _, stderr := call("--check-crd="+policies, "./..."); status != failed || stderr != want {
		t.Errorf("status %d and\n%swant\n%s", status, stderr, want)
	}
	if status, _, stderr := call("--check-crd=nowhere", "./..."); status != failed || !strings.Contains(stderr, "nowhere") {
		t.Errorf("status %d and\n%s", status, stderr)
	}
}
