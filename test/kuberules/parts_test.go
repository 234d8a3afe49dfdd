package kuberules

import (
	"maps"
	"testing"

	"sigs.k8s.io/yaml"

	"github.com/typeplane/typeplane/test/kuberules/documents"
)

// TestParts writes parts of pods in ways to which no change of a single field comes, and compares
// the answers and the refusals.
func TestParts(t *testing.T) {
	var all struct {
		Pod   map[string]any
		Cases []struct {
			Name, Part   string
			Stored, Sent map[string]any
		}
	}
	if err := yaml.UnmarshalStrict(readAll(t, "testdata/parts/v1_pods.yaml"), &all); err != nil {
		t.Fatal(err)
	}
	s := start(t, kubernetesProgram)
	s.must("POST", "/api/v1/namespaces", map[string]any{"apiVersion": "v1", "kind": "Namespace", "metadata": map[string]any{"name": inNamespace}})
	c := writes{server: s, kind: kinds[0], user: s.whoAmI(), Comparison: documents.Comparison{Kind: "Pod"}}
	for _, tc := range all.Cases {
		before := c.Compared + c.refusals
		stored := c.store(merged(all.Pod, tc.Stored))
		sent := merged(stored, tc.Sent)
		c.update(mutation{"spec", tc.Name, func() map[string]any { return sent }}, stored, parts["Pod"][tc.Part], c.path("p", tc.Part), tc.Part)
		if c.Compared+c.refusals == before {
			t.Errorf("%s %s: nothing was compared", tc.Part, tc.Name)
		}
		s.must("DELETE", c.path("p"), map[string]any{"apiVersion": "v1", "kind": "DeleteOptions", "gracePeriodSeconds": 0})
	}
	c.Report(t, documents.Known(strategyDifferences))
	t.Logf("%d answers were compared, and %d refusals", c.Compared, c.refusals)
}

// store stores a pod with all its parts, each by the path for it.
func (c *writes) store(pod map[string]any) map[string]any {
	c.t.Helper()
	stored := c.must("POST", c.path(""), merged(pod, map[string]any{"spec": map[string]any{"ephemeralContainers": nil}, "status": nil}))
	if spec := pod["spec"].(map[string]any); spec["ephemeralContainers"] != nil {
		stored = c.must("PUT", c.path("p", "ephemeralcontainers"), merged(stored, map[string]any{"spec": map[string]any{"ephemeralContainers": spec["ephemeralContainers"]}}))
	}
	if status, ok := pod["status"].(map[string]any); ok {
		stored = c.must("PUT", c.path("p", "status"), merged(stored, map[string]any{"status": status}))
	}
	return stored
}

// merged is a document changed by a merge patch (RFC 7386).
func merged(doc, patch map[string]any) map[string]any {
	out := maps.Clone(doc)
	if out == nil {
		out = map[string]any{}
	}
	for key, value := range patch {
		switch value := value.(type) {
		case nil:
			delete(out, key)
		case map[string]any:
			below, _ := out[key].(map[string]any)
			out[key] = merged(below, value)
		default:
			out[key] = value
		}
	}
	return out
}
