package wire_test

import (
	"encoding/json"
	"os"
	"testing"

	apidiscoveryv2 "k8s.io/api/apidiscovery/v2"
	authenticationv1 "k8s.io/api/authentication/v1"
	"sigs.k8s.io/randfill"

	"github.com/typeplane/typeplane/internal/console/wire"
	"github.com/typeplane/typeplane/internal/tsc"
)

// wrong are objects that the compiler must refuse.
const wrong = `
import type { Scale, Status } from './wire'

// @ts-expect-error it is a number
export const a: Scale = { metadata: {}, spec: { replicas: '1' } }
// @ts-expect-error there is no such field
export const b: Status = { metadata: {}, because: 'it is so' }
`

// TestTypeScript has the compiler judge random objects, as Go writes them, by what gen prints for
// the page.
func TestTypeScript(t *testing.T) {
	types, err := os.ReadFile("../web/src/api/wire.ts")
	if err != nil {
		t.Fatal(err)
	}
	values := tsc.NewValues("./wire", 1,
		func(list *[]apidiscoveryv2.APIGroupDiscovery, c randfill.Continue) {
			*list = make([]apidiscoveryv2.APIGroupDiscovery, 1)
			c.Fill(&(*list)[0])
		},
		func(v *authenticationv1.ExtraValue, c randfill.Continue) {
			*v = authenticationv1.ExtraValue{c.String(5)}
		},
		func(text *json.RawMessage, c randfill.Continue) {
			*text, _ = json.Marshal(c.String(5))
		},
	)
	for range 10 {
		values.Add(t, "APIGroupDiscoveryList", new(wire.APIGroupDiscoveryList))
		values.Add(t, "DeleteOptions", new(wire.DeleteOptions))
		values.Add(t, "Event", new(wire.Event))
		values.Add(t, "Info", new(wire.Info))
		values.Add(t, "Lease", new(wire.Lease))
		values.Add(t, "ListMeta", new(wire.ListMeta))
		values.Add(t, "ObjectMeta", new(wire.ObjectMeta))
		values.Add(t, "Scale", new(wire.Scale))
		values.Add(t, "SelfSubjectReview", new(wire.SelfSubjectReview))
		values.Add(t, "SelfSubjectRulesReview", new(wire.SelfSubjectRulesReview))
		values.Add(t, "Status", new(wire.Status))
		values.Add(t, "Table", new(wire.Table))
		values.Add(t, "TypeMeta", new(wire.TypeMeta))
		values.Add(t, "WriteSteps", new(wire.WriteSteps))
	}
	files := map[string]string{"wire.ts": string(types), "values.ts": values.String(), "wrong.ts": wrong}
	if said := tsc.Check(t, files); said != "" {
		t.Error(said)
	}
}
