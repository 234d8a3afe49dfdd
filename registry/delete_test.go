package registry_test

import (
	"fmt"
	"strings"
	"testing"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"

	"github.com/typeplane/typeplane/registry/rest"
	"github.com/typeplane/typeplane/runtime/runtimetest/widget"
	"github.com/typeplane/typeplane/runtime/wire"
)

func protobufOf(apiVersion string, raw []byte) []byte {
	return wire.AppendEnvelope(nil, apiVersion, "Widget", raw)
}

func TestDelete(t *testing.T) {
	s := serve(t, strategy{})
	uid := s.mustCreate(`{"metadata":{"name":"w"}}`).UID
	policy := metav1.DeletePropagationForeground
	for _, opts := range []metav1.DeleteOptions{
		{DryRun: []string{"All"}},
		{PropagationPolicy: &policy}, // accepted, but nobody would take its finalizer off
	} {
		view, err := s.v1.Delete.Delete(ctx, new(rest.Request), named, opts)
		if err != nil {
			t.Fatal(err)
		}
		want := `{"kind":"Status","apiVersion":"v1","metadata":{},"status":"Success","details":{"name":"w","group":"shop.example.com","kind":"widgets","uid":"` + string(uid) + `"}}` + "\n"
		if got := text(t, view); got != want {
			t.Errorf("got  %swant %s", got, want)
		}
	}
	_, err := s.v1.Delete.Delete(ctx, new(rest.Request), named, metav1.DeleteOptions{})
	wantStatus(t, err, 404, "NotFound", `widgets.shop.example.com "w" not found`)
	_, err = s.v1.Delete.Delete(ctx, new(rest.Request), named, metav1.DeleteOptions{DryRun: []string{"All"}})
	wantStatus(t, err, 404, "NotFound", `widgets.shop.example.com "w" not found`)
}

func TestDeletePreconditions(t *testing.T) {
	s := serve(t, strategy{})
	obj := s.mustCreate(`{"metadata":{"name":"w"}}`)
	other, rv := types.UID("other"), "1"
	_, err := s.v1.Delete.Delete(ctx, new(rest.Request), named, metav1.DeleteOptions{Preconditions: &metav1.Preconditions{UID: &other}})
	wantStatus(t, err, 409, "Conflict", `Operation cannot be fulfilled on widgets.shop.example.com "w": Precondition failed: UID in precondition: other, UID in object meta: `+string(obj.UID))
	_, err = s.v1.Delete.Delete(ctx, new(rest.Request), named, metav1.DeleteOptions{Preconditions: &metav1.Preconditions{ResourceVersion: &rv}})
	wantStatus(t, err, 409, "Conflict", `Operation cannot be fulfilled on widgets.shop.example.com "w": Precondition failed: ResourceVersion in precondition: 1, ResourceVersion in object meta: `+obj.ResourceVersion)
	// What is empty was not left out.
	_, err = s.v1.Delete.Delete(ctx, new(rest.Request), named, metav1.DeleteOptions{Preconditions: metav1.NewUIDPreconditions("")})
	wantStatus(t, err, 409, "Conflict", `Operation cannot be fulfilled on widgets.shop.example.com "w": Precondition failed: UID in precondition: , UID in object meta: `+string(obj.UID))
	_, err = s.v1.Delete.Delete(ctx, new(rest.Request), named, metav1.DeleteOptions{Preconditions: metav1.NewRVDeletionPrecondition("").Preconditions})
	wantStatus(t, err, 409, "Conflict", `Operation cannot be fulfilled on widgets.shop.example.com "w": Precondition failed: ResourceVersion in precondition: , ResourceVersion in object meta: `+obj.ResourceVersion)
	if _, err = s.v1.Delete.Delete(ctx, new(rest.Request), named, metav1.DeleteOptions{Preconditions: &metav1.Preconditions{UID: &obj.UID, ResourceVersion: &obj.ResourceVersion}}); err != nil {
		t.Error(err)
	}
}

