package lift

import (
	"bytes"
	"errors"
	"flag"
	"fmt"
	"io"
	"maps"
	"math/rand/v2"
	"net/http"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	apiextensionsv1 "k8s.io/apiextensions-apiserver/pkg/apis/apiextensions/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/apimachinery/pkg/util/yaml"
)

var list = flag.String("differences", "", "write every difference to this file, those with a reason too")

// ways are how a program comes to the types of a project.
var ways = []struct {
	name   string
	module func(*testing.T, repository, map[schema.GroupVersionKind]*definition) string
}{
	{"copied", copied},
	{"aliased", aliased},
}

// TestLift serves each project, and compares the definitions that gen prints, what is served, and
// what of its examples, with its definitions. Without -short it goes on with examples of which one
// thing is made wrong.
func TestLift(t *testing.T) {
	for _, r := range repositories {
		for _, way := range ways {
			t.Run(r.name+"/"+way.name, func(t *testing.T) {
				if way.name == "aliased" && r.aliases == nil {
					t.Skip("its module needs others that can't be had")
				}
				if testing.Short() && (r.name != "gateway-api" || way.name != "copied") {
					t.Skip("only without -short")
				}
				from := released(t, r.definitions)
				kinds := definitions(t, files(t, from, r.crds))
				dir := way.module(t, r, kinds)
				generate(t, dir)
				printed(t, dir, files(t, from, r.crds))
				l := newLifted(t, start(t, dir), kinds)
				l.served()
				l.examples(from, r)
				if !testing.Short() {
					l.mutated(from, r)
				}
				l.report()
			})
		}
	}
}

// lifted is a server beside its definitions.
type lifted struct {
	*testing.T
	server      *server
	definitions map[schema.GroupVersionKind]*definition
	withStatus  map[schema.GroupVersionKind]bool // of which a status was judged
	found       []finding
	asked       int
}

func newLifted(t *testing.T, s *server, kinds map[schema.GroupVersionKind]*definition) *lifted {
	return &lifted{T: t, server: s, definitions: kinds, withStatus: map[schema.GroupVersionKind]bool{}}
}

// finding is an object that the two judge differently.
type finding struct {
	kind       schema.GroupVersionKind
	verb       string // valid or invalid for examples, create, update, or status
	path, what string // of what was made wrong; for examples the file
	// stored tells that it is of the version that is stored.
	stored     bool
	difference string
}

func (f finding) String() string {
	return fmt.Sprintf("%s %s/%s %s %s: %s", f.verb, f.kind.Version, f.kind.Kind, f.path, f.what, f.difference)
}

// served compares discovery with the definitions.
func (l *lifted) served() {
	l.Helper()
	for gvk, d := range l.definitions {
		var resources metav1.APIResourceList
		if code, _ := l.server.do("GET", "/apis/"+gvk.GroupVersion().String(), nil); code == http.StatusNotFound {
			l.Errorf("%v is not served", gvk)
			continue
		}
		l.server.get("/apis/"+gvk.GroupVersion().String(), &resources)
		got := map[string]string{}
		for _, r := range resources.APIResources {
			got[r.Name] = resourceText(r)
		}
		for _, want := range d.resources() {
			switch text := resourceText(want); {
			case got[want.Name] == "":
				l.Errorf("%s of %v is not served", want.Name, gvk.GroupVersion())
			case got[want.Name] != text:
				l.Errorf("%s of %v:\n\ttheirs: %s\n\tours:   %s", want.Name, gvk.GroupVersion(), text, got[want.Name])
			}
		}
	}
}

func resourceText(r metav1.APIResource) string {
	return fmt.Sprintf("%s %s namespaced=%v short=%v categories=%v", r.Kind, r.SingularName, r.Namespaced, r.ShortNames, r.Categories)
}

