package registrytest

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"maps"
	"math/rand"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"k8s.io/apimachinery/pkg/api/resource"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	apiruntime "k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/apimachinery/pkg/util/intstr"
	"sigs.k8s.io/randfill"

	"github.com/typeplane/typeplane/registry"
	"github.com/typeplane/typeplane/registry/rest"
	"github.com/typeplane/typeplane/runtime"
	"github.com/typeplane/typeplane/runtime/serializer"
	"github.com/typeplane/typeplane/storage/memory"
)

// StoredConfig says what RunStored reads.
type StoredConfig struct {
	Scheme    *runtime.Scheme
	Resources []registry.Resource
	// Dir holds the sets: a folder for each release, with what its servers stored.
	Dir string
	// Repeats are names of members that say again what others do: what was stored there need not
	// come back.
	Repeats []string
	// Add is the name of a set to be written, "" for none. It is an error if there is one of that
	// name: what a release has stored does not change any more.
	Add string
}

// RunStored reads what releases of a server have stored, one subtest for each file of each set. A
// set has one object of each kind in each version that it can be stored in, with all its fields
// set, as protobuf and as JSON. It must be readable in every version that is served. Read in the
// version that it was stored in, it must miss nothing that the JSON says, and say nothing else.
// There may be more: defaults of fields that came later. Each kind that can be stored today must be
// in a set, so a release with a new one brings its set along.
func RunStored(t *testing.T, c StoredConfig) {
	t.Helper()
	if c.Add != "" {
		c.write(t)
	}
	sets, err := os.ReadDir(c.Dir)
	if err != nil {
		t.Fatal(err)
	}
	kept := map[string]bool{} // names of files, without what comes after the version
	for _, set := range sets {
		found, err := filepath.Glob(filepath.Join(c.Dir, set.Name(), "*"))
		if err != nil {
			t.Fatal(err)
		}
		for _, file := range found {
			ext := filepath.Ext(file)
			if ext != ".json" && ext != ".pb" {
				t.Errorf("%s is no stored object", file)
				continue
			}
			kept[strings.TrimSuffix(filepath.Base(file), ext)] = true
			t.Run(set.Name()+"/"+filepath.Base(file), func(t *testing.T) { c.read(t, file) })
		}
	}
	c.each(func(r registry.Resource, kind *runtime.Kind, _ registry.Options) {
		if name := fileName(r, kind); !kept[name] {
			t.Errorf("%s is in no set of %s, so nobody will notice when it can't be read any more: write a set for the coming release", name, c.Dir)
		}
	})
}

// each calls f for each kind that a resource can be stored as, with the options that make it so.
func (c StoredConfig) each(f func(registry.Resource, *runtime.Kind, registry.Options)) {
	for _, r := range c.Resources {
		for _, kind := range c.Scheme.KindsOfHub(r.GroupKind()) {
			if kind.Protobuf() {
				f(r, kind, registry.Options{StorageVersion: kind.GroupVersionKind().GroupVersion()})
			}
		}
	}
}

// fileName says what is in a file: plural.group of the version that it is stored in, _ and the
// version.
func fileName(r registry.Resource, kind *runtime.Kind) string {
	gvk := kind.GroupVersionKind()
	return strings.TrimSuffix(r.GroupResource().Resource+"."+gvk.Group, ".") + "_" + gvk.Version
}

// write makes a new set.
func (c StoredConfig) write(t *testing.T) {
	t.Helper()
	dir := filepath.Join(c.Dir, c.Add)
	if err := os.MkdirAll(c.Dir, 0o755); err != nil {
		t.Fatal(err)
	}
	if err := os.Mkdir(dir, 0o755); err != nil {
		t.Fatalf("%v: sets are not written again; choose the name of a new release", err)
	}
	c.each(func(r registry.Resource, kind *runtime.Kind, opts registry.Options) {
		given := fullObject(t, kind)
		for mediaType, ext := range map[rest.MediaType]string{rest.Protobuf: ".pb", rest.JSON: ".json"} {
			opts.StorageMediaType = mediaType
			form, err := r.Form(c.Scheme, opts)
			if err != nil {
				t.Fatal(err)
			}
			canonical, _, err := form.Canonical("/", given)
			if err != nil {
				t.Fatal(err)
			}
			stored, err := form.Stored("/", canonical)
			if err != nil {
				t.Fatal(err)
			}
			if err := os.WriteFile(filepath.Join(dir, fileName(r, kind)+ext), stored, 0o644); err != nil {
				t.Fatal(err)
			}
		}
	})
}

// read puts a file into a database and gets it back from a server of today.
func (c StoredConfig) read(t *testing.T, file string) {
	base := strings.TrimSuffix(filepath.Base(file), filepath.Ext(file))
	stored, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	wantJSON, err := os.ReadFile(filepath.Join(filepath.Dir(file), base+".json"))
	if err != nil {
		t.Fatal(err)
	}
	want := parseJSON(t, wantJSON)
	drop(want, c.Repeats)
	known := false
	c.each(func(r registry.Resource, kind *runtime.Kind, opts registry.Options) {
		if fileName(r, kind) != base {
			return
		}
		known = true
		checkForm(t, c.Scheme, r, kind, opts, stored, want)
		checkServed(t, c.Scheme, r, stored, want)
	})
	if !known {
		t.Errorf("no kind of this server can be stored as %s: a version that objects are stored in must stay in the scheme", base)
	}
}

