package defaulter_test

import (
	"testing"

	"github.com/typeplane/typeplane/generators/internal/defaulter"
	"github.com/typeplane/typeplane/generators/internal/diag"
	"github.com/typeplane/typeplane/generators/internal/gentest"
	"github.com/typeplane/typeplane/generators/internal/load"
	"github.com/typeplane/typeplane/generators/internal/model"

	"github.com/google/go-cmp/cmp"
	"golang.org/x/tools/txtar"
)

// TestCovers asks what other plug-ins ask: for which types is there a SetObjectDefaults function?
func TestCovers(t *testing.T) {
	dir := gentest.Module(t, txtar.Parse([]byte(`
-- v1/doc.go --
// +k8s:defaulter-gen=TypeMeta

package v1
-- v1/types.go --
package v1

type Filled struct {
	TypeMeta string
	// +default=1
	N int
}

type Empty struct{ TypeMeta string }

type ByHand struct{ TypeMeta string }

func SetObjectDefaults_ByHand(in *ByHand) {}
-- plain/types.go --
package plain

type Filled struct {
	TypeMeta string
	// +default=1
	N int
}
`)))
	set, err := load.Load(load.Config{Dir: dir, Env: gentest.Env(), Patterns: []string{"./..."}, Report: &diag.Report{}})
	if err != nil {
		t.Fatal(err)
	}
	got := defaulter.Covers(model.New(set), set.Package("example.com/v1"))
	if diff := cmp.Diff(map[string]bool{"Filled": true, "ByHand": true}, got); diff != "" {
		t.Errorf("-want +got:\n%s", diff)
	}
	if got := defaulter.Covers(model.New(set), set.Package("example.com/plain")); len(got) != 0 {
		t.Errorf("a package without the tag covers %v", got)
	}
}