// resources are those of a definition as discovery has them.
func (d *definition) resources() []metav1.APIResource {
	names, namespaced := d.crd.Spec.Names, d.namespaced()
	out := []metav1.APIResource{{Name: names.Plural, SingularName: singular(names), Kind: names.Kind, Namespaced: namespaced, ShortNames: names.ShortNames, Categories: names.Categories}}
	if s := d.version.Subresources; s != nil && s.Status != nil {
		out = append(out, metav1.APIResource{Name: names.Plural + "/status", Kind: names.Kind, Namespaced: namespaced})
	}
	if s := d.version.Subresources; s != nil && s.Scale != nil {
		out = append(out, metav1.APIResource{Name: names.Plural + "/scale", Kind: "Scale", Namespaced: namespaced})
	}
	return out
}

func singular(names apiextensionsv1.CustomResourceDefinitionNames) string {
	if names.Singular != "" {
		return names.Singular
	}
	return strings.ToLower(names.Kind)
}

// examples creates the objects of the project's examples.
func (l *lifted) examples(from string, r repository) {
	l.Helper()
	for _, verb := range []string{"valid", "invalid"} {
		patterns := r.valid
		if verb == "invalid" {
			patterns = r.invalid
		}
		n := 0
		for _, file := range files(l.T, from, patterns) {
			for i, doc := range documents(l.T, file) {
				d := l.definitions[kindOf(doc)]
				if d == nil {
					continue // of somebody else
				}
				n++
				d.place(doc)
				name := fmt.Sprintf("%s#%d", strings.TrimPrefix(file, from+"/"), i)
				theirs := d.create(doc)
				if theirs.accepted != (verb == "valid") {
					l.Logf("%s is %s, and the definition says: accepted %v %s", name, verb, theirs.accepted, theirs.message)
				}
				ours := l.server.judge("POST", d.path(doc), doc)
				l.compare(finding{kind: d.gvk, stored: d.version.Storage, verb: verb, path: name}, theirs, ours)
				if ours.accepted { // other examples are called the same
					l.server.do("DELETE", d.path(doc)+"/"+fmt.Sprint(doc["metadata"].(map[string]any)["name"]), nil)
				}
			}
		}
		l.Logf("%d %s examples", n, verb)
	}
}

// mutated makes each thing in the valid examples wrong, in a create and in an update; and what it
// makes of definitions without an example. Then it makes several things at once wrong, at random.
func (l *lifted) mutated(from string, r repository) {
	l.Helper()
	by := rand.New(rand.NewPCG(1, 2))
	without := maps.Clone(l.definitions)
	for _, file := range files(l.T, from, r.valid) {
		for _, doc := range documents(l.T, file) {
			if d := l.definitions[kindOf(doc)]; d != nil {
				d.place(doc)
				if l.mutate(d, doc, mutations(doc, d.schema), by) {
					delete(without, d.gvk)
				}
			}
		}
	}
	kinds := slices.SortedFunc(maps.Keys(without), func(a, b schema.GroupVersionKind) int { return strings.Compare(a.String(), b.String()) })
	for _, gvk := range kinds {
		d := l.definitions[gvk]
		doc := d.made(func(doc map[string]any) []string { return l.wrong(d, doc) })
		if partly := slices.Contains(r.partly, gvk.Version+"/"+gvk.Kind); partly != (doc == nil) {
			l.Errorf("an object of %v that is accepted could be made: %v, want %v", gvk, doc != nil, !partly)
		}
		if doc == nil {
			continue
		}
		l.mutate(d, doc, some(mutations(doc, d.schema), ofMade, by), by)
	}
}

// wrong compares what happens to a new object, and says where something is wrong with it for one of
// the two.
func (l *lifted) wrong(d *definition, doc map[string]any) []string {
	l.Helper()
	theirs, ours := d.create(doc), l.server.judge("POST", d.path(doc)+dryRun, doc)
	l.compare(finding{kind: d.gvk, stored: d.version.Storage, verb: "create", path: "made"}, theirs, ours)
	return append(theirs.wrong, ours.wrong...)
}

const (
	// ofMade is how many mutations there are of an object that was made, ofEach how many random
	// ones of any.
	ofMade, ofEach = 300, 20
	// dryRun keeps nothing.
	dryRun = "?dryRun=All"
)

