package crd_test

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"golang.org/x/tools/txtar"

	"github.com/typeplane/typeplane/generators/internal/crd"
	"github.com/typeplane/typeplane/generators/internal/generators"
	"github.com/typeplane/typeplane/generators/internal/gentest"
)

// TestCheck changes a definition of a case in many places, and wants each told where the field is.
func TestCheck(t *testing.T) {
	archive, err := txtar.ParseFile("testdata/markers.txtar")
	if err != nil {
		t.Fatal(err)
	}
	dir := gentest.Module(t, archive)
	var definition string
	for _, f := range archive.Files {
		if strings.HasPrefix(f.Name, "want/") {
			definition = string(f.Data)
		}
	}
	folder := filepath.Join(dir, "given")
	if err := os.MkdirAll(folder, 0o755); err != nil {
		t.Fatal(err)
	}
	check := func(name, text string) []string {
		t.Helper()
		file := filepath.Join(folder, name)
		if err := os.WriteFile(file, []byte(text), 0o644); err != nil {
			t.Fatal(err)
		}
		defer os.Remove(file)
		result, err := crd.Check(crd.CheckConfig{Dir: dir, Env: gentest.Env(), Patterns: []string{"./..."}, Tags: generators.TagTable(plugins()), Path: folder})
		if err != nil {
			return []string{strings.ReplaceAll(err.Error(), folder+string(filepath.Separator), "")}
		}
		var out []string
		for _, p := range result.Problems {
			p.Cure = ""
			out = append(out, strings.ReplaceAll(p.String(), folder+string(filepath.Separator), ""))
		}
		return out
	}
	if found := check("same.yaml", definition); found != nil {
		t.Errorf("what gen has printed itself differs: %v", found)
	}

	var got strings.Builder
	for _, changes := range [][]string{
		{
			"maxLength: 63", "maxLength: 64",
			"                minLength: 1\n", "",
			"            - zero\n", "",
			"                default: a\n", "                default: b\n",
			"                - One\n", "",
			"x-kubernetes-list-type: set", "x-kubernetes-list-type: atomic",
			"x-kubernetes-preserve-unknown-fields: true", "x-kubernetes-preserve-unknown-fields: false",
			"rule: self.min <= self.max", "rule: self.min < self.max",
			"                x-kubernetes-map-type: atomic\n", "",
			"              nothing:\n", "              something:\n",
			"scope: Cluster", "scope: Namespaced",
			"    - or\n", "",
			"name: v1beta1\n", "name: v1beta2\n",
			"description: How old", "description: The age",
			"served: false", "served: true",
		},
		{"kind: Order\n", "kind: Bill\n"},
		{"apiVersion: apiextensions.k8s.io/v1", "apiVersion: apiextensions.k8s.io/v1beta1"},
		{"kind: CustomResourceDefinition", "kind: Order"},
	} {
		text := definition
		for i := 0; i < len(changes); i += 2 {
			if !strings.Contains(text, changes[i]) {
				t.Fatalf("the definition has no %q", changes[i])
			}
			text = strings.Replace(text, changes[i], changes[i+1], 1)
			fmt.Fprintf(&got, "%q for %q\n", changes[i+1], changes[i])
		}
		for _, line := range check("d.yaml", text) {
			fmt.Fprintf(&got, "\t%s\n", strings.ReplaceAll(line, folder, "given"))
		}
	}
	const golden = "testdata/check.txt"
	if gentest.Update() {
		if err := os.WriteFile(golden, []byte(got.String()), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	want, err := os.ReadFile(golden)
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(string(want), got.String()); diff != "" {
		t.Errorf("run with -update if this is right (-want +got):\n%s", diff)
	}
}
