package gadget

import (
	"encoding/json"
	"fmt"
	"math/rand/v2"
	"testing"

	"github.com/google/go-cmp/cmp"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	v1 "github.com/typeplane/typeplane/internal/gadget/v1"
	"github.com/typeplane/typeplane/internal/ownership"
	"github.com/typeplane/typeplane/registry/ownershiptest"
	"github.com/typeplane/typeplane/runtime"
)

// Who owns what of a document is what apimachinery finds for unstructured objects, whatever is
// written.
func TestOwnersOfDocuments(t *testing.T) {
	b := runtime.NewBuilder()
	API().AddToScheme(b)
	scheme, err := b.Build()
	if err != nil {
		t.Fatal(err)
	}
	kind, err := scheme.KindOf(new(v1.Gadget))
	if err != nil {
		t.Fatal(err)
	}
	tracker, err := ownership.NewTracker(ownership.New(API().OpenAPI), scheme, kind, "", ownership.Path{"status"})
	if err != nil {
		t.Fatal(err)
	}
	tracker = tracker.OfDocuments()
	oracle, err := ownershiptest.NewOracle(API().OpenAPI, scheme, kind, true, "", ownership.Path{"status"})
	if err != nil {
		t.Fatal(err)
	}
	compared := 0
	for seed := range uint64(40) {
		random := rand.New(rand.NewPCG(seed, 2))
		live := written(t, random, nil)
		live.Content = map[string]any{}
		for range 12 {
			manager := fmt.Sprint("manager-", random.IntN(3))
			next := written(t, random, runtime.Meta(live).ManagedFields)
			want, wantErr := oracle.Update(live, next, manager)
			got, err := tracker.Update(live, next, manager)
			if wantErr != nil {
				continue // chance makes what the schema forbids
			}
			if err != nil {
				t.Fatal(err)
			}
			compared++
			if diff := cmp.Diff(shown(want), shown(got)); diff != "" {
				t.Fatalf("%d: %s of\n%v\nafter\n%v (-want +got)\n%s", seed, manager, next.Content, live.Content, diff)
			}
			runtime.Meta(next).ManagedFields, runtime.Meta(next).UID = got, "u"
			live = next
		}
	}
	if compared < 200 {
		t.Errorf("only %d writes were compared", compared)
	}
}

// written is a random document.
func written(t *testing.T, random *rand.Rand, owners []metav1.ManagedFieldsEntry) ownership.Document {
	t.Helper()
	var content map[string]any
	if err := json.Unmarshal(randomGadget(random), &content); err != nil {
		t.Fatal(err)
	}
	spec, _ := content["spec"].(map[string]any)
	delete(spec, "unknown")
	g := &v1.Gadget{TypeMeta: metav1.TypeMeta{Kind: "Gadget", APIVersion: "gadgets.example.com/v1"}}
	g.Name, g.Namespace, g.ManagedFields = "a", "b", owners
	if random.IntN(2) == 0 {
		g.Labels = map[string]string{"l": fmt.Sprint(random.IntN(2))}
	}
	for _, name := range []string{"apiVersion", "kind", "metadata", "unknown"} {
		delete(content, name)
	}
	return ownership.Document{Object: g, Content: content}
}

// shown are owners without the times.
func shown(entries []metav1.ManagedFieldsEntry) map[string]string {
	out := map[string]string{}
	for _, e := range entries {
		out[fmt.Sprint(e.Manager, " ", e.Operation)] = string(e.FieldsV1.GetRawBytes())
	}
	return out
}