// mutate compares what happens to an object with mutations. It returns false for one that the two
// do not accept.
func (l *lifted) mutate(d *definition, doc map[string]any, all []mutation, by *rand.Rand) bool {
	l.Helper()
	meta := doc["metadata"].(map[string]any)
	meta["name"] = "mutated"
	path := d.path(doc)
	theirs, ours := d.create(doc), l.server.judge("POST", path, doc)
	if !theirs.accepted || !ours.accepted {
		return false // which is said of the example
	}
	for range ofEach {
		all = append(all, random(doc, d.schema, by))
	}
	path += "/mutated"
	for _, m := range all {
		m.doc["metadata"] = map[string]any{"name": "other", "namespace": meta["namespace"]}
		f := finding{kind: d.gvk, stored: d.version.Storage, verb: "create", path: m.path, what: m.what}
		l.compare(f, d.create(m.doc), l.server.judge("POST", d.path(doc)+dryRun, m.doc))
		m.doc["metadata"] = ours.object["metadata"]
		f.verb = "update"
		l.compare(f, d.update(m.doc, withMetadata(theirs.object, ours.object)), l.server.judge("PUT", path+dryRun, m.doc))
	}
	l.statuses(d, path, theirs.object, ours.object["metadata"].(map[string]any), by)
	l.server.do("DELETE", path, nil)
	return true
}

// withMetadata is an object with the metadata of another one.
func withMetadata(object, other map[string]any) map[string]any {
	object = maps.Clone(object)
	object["metadata"] = other["metadata"]
	return object
}

// compare notes what two verdicts differ in.
func (l *lifted) compare(f finding, theirs, ours verdict) {
	l.asked++
	if f.difference = difference(theirs, ours); f.difference != "" {
		l.found = append(l.found, f)
	}
}

// report fails for each difference without a reason.
func (l *lifted) report() {
	l.Helper()
	var out strings.Builder
	for _, f := range l.found {
		reason := reasonFor(f)
		fmt.Fprintf(&out, "%v\n\treason: %s\n", f, reason)
		if reason == "" {
			l.Error(f)
		}
	}
	l.Logf("%d objects were judged, %d differently, and the status of %d kinds", l.asked, len(l.found), len(l.withStatus))
	if *list != "" {
		if err := os.WriteFile(*list+"."+strings.ReplaceAll(l.Name(), "/", "."), []byte(out.String()), 0o600); err != nil {
			l.Fatal(err)
		}
	}
}

// place gives an object a namespace if it needs one and has none.
func (d *definition) place(doc map[string]any) {
	if meta, ok := doc["metadata"].(map[string]any); ok && meta["namespace"] == nil && d.namespaced() {
		meta["namespace"] = "default"
	}
}

// path is where objects of a definition are created.
func (d *definition) path(doc map[string]any) string {
	path := "/apis/" + d.gvk.GroupVersion().String()
	if meta, ok := doc["metadata"].(map[string]any); ok && d.namespaced() {
		path += fmt.Sprint("/namespaces/", meta["namespace"])
	}
	return path + "/" + d.crd.Spec.Names.Plural
}

func (d *definition) namespaced() bool { return d.crd.Spec.Scope == apiextensionsv1.NamespaceScoped }

func kindOf(doc map[string]any) schema.GroupVersionKind {
	apiVersion, _ := doc["apiVersion"].(string)
	kind, _ := doc["kind"].(string)
	return schema.FromAPIVersionAndKind(apiVersion, kind)
}

// documents are those of a file of YAML.
func documents(t *testing.T, file string) (out []map[string]any) {
	t.Helper()
	data, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	for d := yaml.NewYAMLOrJSONDecoder(bytes.NewReader(data), 4096); ; {
		var doc map[string]any
		switch err := d.Decode(&doc); {
		case errors.Is(err, io.EOF):
			return out
		case err != nil:
			t.Fatalf("%s: %v", filepath.Base(file), err)
		}
		if doc != nil {
			out = append(out, doc)
		}
	}
}
