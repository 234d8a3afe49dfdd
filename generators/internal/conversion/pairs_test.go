package conversion_test

import (
	"testing"

	"github.com/google/go-cmp/cmp"
	"golang.org/x/tools/txtar"

	"github.com/typeplane/typeplane/generators/internal/conversion"
	"github.com/typeplane/typeplane/generators/internal/diag"
	"github.com/typeplane/typeplane/generators/internal/gentest"
	"github.com/typeplane/typeplane/generators/internal/load"
	"github.com/typeplane/typeplane/generators/internal/model"
)

// TestPairs asks what other plug-ins ask: the functions of a version, by the names of its types.
func TestPairs(t *testing.T) {
	dir := gentest.Module(t, txtar.Parse([]byte(`
-- hub/types.go --
package hub

type A struct{}
type B struct{}
type C struct{}
type d struct{}
type E int
-- example.io/v1-beta/doc.go --
// +k8s:conversion-gen=example.com/hub

package v1
-- example.io/v1-beta/types.go --
package v1

type B struct{}
type A struct{}

// +k8s:conversion-gen=false
type C struct{}
type d struct{}
type E int
type F struct{}
`)))
	set, err := load.Load(load.Config{Dir: dir, Env: gentest.Env(), Patterns: []string{"./..."}, Report: &diag.Report{}})
	if err != nil {
		t.Fatal(err)
	}
	var got [][2]string
	for _, p := range conversion.Pairs(model.New(set), set.Package("example.com/example.io/v1-beta"), nil) {
		got = append(got, [2]string{p.ToHub, p.FromHub})
	}
	want := [][2]string{
		{"Convert_v1_beta_A_To_hub_A", "Convert_hub_A_To_v1_beta_A"},
		{"Convert_v1_beta_B_To_hub_B", "Convert_hub_B_To_v1_beta_B"},
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("-want +got:\n%s", diff)
	}
	if pairs := conversion.Pairs(model.New(set), set.Package("example.com/hub"), nil); pairs != nil {
		t.Errorf("the hub converts to nothing, got %v", pairs)
	}
}
