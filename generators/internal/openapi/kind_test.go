package openapi_test

import (
	"encoding/json"
	"go/ast"
	"go/parser"
	"go/token"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"

	"golang.org/x/tools/txtar"

	"github.com/typeplane/typeplane/generators/internal/apiserver"
	"github.com/typeplane/typeplane/generators/internal/generators"
	"github.com/typeplane/typeplane/generators/internal/gentest"
	"github.com/typeplane/typeplane/generators/internal/openapi"
)

const kindModule = `
-- v1/doc.go --
// +k8s:openapi-gen=true
// +groupName=shop.example.com
package v1
-- v1/types.go --
package v1

import metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

// Order is a kind.
type Order struct {
	metav1.TypeMeta   ` + "`json:\",inline\"`" + `
	metav1.ObjectMeta ` + "`json:\"metadata,omitempty\"`" + `
	Conditions []metav1.Condition ` + "`json:\"conditions,omitempty\"`" + `
}

// OrderList is its list.
type OrderList struct {
	metav1.TypeMeta ` + "`json:\",inline\"`" + `
	metav1.ListMeta ` + "`json:\"metadata,omitempty\"`" + `
	Items []Order ` + "`json:\"items\"`" + `
}
`

// A kind's file holds all of meta/v1 that it needs, with Kubernetes' names and words, and every
// reference resolves.
func TestKindIsSelfContained(t *testing.T) {
	dir := gentest.Module(t, txtar.Parse([]byte(kindModule)))
	result, err := generators.Run(generators.Config{
		Dir: dir, Env: gentest.Env(), Patterns: []string{"./..."}, Plugins: []generators.Plugin{openapi.Plugin()},
	})
	if err != nil || len(result.Problems) > 0 {
		t.Fatal(err, result.Problems)
	}
	models := constant(t, filepath.Join(dir, "v1", "zz_generated.openapi.go"))

	for name, want := range map[string]string{
		"com.example.shop.v1.Order":                               `"x-kubernetes-group-version-kind":[{"group":"shop.example.com","kind":"Order","version":"v1"}]`,
		"com.example.shop.v1.OrderList":                           `"kind":"OrderList"`,
		"io.k8s.apimachinery.pkg.apis.meta.v1.ListMeta":           `"continue":{"description":"continue may be set`,
		"io.k8s.apimachinery.pkg.apis.meta.v1.ObjectMeta":         `"uid":{"description":"UID is the unique in time and space value`,
		"io.k8s.apimachinery.pkg.apis.meta.v1.OwnerReference":     `"x-kubernetes-map-type":"atomic"`,
		"io.k8s.apimachinery.pkg.apis.meta.v1.Time":               `"format":"date-time"`,
		"io.k8s.apimachinery.pkg.apis.meta.v1.FieldsV1":           `"type":"object"`,
		"io.k8s.apimachinery.pkg.apis.meta.v1.Condition":          `"required":["lastTransitionTime","message","reason","status","type"]`,
		"io.k8s.apimachinery.pkg.apis.meta.v1.ManagedFieldsEntry": `"#/components/schemas/io.k8s.apimachinery.pkg.apis.meta.v1.FieldsV1"`,
		"io.k8s.apimachinery.pkg.apis.meta.v1.ShardInfo":          `"type":"object"`,
	} {
		if got := string(models[name]); !strings.Contains(got, want) {
			t.Errorf("%s has no %s:\n%s", name, want, got)
		}
	}
	if len(models) != 10 {
		t.Errorf("want the 10 models above, got %v", slices.Sorted(maps.Keys(models)))
	}
	for name, text := range models {
		for _, ref := range references(t, text) {
			if _, ok := models[strings.TrimPrefix(ref, "#/components/schemas/")]; !ok {
				t.Errorf("%s refers to %s, which is not there", name, ref)
			}
		}
	}
}

const aliasModule = `
-- v1/doc.go --
// +k8s:openapi-gen=true
// +groupName=
package v1
-- v1/types.go --
package v1

import corev1 "k8s.io/api/core/v1"

// Pod says how it is served; its description is that of the type.
//
// +kubebuilder:resource:shortName=po
// +kubebuilder:subresource:scale:specpath=.spec.priority,statuspath=.status.observedGeneration
type Pod = corev1.Pod

// PodList is its list.
type PodList = corev1.PodList

// Node is a name and nothing else.
type Node = corev1.Node
`

