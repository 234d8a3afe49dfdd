package features_test

import (
	"encoding/json"
	"maps"
	"testing"

	"k8s.io/apimachinery/pkg/runtime/schema"

	"github.com/typeplane/typeplane/features"
	"github.com/typeplane/typeplane/registry/ownershiptest"
)

// TestOwners compares who owns what by generated functions with what apimachinery's managedfields
// says.
func TestOwners(t *testing.T) {
	models := map[schema.GroupVersion]map[string]json.RawMessage{}
	for _, a := range features.All() {
		for gv, text := range a.OpenAPI {
			var some map[string]json.RawMessage
			if err := json.Unmarshal([]byte(text), &some); err != nil {
				t.Fatal(err)
			}
			if models[gv] == nil {
				models[gv] = map[string]json.RawMessage{}
			}
			maps.Copy(models[gv], some)
		}
	}
	openAPI := map[schema.GroupVersion]string{}
	for gv, all := range models {
		text, err := json.Marshal(all)
		if err != nil {
			t.Fatal(err)
		}
		openAPI[gv] = string(text)
	}
	if n := ownershiptest.Compare(t, scheme(t), openAPI, 150, 1); n < 1500 && !t.Failed() {
		t.Errorf("only %d of the writes were compared", n)
	}
}
