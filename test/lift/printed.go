package lift

import (
	"encoding/json"
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"reflect"
	"regexp"
	"slices"
	"testing"

	"sigs.k8s.io/yaml"
)

// printedReasons are all why a definition that gen prints may say something else than the
// definition that the project ships. They stand by where that is: the name of the definition, then
// the fields.
var printedReasons = []struct{ reason, at string }{
	{"gateway-api adds rules, words and annotations with a generator of its own, from comments like <gateway:experimental:…>.",
		`[a-z]+\.gateway\.networking\.(x-)?k8s\.io(/.*)?/(x-kubernetes-validations|oneOf|enum|description|annotations)`},
	{"Types of k8s.io/api are those of the release that the server requires, which have other comments and more fields.",
		`.*/(configMapKeyRef/.*/description|nodeInfo/.*/runningInUserNamespace)`},
	{"+kubebuilder:validation:ExactlyOneOf is a rule in the words of controller-gen 0.23; cluster-api's definitions have those of 0.21.",
		`.*/diskSetup/properties/partitions/items/x-kubernetes-validations`},
}

// printed compares the definitions that gen has printed into a module with those of the project.
// What the tool is that printed them does not matter.
func printed(t *testing.T, dir string, shipped []string) {
	t.Helper()
	made, err := filepath.Glob(filepath.Join(dir, "config/crd/bases/*.yaml"))
	if err != nil || len(made) == 0 {
		t.Fatalf("gen has printed no definition: %v", err)
	}
	ours, theirs := definitionTrees(t, made), definitionTrees(t, shipped)
	differences := 0
	for _, name := range slices.Sorted(maps.Keys(theirs)) {
		if ours[name] == nil {
			t.Errorf("%s is not printed", name)
			continue
		}
		differ(name, theirs[name], ours[name], func(at string, a, b any) {
			for _, known := range printedReasons {
				if regexp.MustCompile("^(" + known.at + ")$").MatchString(at) {
					differences++
					return
				}
			}
			t.Errorf("%s:\n\ttheirs: %s\n\tours:   %s", at, asJSON(a), asJSON(b))
		})
	}
	t.Logf("%d definitions were compared; they differ in %d places, with a reason", len(theirs), differences)
}

// definitionTrees are the definitions in some files by their names.
func definitionTrees(t *testing.T, files []string) map[string]any {
	t.Helper()
	out := map[string]any{}
	for _, file := range files {
		data, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		var doc map[string]any
		if err := yaml.Unmarshal(data, &doc); err != nil {
			t.Fatalf("%s: %v", file, err)
		}
		metadata, _ := doc["metadata"].(map[string]any)
		if doc["kind"] != "CustomResourceDefinition" || metadata == nil {
			continue
		}
		annotations, _ := metadata["annotations"].(map[string]any)
		if delete(annotations, "controller-gen.kubebuilder.io/version"); len(annotations) == 0 {
			delete(metadata, "annotations")
		}
		delete(doc, "status")
		out[fmt.Sprint(metadata["name"])] = doc
	}
	return out
}

// differ tells where two documents differ. Versions are told by their names.
func differ(at string, a, b any, tell func(at string, a, b any)) {
	a, b = byName(a), byName(b)
	mine, isMap := a.(map[string]any)
	other, alsoMap := b.(map[string]any)
	if !isMap || !alsoMap {
		if !reflect.DeepEqual(a, b) {
			tell(at, a, b)
		}
		return
	}
	all := maps.Clone(mine)
	maps.Copy(all, other)
	for _, key := range slices.Sorted(maps.Keys(all)) {
		differ(at+"/"+key, mine[key], other[key], tell)
	}
}

// byName makes a map of a list of versions.
func byName(v any) any {
	list, _ := v.([]any)
	out := map[string]any{}
	for _, item := range list {
		version, _ := item.(map[string]any)
		if version["schema"] == nil {
			return v
		}
		out[fmt.Sprint(version["name"])] = version
	}
	if len(out) == 0 {
		return v
	}
	return out
}

func asJSON(v any) string {
	text, err := json.Marshal(v)
	if err != nil {
		return err.Error()
	}
	return string(text)
}
