package servertest

import (
	_ "embed"
	"encoding/json"
	"fmt"
	"net/http"
	"slices"
	"strings"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"sigs.k8s.io/yaml"
)

// applied has an object of each kind of the examples whose objects need more than a name to be
// valid.
//
//go:embed testdata/applied.yaml
var applied string

// ApplyEvery applies an object of each kind that can be patched, in each version: as a create and
// as an update, both as a dry run first. It returns the number of kinds.
func (c Client) ApplyEvery() (kinds int) {
	c.t.Helper()
	objects := map[string]map[string]any{}
	for _, text := range strings.Split(applied, "\n---\n") {
		var object map[string]any
		if err := yaml.Unmarshal([]byte(text), &object); err != nil {
			c.t.Fatal(err)
		}
		if object != nil {
			objects[fmt.Sprint(object["apiVersion"], " ", object["kind"])] = object
		}
	}
	for _, path := range c.versions() {
		var list metav1.APIResourceList
		c.read(path, &list)
		for _, r := range list.APIResources {
			if strings.Contains(r.Name, "/") || !slices.Contains(r.Verbs, "patch") {
				continue
			}
			kinds++
			of := list.GroupVersion + " " + r.Kind
			object := objects[of]
			if object == nil {
				object = map[string]any{"apiVersion": list.GroupVersion, "kind": r.Kind}
			}
			collection := path + "/" + r.Name
			if r.Namespaced {
				collection = path + "/namespaces/default/" + r.Name
			}
			c.apply(of, collection, object)
		}
	}
	return kinds
}

// versions returns the paths of all versions.
func (c Client) versions() []string {
	c.t.Helper()
	var groups metav1.APIGroupList
	c.read("/apis", &groups)
	var paths []string
	if code, _ := c.Do("GET", "/api/v1", ""); code == http.StatusOK {
		paths = append(paths, "/api/v1")
	}
	for _, g := range groups.Groups {
		for _, v := range g.Versions {
			paths = append(paths, "/apis/"+v.GroupVersion)
		}
	}
	return paths
}

func (c Client) read(path string, into any) {
	c.t.Helper()
	if err := json.Unmarshal([]byte(c.Want(http.StatusOK, "", "GET", path, "")), into); err != nil {
		c.t.Fatal(err)
	}
}

// apply creates and updates one object.
func (c Client) apply(of, collection string, object map[string]any) {
	meta, _ := object["metadata"].(map[string]any)
	if meta == nil {
		meta = map[string]any{}
		object["metadata"] = meta
	}
	if meta["name"] == nil {
		meta["name"] = strings.ToLower(strings.NewReplacer("/", ".", " ", ".").Replace(of))
	}
	path := fmt.Sprintf("%s/%s?fieldManager=every", collection, meta["name"])
	for i, step := range []struct {
		code  int
		query string
	}{{http.StatusCreated, "&dryRun=All"}, {http.StatusCreated, ""}, {http.StatusOK, "&dryRun=All"}, {http.StatusOK, ""}} {
		labels := map[string]any{fmt.Sprint("step", i/2): "done"}
		meta["labels"] = labels
		patch, err := json.Marshal(object)
		if err != nil {
			c.t.Fatal(err)
		}
		code, answer, _ := c.Send(http.MethodPatch, path+step.query, "application/apply-patch+yaml", string(patch))
		var got struct{ Metadata metav1.ObjectMeta }
		if code != step.code || json.Unmarshal([]byte(answer), &got) != nil {
			c.t.Errorf("apply of %s %s: %d %s, want %d", of, step.query, code, answer, step.code)
			return
		}
		mine := slices.ContainsFunc(got.Metadata.ManagedFields, func(e metav1.ManagedFieldsEntry) bool {
			return e.Manager == "every" && e.Operation == metav1.ManagedFieldsOperationApply && strings.Contains(e.FieldsV1.GetRawString(), "f:step")
		})
		if !mine || len(got.Metadata.Labels) < 1 {
			c.t.Errorf("apply of %s %s: %s", of, step.query, answer)
		}
	}
}
