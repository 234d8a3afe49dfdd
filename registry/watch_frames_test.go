package registry_test

import (
	"fmt"
	"math/rand/v2"
	"strings"
	"testing"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/typeplane/typeplane/registry/rest"
	"github.com/typeplane/typeplane/storage"
	"github.com/typeplane/typeplane/storage/cacher"
)

// A frame that one watch has made is what another one would make that gets it: in every version and
// representation, whatever the two select. There is one for each that differs, not for each watch.
func TestKeptFramesAreThoseThatWouldBeMade(t *testing.T) {
	s := serveThrough(t, strategy{}, func(source storage.Interface) storage.Interface {
		c, err := cacher.New(cacher.Config{Source: source, Prefix: "/shop.example.com/widgets/"})
		if err != nil {
			t.Fatal(err)
		}
		t.Cleanup(c.Close)
		return c
	})
	representations := []rest.Representation{
		{MediaType: rest.JSON}, {MediaType: rest.JSON, Pretty: true}, {MediaType: rest.Protobuf},
		{MediaType: rest.JSON, As: rest.AsPartialObjectMetadata}, {MediaType: rest.Protobuf, As: rest.AsPartialObjectMetadata},
		{MediaType: rest.JSON, As: rest.AsTable}, {MediaType: rest.JSON, As: rest.AsTable, NoHeaders: true},
		{MediaType: rest.JSON, As: rest.AsTable, IncludeObject: metav1.IncludeObject},
	}
	first := s.mustCreate(`{"metadata":{"name":"first"}}`)
	streams := map[rest.Stream]rest.Resource{}
	for _, served := range []rest.Resource{s.v1, s.beta, s.old} {
		for _, selector := range []string{"", "", "on=true", "on=true", "on!=true"} {
			for _, namespace := range []string{"", "ns"} {
				stream, err := served.Watch.Watch(ctx, namespace, metav1.ListOptions{ResourceVersion: first.ResourceVersion, LabelSelector: selector})
				if err != nil {
					t.Fatal(err)
				}
				t.Cleanup(stream.Close)
				streams[stream] = served
			}
		}
	}
	r := rand.New(rand.NewPCG(3, 4))
	const changes = 40
	last := map[string]bool{}
	for i := range changes {
		name := fmt.Sprintf("w%d", r.IntN(4))
		if !last[name] {
			s.mustCreate(fmt.Sprintf(`{"metadata":{"name":%q,"labels":{"on":"%v"}},"spec":{"options":{"i":"%d"}}}`, name, r.IntN(2) == 0, i))
			last[name] = true
			continue
		}
		if r.IntN(4) == 0 {
			if _, err := s.v1.Delete.Delete(ctx, new(rest.Request), rest.Name{Namespace: "ns", Name: name}, metav1.DeleteOptions{}); err != nil {
				t.Fatal(err)
			}
			last[name] = false
			continue
		}
		w := s.mustGet(rest.Name{Namespace: "ns", Name: name})
		w.Labels = map[string]string{"on": fmt.Sprint(r.IntN(2) == 0), "i": fmt.Sprint(i)}
		if _, _, err := s.v1.Update.Update(ctx, new(rest.Request), rest.Name{Namespace: "ns", Name: name}, w, metav1.UpdateOptions{}); err != nil {
			t.Fatal(err)
		}
	}
	// The selectors see one of these each.
	s.mustCreate(`{"metadata":{"name":"end","labels":{"on":"true"}}}`)
	s.mustCreate(`{"metadata":{"name":"end2","labels":{"on":"false"}}}`)

	made, asked, shown := 0, 0, map[rest.EventType]int{}
	for stream, served := range streams {
		for over := false; !over; {
			events, err := stream.Next(ctx)
			if err != nil {
				t.Fatal(err)
			}
			for _, event := range events {
				shown[event.Type]++
				for _, rep := range representations {
					if served.Documents && rep.MediaType == rest.Protobuf && rep.As == rest.AsObject {
						continue
					}
					own := string(event.Type) + written(t, event.Object, rep)
					frame, err := event.Frames.Frame(rep, func() ([]byte, error) {
						if rep.As != rest.AsTable {
							made++
						}
						return []byte(own), nil
					})
					if rep.As != rest.AsTable { // ages make another one each second
						asked++
					}
					if got := young.ReplaceAllString(string(frame), ""); err != nil || got != young.ReplaceAllString(own, "") {
						t.Fatalf("%+v: %s, %v; want %s", rep, frame, err, own)
					}
				}
				name := written(t, event.Object, rest.Representation{MediaType: rest.JSON, As: rest.AsPartialObjectMetadata})
				over = over || strings.Contains(name, `"name":"end`)
			}
		}
	}
	if shown[rest.Added] == 0 || shown[rest.Modified] == 0 || shown[rest.Deleted] == 0 {
		t.Errorf("there were events %v", shown)
	}
	if made*3 > asked {
		t.Errorf("%d frames were made for %d that were asked for", made, asked)
	}
}
