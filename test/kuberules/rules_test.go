package kuberules

import (
	"flag"
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"reflect"
	"slices"
	"strings"
	"testing"

	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/client-go/kubernetes/scheme"
	"sigs.k8s.io/yaml"
)

var (
	list = flag.String("differences", "", "write every difference to this file, those with a reason too")
	only = flag.String("only", "", "compare the kinds with this resource only")
)

// TestRules makes each field of each kind wrong in turn, and the annotations. It compares what a
// kube-apiserver and our server say.
func TestRules(t *testing.T) {
	cluster, judged := compareRules(t, clusterProgram, kinds)
	policies, more := compareRules(t, kubernetesProgram, policyKinds)
	all := slices.Concat(cluster, policies)
	t.Logf("%d objects were judged, %d differently", judged+more, len(all))
	report(t, all)
}

func compareRules(t *testing.T, p program, kinds []kind) (all []difference, asked int) {
	s := start(t, p)
	s.must("POST", "/api/v1/namespaces", map[string]any{"apiVersion": "v1", "kind": "Namespace", "metadata": map[string]any{"name": inNamespace}})
	for _, k := range kinds {
		if *only != "" && *only != k.resource {
			continue
		}
		files, err := filepath.Glob(filepath.Join("testdata", strings.TrimPrefix(k.Group+"_", "_")+k.Version+"_"+k.resource+"*.yaml"))
		if err != nil || len(files) == 0 {
			t.Errorf("%s of %s has no object in testdata", k.Kind, k.GroupVersion())
		}
		for _, file := range files {
			found, n := compare(s, k, read(t, file))
			all, asked = append(all, found...), asked+n
		}
	}
	return all, asked
}

// difference is an object of which the two say different things.
type difference struct {
	kind schema.GroupVersionKind
	verb string // create, update or status
	mutation
	theirs, ours verdict
}

func (d difference) String() string {
	return fmt.Sprintf("%s %s %s %s\n\tkube-apiserver: %v\n\tours:           %v", d.verb, d.kind.Kind, d.path, d.what, d.theirs, d.ours)
}

// compare makes every field of an object wrong, in a create, an update and a write of the status.
func compare(s *server, k kind, doc map[string]any) (found []difference, asked int) {
	s.t.Helper()
	typ := reflect.TypeOf(must(scheme.Scheme.New(k.GroupVersionKind)))
	if v := kubernetes(k, doc, nil, false); !v.accepted {
		s.t.Errorf("a kube-apiserver refuses the %s to begin with: %s", k.Kind, v.message)
		return nil, 0
	}
	stored := s.must("POST", k.path(""), doc)
	name := stored["metadata"].(map[string]any)["name"].(string)
	if status, ok := doc["status"]; ok && k.status != nil {
		stored["status"] = status
		stored = s.must("PUT", k.path(name, "status"), stored)
	}
	ask := func(verb string, m mutation, old map[string]any, path string) {
		asked++
		method, changed := "PUT", m.make()
		if old == nil {
			method = "POST"
			changed["metadata"] = maps.Clone(changed["metadata"].(map[string]any))
			changed["metadata"].(map[string]any)["name"] = "other"
		}
		theirs, ours := kubernetes(k, changed, old, verb == "status"), s.judge(method, path, changed)
		if !theirs.named(k.Kind).same(ours.named(k.Kind)) {
			found = append(found, difference{k.GroupVersionKind, verb, m, theirs, ours})
		}
		// A kube-apiserver may say it as often, and name another field once.
		if cause := ours.repeated(theirs); cause != "" && ours.named(k.Kind).repeated(theirs.named(k.Kind)) != "" {
			s.t.Errorf("%s %s %s %s: several of our rules say %s: %s", verb, k.Kind, m.path, m.what, cause, ours.message)
		}
	}
	for _, field := range append(topFields(typ), "metadata") {
		created, updated := wrongBelow(doc, typ, field), wrongBelow(stored, typ, field)
		if k.status != nil && (field == "status" || field == "metadata") {
			for _, m := range updated {
				ask("status", m, stored, k.path(name, "status"))
			}
		}
		if k.status != nil && field == "status" {
			continue
		}
		for _, m := range created {
			ask("create", m, nil, k.path(""))
		}
		for _, m := range updated {
			ask("update", m, stored, k.path(name))
		}
	}
	s.must("DELETE", k.path(name), map[string]any{"apiVersion": "v1", "kind": "DeleteOptions", "gracePeriodSeconds": 0})
	return found, asked
}

// wrongBelow are the changes of a document below a top-level field. Of metadata the annotations are
// changed: some kinds have rules for them.
func wrongBelow(doc map[string]any, typ reflect.Type, field string) []mutation {
	return slices.DeleteFunc(mutations(doc, typ, field), func(m mutation) bool {
		return field == "metadata" && !strings.HasPrefix(m.path, "metadata.annotations")
	})
}

// topFields are the fields of an object besides those that all have.
func topFields(t reflect.Type) []string {
	var out []string
	for name := range fieldsOf(t) {
		if name != "apiVersion" && name != "kind" && name != "metadata" {
			out = append(out, name)
		}
	}
	slices.Sort(out)
	return out
}

// report fails for each difference without a reason, and for each reason without a difference.
func report(t *testing.T, all []difference) {
	t.Helper()
	var out strings.Builder
	used := map[string]int{}
	for _, d := range all {
		reason := reasonFor(d)
		fmt.Fprintf(&out, "%v\n\treason: %s\n", d, reason)
		if used[reason]++; reason == "" {
			t.Error(d)
		}
	}
	if *list != "" {
		if err := os.WriteFile(*list, []byte(out.String()), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	for _, d := range differences {
		t.Logf("%4d: %s", used[d.reason], d.reason)
		if used[d.reason] == 0 && *only == "" {
			t.Errorf("no difference has this reason any more: %s", d.reason)
		}
	}
}

func read(t testing.TB, file string) map[string]any {
	t.Helper()
	data, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	doc := map[string]any{}
	if err := yaml.Unmarshal(data, &doc); err != nil {
		t.Fatalf("%s: %v", file, err)
	}
	return doc
}

func must[T any](v T, err error) T {
	if err != nil {
		panic(err)
	}
	return v
}
