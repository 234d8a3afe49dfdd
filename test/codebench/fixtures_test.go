// Package codebench measures generated code beside that of k8s.io/api, on the fixtures of
// k8s.io/api.
//
//	go test -bench . -benchmem
//
// Each benchmark is a kind and a side: "peer" is what k8s.io/api, encoding/json or sigs.k8s.io/json
// does, "ours" is what gen printed into package kinds.
package codebench

import (
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/typeplane/typeplane/runtime/wire"
	"github.com/typeplane/typeplane/test/codebench/kinds"
)

// fixture returns a filled object of a kind as k8s.io/api keeps it for its own tests: "pb" without
// the envelope, "json" as it is.
func fixture(tb testing.TB, kind, form string) []byte {
	tb.Helper()
	out, err := exec.Command("go", "list", "-m", "-f", "{{.Dir}}", "k8s.io/api").Output()
	if err != nil {
		tb.Fatal(err)
	}
	data, err := os.ReadFile(filepath.Join(strings.TrimSpace(string(out)), "testdata", "HEAD", kind+"."+form))
	if err != nil {
		tb.Fatal(err)
	}
	if form == "pb" {
		envelope, err := wire.ParseEnvelope(data)
		if err != nil {
			tb.Fatal(err)
		}
		return envelope.Raw
	}
	return data
}

// TestFixtures keeps the benchmarks honest: what they read is an object with content.
func TestFixtures(t *testing.T) {
	var pod kinds.Pod
	if err := pod.Unmarshal(fixture(t, "core.v1.Pod", "pb")); err != nil || len(pod.Spec.Containers) == 0 {
		t.Errorf("%v: %v", err, pod.Spec)
	}
}
