package apiserver_test

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"golang.org/x/tools/txtar"

	"github.com/typeplane/typeplane/generators/internal/apiserver"
	"github.com/typeplane/typeplane/generators/internal/conversion"
	"github.com/typeplane/typeplane/generators/internal/generators"
	"github.com/typeplane/typeplane/generators/internal/gentest"
)

// TestStorageMoves adds a better version to a kind: the next run says that it is stored in that
// from now on, and the one after it says no more. A marker says that it is meant.
func TestStorageMoves(t *testing.T) {
	kind := func(version, marker, doc string) string {
		return "-- " + version + "/doc.go --\n// +groupName=shop.example.com\n" + doc + "package " + version + "\n-- " + version + `/types.go --
package ` + version + `

import metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

` + marker + `type Order struct {
	metav1.TypeMeta   ` + "`json:\",inline\"`" + `
	metav1.ObjectMeta ` + "`json:\"metadata,omitempty\"`" + `
}

type OrderList struct {
	metav1.TypeMeta ` + "`json:\",inline\"`" + `
	metav1.ListMeta ` + "`json:\"metadata,omitempty\"`" + `
	Items []Order ` + "`json:\"items\"`" + `
}
`
	}
	const program = "-- main.go --\n// +typeplane:apiserver\npackage main\n\nfunc main() {}\n"
	const toV2 = "// +k8s:conversion-gen=example.com/v2\n"
	dir := gentest.Module(t, txtar.Parse([]byte(program+kind("v1", "", ""))))
	run := func() string {
		t.Helper()
		result, err := generators.Run(generators.Config{Dir: dir, Env: gentest.Env(), Patterns: []string{"./..."}, Plugins: []generators.Plugin{conversion.Plugin(), apiserver.Plugin()}})
		if err != nil || len(result.Problems) > 0 {
			t.Fatal(err, result.Problems)
		}
		var out []string
		for _, w := range result.Warnings {
			if strings.Contains(w.Message, "stored in") {
				out = append(out, w.String())
			}
		}
		return strings.Join(out, "\n")
	}
	write := func(text string) {
		t.Helper()
		for _, f := range txtar.Parse([]byte(text)).Files {
			name := filepath.Join(dir, f.Name)
			if err := os.MkdirAll(filepath.Dir(name), 0o755); err != nil {
				t.Fatal(err)
			}
			if err := os.WriteFile(name, f.Data, 0o644); err != nil {
				t.Fatal(err)
			}
		}
	}
	if got := run(); got != "" {
		t.Errorf("first run: %s", got)
	}
	write(kind("v2", "", "") + kind("v1", "", toV2))
	want := "v2/types.go:5:6: Order: it is stored in shop.example.com/v2 from now on, and was in shop.example.com/v1; " +
		"servers of the release before must be able to read it; say +kubebuilder:storageversion in the version that is meant"
	if got := run(); got != want {
		t.Errorf("a better version: %s\nwant %s", got, want)
	}
	if got := run(); got != "" {
		t.Errorf("the run after it: %s", got)
	}
	write(kind("v3", "// +kubebuilder:storageversion\n", "") + kind("v2", "", "// +k8s:conversion-gen=example.com/v3\n") + kind("v1", "", "// +k8s:conversion-gen=example.com/v3\n"))
	if got := run(); got != "" {
		t.Errorf("a marker says it: %s", got)
	}
}