// A kind of another module is published under its name and with its words, as a kind of this
// package's group.
func TestAlias(t *testing.T) {
	dir := gentest.Module(t, txtar.Parse([]byte(aliasModule)))
	result, err := generators.Run(generators.Config{
		Dir: dir, Env: gentest.Env(), Patterns: []string{"./..."}, Plugins: []generators.Plugin{openapi.Plugin()},
		Known: []generators.Plugin{apiserver.Plugin()},
	})
	if err != nil || len(result.Problems) > 0 {
		t.Fatal(err, result.Problems)
	}
	models := constant(t, filepath.Join(dir, "v1", "zz_generated.openapi.go"))
	for name, want := range map[string]string{
		"Pod":                        `"description":"Pod is a collection of containers that can run on a host. `,
		"PodList":                    `"x-kubernetes-group-version-kind":[{"group":"","kind":"PodList","version":"v1"}]`,
		"PodSpec":                    `"x-kubernetes-list-map-keys":["name"],"x-kubernetes-list-type":"map","x-kubernetes-patch-merge-key":"name","x-kubernetes-patch-strategy":"merge"`,
		"ContainerPort":              `"default":"TCP"`,
		"VolumeResourceRequirements": `"#/components/schemas/io.k8s.apimachinery.pkg.api.resource.Quantity"`,
	} {
		if got := string(models["io.k8s.api.core.v1."+name]); !strings.Contains(got, want) {
			t.Errorf("%s has no %s:\n%s", name, want, got)
		}
	}
	const scaleModel, scale = "io.k8s.api.autoscaling.v1.Scale", `"x-kubernetes-group-version-kind":[{"group":"autoscaling","kind":"Scale","version":"v1"}]`
	if got := string(models[scaleModel]); !strings.Contains(got, scale) {
		t.Errorf("%s has no %s:\n%s", scaleModel, scale, got)
	}
	if models["io.k8s.api.core.v1.Node"] != nil {
		t.Error("an alias without markers is published")
	}
	for name, text := range models {
		for _, ref := range references(t, text) {
			if _, ok := models[strings.TrimPrefix(ref, "#/components/schemas/")]; !ok {
				t.Errorf("%s refers to %s, which is not there", name, ref)
			}
		}
		if strings.Contains(string(text), `"x-kubernetes-group-version-kind"`) && name != scaleModel && name != "io.k8s.api.core.v1.Pod" && name != "io.k8s.api.core.v1.PodList" {
			t.Errorf("%s says that it is a kind", name)
		}
	}
}

const sharedModule = `
-- a/v1/doc.go --
// +k8s:openapi-gen=true
// +groupName=a.example.com
package v1
-- a/v1/types.go --
package v1

import (
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
)

// Holder has a claim.
type Holder struct {
	metav1.TypeMeta ` + "`json:\",inline\"`" + `
	Claim corev1.PersistentVolumeClaim ` + "`json:\"claim\"`" + `
}
-- m/v1/doc.go --
// +k8s:openapi-gen=true
// +groupName=m.example.com
package v1
-- m/v1/types.go --
package v1

import corev1 "k8s.io/api/core/v1"

// PersistentVolumeClaim is served here.
//
// +kubebuilder:resource:shortName=pvc
type PersistentVolumeClaim = corev1.PersistentVolumeClaim
-- z/v1/doc.go --
// +k8s:openapi-gen=true
// +groupName=z.example.com
package v1
-- z/v1/types.go --
package v1

import corev1 "k8s.io/api/core/v1"

// PersistentVolumeClaim is served here, too.
//
// +kubebuilder:resource:shortName=pvc
type PersistentVolumeClaim = corev1.PersistentVolumeClaim
`

// A type that is a kind in two groups and a field in a third has one schema in all documents. A run
// over one of the packages prints the same.
func TestKindInSeveralDocuments(t *testing.T) {
	dir := gentest.Module(t, txtar.Parse([]byte(sharedModule)))
	var schemas []string
	for _, group := range []string{"a", "m", "z"} {
		result, err := generators.Run(generators.Config{
			Dir: dir, Env: gentest.Env(), Patterns: []string{"./" + group + "/v1"}, Plugins: []generators.Plugin{openapi.Plugin()},
			Known: []generators.Plugin{apiserver.Plugin()},
		})
		if err != nil || len(result.Problems) > 0 {
			t.Fatal(err, result.Problems)
		}
		models := constant(t, filepath.Join(dir, group, "v1", "zz_generated.openapi.go"))
		schemas = append(schemas, string(models["io.k8s.api.core.v1.PersistentVolumeClaim"]))
	}
	const kinds = `"x-kubernetes-group-version-kind":[` +
		`{"group":"m.example.com","kind":"PersistentVolumeClaim","version":"v1"},{"group":"z.example.com","kind":"PersistentVolumeClaim","version":"v1"}]`
	if !strings.Contains(schemas[0], kinds) {
		t.Errorf("the schema has no %s:\n%s", kinds, schemas[0])
	}
	if schemas[1] != schemas[0] || schemas[2] != schemas[0] {
		t.Errorf("documents differ about one model:\n%s", strings.Join(schemas, "\n"))
	}
}