// checkForm reads stored in the version that it is of.
func checkForm(t *testing.T, scheme *runtime.Scheme, r registry.Resource, kind *runtime.Kind, opts registry.Options, stored []byte, want map[string]any) {
	form, err := r.Form(scheme, opts)
	if err != nil {
		t.Fatal(err)
	}
	entry := form.ReadEntry("/k", stored, 1)
	if entry.Err != nil {
		t.Fatal(entry.Err)
	}
	decoded, err := serializer.Decode(scheme, entry.Value, serializer.Protobuf, kind.GroupVersionKind())
	if err != nil {
		t.Fatal(err)
	}
	data, err := kind.AppendJSON(nil, decoded.Object)
	if err != nil {
		t.Fatal(err)
	}
	for _, problem := range missing("", want, parseJSON(t, data)) {
		t.Error(problem)
	}
}

// checkServed gets the object in every version from a server that stores as it does by default. The
// names and numbers of the metadata are the same in each.
func checkServed(t *testing.T, scheme *runtime.Scheme, r registry.Resource, stored []byte, want map[string]any) {
	form, err := r.Form(scheme, registry.Options{})
	if err != nil {
		t.Fatal(err)
	}
	db := memory.NewDatabase()
	resources, err := r.Serve(scheme, memory.New(memory.Config{Database: db, Root: root, Form: form}), registry.Options{})
	if err != nil {
		t.Fatal(err)
	}
	name := rest.Name{Name: "stored"}
	key := r.KeyPrefix() + name.Name
	if resources[0].Namespaced {
		name.Namespace = "archive"
		key = r.KeyPrefix() + name.Namespace + "/" + name.Name
	}
	db.Put(root+key, stored)
	for _, served := range resources {
		if served.Subresource != "" {
			continue
		}
		view, err := served.Get.Get(context.Background(), name, metav1.GetOptions{})
		if err != nil {
			t.Errorf("get in %s: %v", served.GroupVersion, err)
			continue
		}
		var b bytes.Buffer
		if err := view.WriteTo(&b, rest.Representation{MediaType: rest.JSON}); err != nil {
			t.Errorf("get in %s: %v", served.GroupVersion, err)
			continue
		}
		got := parseJSON(t, b.Bytes())
		wanted := map[string]any{"metadata": want["metadata"]}
		if served.GroupVersion.String() == want["apiVersion"] {
			wanted = want
		}
		for _, problem := range missing("", wanted, got) {
			t.Errorf("get in %s: %s", served.GroupVersion, problem)
		}
	}
}

func parseJSON(t *testing.T, data []byte) map[string]any {
	t.Helper()
	var v map[string]any
	if err := json.Unmarshal(data, &v); err != nil {
		t.Fatal(err)
	}
	return v
}

// drop takes members out of a document, wherever they are in it.
func drop(doc any, names []string) {
	switch doc := doc.(type) {
	case map[string]any:
		for name, value := range doc {
			if slices.Contains(names, name) {
				delete(doc, name)
			}
			drop(value, names)
		}
	case []any:
		for _, item := range doc {
			drop(item, names)
		}
	}
}

// missing says what want has and got has not, or has otherwise.
func missing(path string, want, got any) []string {
	switch want := want.(type) {
	case map[string]any:
		got, ok := got.(map[string]any)
		if !ok {
			break
		}
		var problems []string
		for _, name := range slices.Sorted(maps.Keys(want)) {
			problems = append(problems, missing(path+"."+name, want[name], got[name])...)
		}
		return problems
	case []any:
		got, ok := got.([]any)
		if !ok || len(got) != len(want) {
			break
		}
		var problems []string
		for i := range want {
			problems = append(problems, missing(fmt.Sprintf("%s[%d]", path, i), want[i], got[i])...)
		}
		return problems
	default:
		if want == got {
			return nil
		}
	}
	return []string{fmt.Sprintf("%s is %v, and was stored as %v", path, got, want)}
}

// fullObject is the JSON of an object in which every field is set.
func fullObject(t *testing.T, kind *runtime.Kind) []byte {
	t.Helper()
	obj := kind.New()
	n := 0
	when := metav1.Date(2026, 11, 21, 4, 5, 6, 0, metav1.Now().UTC().Location())
	randfill.New().RandSource(rand.NewSource(1)).NilChance(0).NumElements(1, 1).MaxDepth(14).Funcs(
		func(f *metav1.FieldsV1, _ randfill.Continue) { f.SetRawString(`{"f:spec":{"f:title":{}}}`) },
		func(q *resource.Quantity, _ randfill.Continue) {
			n++
			*q = *resource.NewQuantity(int64(n), resource.DecimalSI)
		},
		func(i *intstr.IntOrString, _ randfill.Continue) { n++; *i = intstr.FromInt32(int32(n)) },
		func(r *apiruntime.RawExtension, _ randfill.Continue) { r.Raw = []byte(`{"a":1}`) },
		func(v *metav1.Time, _ randfill.Continue) { *v = when },
		func(v *metav1.MicroTime, _ randfill.Continue) { *v = metav1.NewMicroTime(when.Time) },
		func(s *string, _ randfill.Continue) { n++; *s = fmt.Sprintf("text-%d", n) },
		func(u *types.UID, _ randfill.Continue) {
			n++
			*u = types.UID(fmt.Sprintf("00000000-0000-4000-8000-%012d", n))
		},
		func(i *int32, _ randfill.Continue) { n++; *i = int32(n) },
		func(i *int64, _ randfill.Continue) { n++; *i = int64(n) },
		func(b *bool, _ randfill.Continue) { *b = true },
	).Fill(obj)
	meta := runtime.Meta(obj)
	meta.Name, meta.Namespace, meta.GenerateName, meta.ResourceVersion = "stored", "archive", "", ""
	//lint:ignore SA1019 nothing sets it any more
	meta.SelfLink = ""
	obj.GetObjectKind().SetGroupVersionKind(kind.GroupVersionKind())
	data, err := json.Marshal(obj)
	if err != nil {
		t.Fatal(err)
	}
	return data
}
