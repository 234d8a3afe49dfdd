package encryption

import (
	"encoding/json"
	"os"
	"strings"
	"testing"

	"github.com/typeplane/typeplane/internal/kmstest"
)

// Values that k8s.io/apiserver v0.37.2 wrote at /registry/secrets/default/mine can be read.
// test/encryption made them, and shows there that it reads ours, too.
func TestReadsKubernetes(t *testing.T) {
	data, err := os.ReadFile("testdata/kubernetes.json")
	if err != nil {
		t.Fatal(err)
	}
	var vectors map[string]struct {
		Provider, Plain string
		Stored          []byte
	}
	if err := json.Unmarshal(data, &vectors); err != nil {
		t.Fatal(err)
	}
	plug := kmstest.Start(t)
	for name, v := range vectors {
		o := open(t, file("secrets", strings.ReplaceAll(v.Provider, "ENDPOINT", plug.Endpoint())))
		target := Target{Resource: Resource{"", "secrets"}, Root: "/registry"}
		got, stale, err := o.Form(target).Canonical("/secrets/default/mine", v.Stored)
		// A key that is not made of a seed is of former days; a write mends it.
		if err != nil || string(got) != v.Plain || stale != (name == "kms-1.28") {
			t.Errorf("%s: %q, stale %v, %v", name, got, stale, err)
		}
		bound := strings.HasPrefix(name, "aesgcm") || strings.HasPrefix(name, "kms") || name == "several"
		if _, _, err := o.Form(target).Canonical("/secrets/default/other", v.Stored); bound && err == nil {
			t.Errorf("%s: it can be moved", name)
		}
	}
	if len(vectors) < 10 {
		t.Errorf("%d vectors", len(vectors))
	}
}
