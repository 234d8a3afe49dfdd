package tool

import (
	"bytes"
	"encoding/json"
	"runtime"
	"testing"

	"sigs.k8s.io/yaml"

	"github.com/typeplane/typeplane/internal/buildinfo"
)

// TestVersion: nothing of the server's settings is asked for, even if they are wrong.
func TestVersion(t *testing.T) {
	t.Setenv("WIDGETS_SECURE_PRT", "1")
	var fromJSON, fromYAML buildinfo.Info
	if err := json.Unmarshal([]byte(must(t, "version", "-o", "json")), &fromJSON); err != nil {
		t.Fatal(err)
	}
	if err := yaml.Unmarshal([]byte(must(t, "version", "-o=yaml")), &fromYAML); err != nil {
		t.Fatal(err)
	}
	if fromJSON != buildinfo.Read() || fromYAML != fromJSON || fromJSON.Go != runtime.Version() {
		t.Errorf("%+v, %+v, want %+v", fromJSON, fromYAML, buildinfo.Read())
	}
}

func TestPrintBuild(t *testing.T) {
	var out bytes.Buffer
	build := buildinfo.Info{Module: "example.com/shop", Version: "v0.3.1", Revision: "c0ffee", Time: "2026-01-02T03:04:05Z", Dirty: true, Kubernetes: "v1.37.2", Typeplane: "v0.9.0", Go: "go1.26.10", Platform: "linux/amd64"}
	if err := printBuild("shop", build, &out); err != nil {
		t.Fatal(err)
	}
	const want = `shop v0.3.1
  module:      example.com/shop
  revision:    c0ffee
  of:          2026-01-02T03:04:05Z
  tree:        dirty
  kubernetes:  v1.37.2
  typeplane:   v0.9.0
  go:          go1.26.10
  platform:    linux/amd64
`
	if out.String() != want {
		t.Errorf("%s\nwant\n%s", &out, want)
	}
}