func TestDeleteWaitsForFinalizers(t *testing.T) {
	s := serve(t, strategy{})
	s.mustCreate(`{"metadata":{"name":"w","finalizers":["example.com/wait"]}}`)
	before := s.Revision()
	view, err := s.v1.Delete.Delete(ctx, new(rest.Request), named, metav1.DeleteOptions{DryRun: []string{"All"}})
	if err != nil {
		t.Fatal(err)
	}
	if got := read[*widget.V1](t, view); got.DeletionTimestamp == nil || s.Revision() != before {
		t.Errorf("dry run: %+v, revision %d, was %d", got, s.Revision(), before)
	}
	first := read[*widget.V1](t, s.mustDelete())
	if first.Kind != "Widget" || first.DeletionTimestamp == nil || *first.DeletionGracePeriodSeconds != 0 || first.Generation != 2 || first.ResourceVersion != fmt.Sprint(s.Revision()) {
		t.Errorf("marked: %+v", first)
	}
	// The second time nothing is left to do.
	second := read[*widget.V1](t, s.mustDelete())
	if second.ResourceVersion != first.ResourceVersion || !second.DeletionTimestamp.Equal(first.DeletionTimestamp) {
		t.Errorf("marked again: %+v", second)
	}
	other := types.UID("other")
	if _, err := s.v1.Delete.Delete(ctx, new(rest.Request), named, metav1.DeleteOptions{Preconditions: &metav1.Preconditions{UID: &other}}); status(t, err).Code != 409 {
		t.Errorf("preconditions count for marking too: %v", err)
	}
}

func TestWhatCantBeRead(t *testing.T) {
	s := serve(t, strategy{})
	s.Put("/registry/shop.example.com/widgets/ns/w", []byte("?"))
	s.mustCreate(`{"metadata":{"name":"good"}}`)

	const message = `failed to read one or more widgets.shop.example.com from the storage: storage: read /shop.example.com/widgets/ns/w: stored value can't be read: read stored value of /shop.example.com/widgets/ns/w: couldn't get version/kind; json parse error: invalid character '?' looking for beginning of value`
	_, err := s.v1.Get.Get(ctx, named, metav1.GetOptions{})
	wantStatus(t, err, 500, "StorageReadError", message)
	for _, opts := range []metav1.ListOptions{{}, {LabelSelector: "a=b"}, {FieldSelector: "metadata.name=w"}} {
		_, err = s.v1.List.List(ctx, "ns", opts)
		wantStatus(t, err, 500, "StorageReadError", message)
	}
	if _, err := s.v1.List.List(ctx, "ns", metav1.ListOptions{FieldSelector: "metadata.name=good"}); err != nil {
		t.Errorf("a list that does not want it: %v", err)
	}
	_, err = s.update(parse(t, widget.GV1, `{"metadata":{"name":"w"}}`))
	wantStatus(t, err, 500, "StorageReadError", message)
	_, err = s.v1.Delete.Delete(ctx, new(rest.Request), named, metav1.DeleteOptions{})
	wantStatus(t, err, 500, "StorageReadError", message)
	_, err = s.v1.Create.Create(ctx, new(rest.Request), named, parse(t, widget.GV1, `{"metadata":{"name":"w"}}`), metav1.CreateOptions{DryRun: []string{"All"}})
	wantStatus(t, err, 409, "AlreadyExists", `widgets.shop.example.com "w" already exists`)

	// A list names all of them, up to a point, and only those that it would have.
	for i := range 150 {
		s.Put(fmt.Sprintf("/registry/shop.example.com/widgets/many/w%03d", i), []byte("?"))
	}
	for ns, want := range map[string]int{"ns": 1, "many": 101, "": 101} {
		for _, opts := range []metav1.ListOptions{{}, {LabelSelector: "a=b"}} {
			_, err = s.v1.List.List(ctx, ns, opts)
			got := status(t, err)
			if got.Reason != metav1.StatusReasonStoreReadError || len(got.Details.Causes) != want {
				t.Fatalf("namespace %q: %+v", ns, got)
			}
			if c := got.Details.Causes[0]; c.Type != metav1.CauseTypeUnexpectedServerResponse || !strings.HasPrefix(c.Field, "/shop.example.com/widgets/") || !strings.Contains(c.Message, c.Field) {
				t.Errorf("namespace %q: first cause %+v", ns, c)
			}
			if c := got.Details.Causes[want-1]; want > 1 && (c.Type != metav1.CauseTypeTooMany || !strings.HasSuffix(got.Message, " (and 99 more)")) {
				t.Errorf("namespace %q: %q, last cause %+v", ns, got.Message, c)
			}
		}
	}

	// There is a way to be rid of it, and only of it.
	yes := true
	unsafe := metav1.DeleteOptions{IgnoreStoreReadErrorWithClusterBreakingPotential: &yes}
	good := named
	good.Name = "good"
	if _, err := s.v1.Delete.Delete(ctx, new(rest.Request), good, unsafe); status(t, err).Reason != "Conflict" {
		t.Errorf("an unsafe deletion of a good object: %v", err)
	}
	if _, err := s.v1.Delete.Delete(ctx, new(rest.Request), named, unsafe); err != nil {
		t.Error(err)
	}
	if _, err := s.v1.List.List(ctx, "ns", metav1.ListOptions{}); err != nil {
		t.Error(err)
	}
}
