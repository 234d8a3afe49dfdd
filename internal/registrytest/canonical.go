package registrytest

import (
	"bytes"
	"context"
	"fmt"
	"testing"

	"github.com/google/go-cmp/cmp"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"sigs.k8s.io/yaml"

	"github.com/typeplane/typeplane/registry"
	"github.com/typeplane/typeplane/registry/rest"
	"github.com/typeplane/typeplane/runtime"
	"github.com/typeplane/typeplane/storage/memory"
)

// Config says what RunCanonical is to check.
type Config struct {
	Scheme   *runtime.Scheme
	Resource registry.Resource
	Options  registry.Options
	// Objects is how many objects are tried; 0 is 60.
	Objects int
	// Seed makes other objects.
	Seed int64

	namespaced bool
}

const root = "/registry"

// RunCanonical stores objects as they may have been written by older servers: in every version, as
// JSON and as protobuf, without defaults, with fields that nobody knows any more. Then get, list
// and watch, in every served version and media type, must answer byte for byte what decoding,
// defaulting, converting and encoding one after the other gives.
func RunCanonical(t *testing.T, c Config) {
	t.Helper()
	if c.Objects == 0 {
		c.Objects = 60
	}
	form, err := c.Resource.Form(c.Scheme, c.Options)
	if err != nil {
		t.Fatal(err)
	}
	db := memory.NewDatabase()
	store := memory.New(memory.Config{Database: db, Root: root, Form: form})
	resources, err := c.Resource.Serve(c.Scheme, store, c.Options)
	if err != nil {
		t.Fatal(err)
	}
	c.namespaced = resources[0].Namespaced
	slow := &slow{scheme: c.Scheme, storage: kindOf(c, resources[0].StorageVersion)}
	before := db.Revision()
	var objects []written
	for i := range c.Objects {
		objects = append(objects, c.write(t, db, i))
	}
	for _, r := range resources {
		if r.Subresource != "" {
			continue // it shows the same objects, or says of its own what it shows
		}
		slow := slow.in(kindOf(c, r.GroupVersion))
		for _, mediaType := range []rest.MediaType{rest.JSON, rest.YAML, rest.Protobuf} {
			if mediaType == rest.Protobuf && !slow.served.Protobuf() {
				continue
			}
			for _, pretty := range []bool{false, true} {
				if pretty && mediaType != rest.JSON {
					continue
				}
				f := rest.Representation{MediaType: mediaType, Pretty: pretty}
				t.Run(fmt.Sprintf("%s %s pretty=%v", r.GroupVersion, mediaType, pretty), func(t *testing.T) {
					checkGet(t, r, f, slow, objects)
					checkList(t, r, f, slow, objects)
					checkWatch(t, r, f, slow, objects, before)
				})
			}
		}
	}
}

// written is what was put into the database.
type written struct {
	about    string
	name     rest.Name
	value    []byte
	revision int64
}

func kindOf(c Config, gv interface{ String() string }) *runtime.Kind {
	for _, k := range c.Scheme.KindsOfHub(c.Resource.GroupKind()) {
		if k.GroupVersionKind().GroupVersion().String() == gv.String() {
			return k
		}
	}
	panic("no version " + gv.String())
}

func checkGet(t *testing.T, r rest.Resource, f rest.Representation, slow *slow, objects []written) {
	for _, o := range objects {
		view, err := r.Get.Get(context.Background(), o.name, metav1.GetOptions{})
		if err != nil {
			t.Fatalf("get of %s: %v", o.about, err)
		}
		compare(t, "get of "+o.about, view, f, slow.object(t, o, f))
		// A view can write itself more than once.
		compare(t, "get again of "+o.about, view, f, slow.object(t, o, f))
	}
}

func checkList(t *testing.T, r rest.Resource, f rest.Representation, slow *slow, objects []written) {
	view, err := r.List.List(context.Background(), "", metav1.ListOptions{})
	if err != nil {
		t.Fatal(err)
	}
	compare(t, "list", view, f, slow.list(t, objects, f))
	empty, err := r.List.List(context.Background(), "", metav1.ListOptions{FieldSelector: "metadata.name=nobody"})
	if err != nil {
		t.Fatal(err)
	}
	revision := objects[len(objects)-1].revision
	compare(t, "empty list", empty, f, slow.listAt(t, nil, revision, f))
}

func checkWatch(t *testing.T, r rest.Resource, f rest.Representation, slow *slow, objects []written, after int64) {
	for _, tc := range []struct {
		name string
		opts metav1.ListOptions
	}{
		{"initial events", metav1.ListOptions{ResourceVersion: "0"}},
		{"changes", metav1.ListOptions{ResourceVersion: fmt.Sprint(after)}},
	} {
		stream, err := r.Watch.Watch(context.Background(), "", tc.opts)
		if err != nil {
			t.Fatal(err)
		}
		defer stream.Close()
		for seen := 0; seen < len(objects); {
			events, err := stream.Next(context.Background())
			if err != nil {
				t.Fatal(err)
			}
			for _, event := range events {
				o := objects[seen]
				if event.Type != rest.Added {
					t.Fatalf("%s: event %s for %s", tc.name, event.Type, o.about)
				}
				compare(t, "watch, "+tc.name+", "+o.about, event.Object, f, slow.object(t, o, f))
				seen++
			}
		}
	}
}

func compare(t *testing.T, what string, view rest.View, f rest.Representation, want []byte) {
	t.Helper()
	var got bytes.Buffer
	if err := view.WriteTo(&got, f); err != nil {
		t.Fatalf("%s: %v", what, err)
	}
	data := got.Bytes()
	if f.MediaType == rest.YAML { // as readers see it, because quotes may differ
		data, want = readYAML(t, data), readYAML(t, want)
	}
	if !bytes.Equal(data, want) {
		t.Fatalf("%s (-want +got)\n%s", what, cmp.Diff(string(want), string(data)))
	}
}

func readYAML(t *testing.T, data []byte) []byte {
	t.Helper()
	inJSON, err := yaml.YAMLToJSON(data)
	if err != nil {
		t.Fatal(err)
	}
	return inJSON
}
