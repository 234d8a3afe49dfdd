package serve

import (
	"bytes"
	"log/slog"
	"net/http"
	"strings"
	"testing"

	"k8s.io/apimachinery/pkg/runtime/schema"

	"github.com/typeplane/typeplane/internal/program"
	"github.com/typeplane/typeplane/internal/program/programtest"
	"github.com/typeplane/typeplane/registry"
	"github.com/typeplane/typeplane/runtime/runtimetest/widget"
)

// TestUnserved: a start says which objects nobody sees any more, since their resource is called
// otherwise, and says nothing where there are none.
func TestUnserved(t *testing.T) {
	renamed := programtest.Widgets()
	renamed.Resources = []registry.Resource{registry.Define(registry.Definition[*widget.Widget]{
		GroupKind: widget.GroupKind, Plural: "gadgets", Namespaced: true,
		StorageVersion: widget.GV1, Versions: []schema.GroupVersion{widget.GV1, widget.GV1beta1},
	})}
	const says = `resources="[widgets.shop.example.com (1)]"`
	for _, tc := range []struct {
		name string
		made bool
		then program.Server
		told bool
	}{
		{"called otherwise", true, renamed, true},
		{"called as before", true, programtest.Widgets(), false},
		{"moved to another prefix", true, programtest.Placed("things"), false},
		{"nothing is left", false, renamed, false},
	} {
		t.Run(tc.name, func(t *testing.T) {
			dir := t.TempDir()
			runOnce(t, dir, func(*program.Options) {}, func(i *Instance, client *http.Client) {
				if tc.made {
					post(t, client, i.URL()+widgetsPath, aWidget)
				}
			})
			var out bytes.Buffer
			o := program.NewOptions("widgets")
			o.Serving.SecurePort, o.Store.DataDir, o.Log = 0, dir, slog.New(slog.NewTextHandler(&out, nil))
			i, err := Open(t.Context(), tc.then, o)
			if err != nil {
				t.Fatal(err)
			}
			if err := i.opened.close(); err != nil {
				t.Error(err)
			}
			if strings.Contains(out.String(), says) != tc.told {
				t.Errorf("told: %v, want %v:\n%s", !tc.told, tc.told, &out)
			}
		})
	}
}