// One server has one schema of metadata: that of a kube-apiserver, whether a kind is its own or one
// of Kubernetes.
func TestMetadataIsTheSame(t *testing.T) {
	const server = "\n-- main.go --\n// +typeplane:apiserver\npackage main\n\nfunc main() {}\n"
	models := func(text string) map[string]json.RawMessage {
		dir := gentest.Module(t, txtar.Parse([]byte(strings.ReplaceAll(text, "// +k8s:openapi-gen=true\n", "")+server)))
		result, err := generators.Run(generators.Config{
			Dir: dir, Env: gentest.Env(), Patterns: []string{"./v1"}, Plugins: []generators.Plugin{openapi.Plugin()},
			Known: []generators.Plugin{apiserver.Plugin()},
		})
		if err != nil || len(result.Problems) > 0 {
			t.Fatal(err, result.Problems)
		}
		return constant(t, filepath.Join(dir, "v1", "zz_generated.openapi.go"))
	}
	own, alias := models(kindModule), models(aliasModule)
	wait, seen := []string{metaModels + "ObjectMeta", metaModels + "ListMeta"}, map[string]bool{}
	for ; len(wait) > 0; wait = wait[1:] {
		name := wait[0]
		if seen[name] {
			continue
		}
		seen[name] = true
		if string(own[name]) != string(alias[name]) || len(own[name]) == 0 {
			t.Errorf("%s of own kinds and of aliases:\n%s\n%s", name, own[name], alias[name])
		}
		for _, ref := range references(t, own[name]) {
			wait = append(wait, strings.TrimPrefix(ref, "#/components/schemas/"))
		}
	}
	for _, name := range []string{"OwnerReference", "ManagedFieldsEntry", "ShardInfo"} {
		if !seen[metaModels+name] {
			t.Errorf("metadata has no %s: %v", name, seen)
		}
	}
	if got := string(own[metaModels+"OwnerReference"]); !strings.Contains(got, `"uid":{"default":"",`) {
		t.Errorf("an owner's uid has no default, as a kube-apiserver publishes: %s", got)
	}
}

const metaModels = "io.k8s.apimachinery.pkg.apis.meta.v1."

// constant evaluates OpenAPISchemas in a generated file, compactly.
func constant(t *testing.T, file string) map[string]json.RawMessage {
	t.Helper()
	f, err := parser.ParseFile(token.NewFileSet(), file, nil, 0)
	if err != nil {
		data, _ := os.ReadFile(file)
		t.Fatalf("%v\n%s", err, data)
	}
	spec := f.Scope.Lookup("OpenAPISchemas").Decl.(*ast.ValueSpec)
	text, err := strconv.Unquote(spec.Values[0].(*ast.BasicLit).Value)
	if err != nil {
		t.Fatal(err)
	}
	var indented map[string]any
	if err := json.Unmarshal([]byte(text), &indented); err != nil {
		t.Fatal(err)
	}
	out := map[string]json.RawMessage{}
	for name, model := range indented {
		if out[name], err = json.Marshal(model); err != nil {
			t.Fatal(err)
		}
	}
	return out
}

// references finds every $ref in a schema.
func references(t *testing.T, schema json.RawMessage) []string {
	t.Helper()
	var out []string
	var walk func(any)
	walk = func(v any) {
		switch v := v.(type) {
		case map[string]any:
			if ref, ok := v["$ref"].(string); ok {
				out = append(out, ref)
			}
			for _, inner := range v {
				walk(inner)
			}
		case []any:
			for _, inner := range v {
				walk(inner)
			}
		}
	}
	var v any
	if err := json.Unmarshal(schema, &v); err != nil {
		t.Fatal(err)
	}
	walk(v)
	return out
}
