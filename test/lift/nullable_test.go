package lift

import (
	"encoding/json"
	"math/rand/v2"
	"os"
	"path/filepath"
	"testing"
)

// maybes are objects of which each member is made null, and each null something else.
var maybes = []string{
	`{"spec":{"text":"text","plain":"p","fixed":"f","needed":"needed","neededPlain":"a","neededPart":{"name":"n","note":"n"},"neededStruct":{"name":"n"},"neededList":["a"],
		"neededMap":{"a":{"name":"n","note":null}},"part":{"name":"n"},"list":[{"name":"n","note":null,"zone":null}],"lists":[["a"]],"map":{"a":"b"},"defaulted":"d","defaultedPlain":"d",
		"defaultedPart":{"name":"d"},"notNull":"n","number":1,"numberPointer":1,"flag":true,"delay":"5m","at":"2026-01-01T00:00:00Z","atPlain":"2026-01-01T00:00:00Z","port":"http",
		"memory":"1000","limits":{"a":"1k"},"raw":{"a":null},"object":{"a":null},"objects":[{"a":null}]}}`,
	`{"spec":{"text":"text","plain":null,"fixed":null,"needed":null,"neededPlain":"b","neededPart":null,"neededStruct":null,"neededList":null,"neededMap":null,"part":null,"list":null,
		"lists":null,"map":null,"defaulted":null,"defaultedPlain":null,"defaultedPart":null,"notNull":null,"number":null,"numberPointer":null,"flag":null,"delay":null,"at":null,
		"atPlain":null,"port":null,"memory":null,"limits":null,"raw":null,"object":null,"objects":null}}`,
	`{"spec":{"plain":"p","needed":null,"neededPlain":"a","neededPart":null,"neededStruct":{"name":"n"},"neededList":["a"],"neededMap":null}}`,
}

// TestNullable: what may be null is kept, counts as there where it is required, and is not judged
// further.
func TestNullable(t *testing.T) {
	if testing.Short() {
		t.Skip("only without -short")
	}
	dir := t.TempDir()
	if err := os.CopyFS(dir, os.DirFS("testdata/nullable")); err != nil {
		t.Fatal(err)
	}
	newModule(t, dir, "nullable.example", nil)
	generate(t, dir)
	kinds := definitions(t, []string{filepath.Join(dir, "config/crd/bases/net.example.com_maybes.yaml")})
	l := newLifted(t, start(t, dir), kinds)
	by := rand.New(rand.NewPCG(1, 2))
	for _, d := range kinds {
		for _, text := range maybes {
			doc := map[string]any{"apiVersion": d.gvk.GroupVersion().String(), "kind": d.gvk.Kind, "metadata": map[string]any{"name": "m", "namespace": "default"}}
			if err := json.Unmarshal([]byte(text), &doc); err != nil {
				t.Fatal(err)
			}
			if !l.mutate(d, doc, mutations(doc, d.schema), by) {
				t.Errorf("it is refused: %s", text)
				l.wrong(d, doc)
			}
		}
	}
	l.report()
}
