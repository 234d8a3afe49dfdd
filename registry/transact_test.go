package registry_test

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"testing"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"

	"github.com/typeplane/typeplane/admission"
	"github.com/typeplane/typeplane/registry"
	"github.com/typeplane/typeplane/registry/rest"
	"github.com/typeplane/typeplane/runtime/runtimetest/widget"
	"github.com/typeplane/typeplane/storage"
)

// counter is a plug-in that counts writes at a key of its own. late lets it be overtaken that
// often.
type counter struct {
	s     *server
	late  int
	calls []string
}

const counterKey = "/counter"

func serveCounted(t *testing.T) (*server, *counter) {
	chain, c := new(admission.Chain), new(counter)
	c.s = serveWith(t, strategy{}, registry.Options{Admission: chain}, nil)
	chain.Set([]admission.Plugin{{
		Name:     "Counter",
		Validate: func(context.Context, *admission.Request) error { c.calls = append(c.calls, "validate"); return nil },
		Transact: c.charge,
	}})
	return c.s, c
}

func (c *counter) charge(_ context.Context, r *admission.Request) ([]storage.Op, error) {
	what := "charge " + string(r.Operation)
	if r.Attempt.Again() {
		what += " again"
	}
	c.calls = append(c.calls, what)
	r.Attempt.Then(func(written bool) { c.calls = append(c.calls, fmt.Sprint("written: ", written)) })
	value, revision := c.s.Database.Get("/registry" + counterKey)
	if c.late > 0 {
		c.late--
		c.s.Database.Put("/registry"+counterKey, append(value, '-'))
	}
	return []storage.Op{{Key: counterKey, Expected: revision, Value: append(slices.Clone(value), string(r.Operation)[0])}}, nil
}

// want checks what was asked of the plug-in since the last time, and what it has counted.
func (c *counter) want(count string, calls ...string) {
	c.s.t.Helper()
	if !slices.Equal(c.calls, calls) {
		c.s.t.Errorf("asked %q\nwant  %q", c.calls, calls)
	}
	if value, _ := c.s.Database.Get("/registry" + counterKey); string(value) != count {
		c.s.t.Errorf("counted %q, want %q", value, count)
	}
	c.calls = nil
}

func TestChargesAreWrittenWithTheObject(t *testing.T) {
	s, c := serveCounted(t)
	s.mustCreate(`{"metadata":{"name":"w"}}`)
	c.want("C", "validate", "charge CREATE", "written: true")

	got := s.mustGet(named)
	got.Spec.Color = "green"
	if _, err := s.update(got); err != nil {
		t.Fatal(err)
	}
	c.want("CU", "validate", "charge UPDATE", "written: true")

	if _, _, err := s.v1.Patch.Patch(ctx, new(rest.Request), named, rest.Patch{Type: types.MergePatchType, Bytes: []byte(`{"spec":{"color":"blue"}}`)}, metav1.PatchOptions{}); err != nil {
		t.Fatal(err)
	}
	c.want("CUU", "validate", "charge UPDATE", "written: true")

	s.mustDelete()
	c.want("CUUD", "validate", "charge DELETE", "written: true")
}

// TestAChargeThatComesSecondIsMadeAgain: the rules and the plug-ins that judge have spoken, and are
// not asked twice of a create.
func TestAChargeThatComesSecondIsMadeAgain(t *testing.T) {
	s, c := serveCounted(t)
	c.late = 2
	s.mustCreate(`{"metadata":{"name":"w"}}`)
	c.want("--C", "validate", "charge CREATE", "written: false", "charge CREATE again", "written: false", "charge CREATE again", "written: true")
	c.late = 1
	s.mustDelete()
	c.want("--C-D", "validate", "charge DELETE", "validate", "written: false", "charge DELETE again", "written: true")
}

func TestChargesOfWhatIsNotWritten(t *testing.T) {
	s, c := serveCounted(t)
	s.mustCreate(`{"metadata":{"name":"w"}}`)
	c.calls = nil
	create := func(opts metav1.CreateOptions, data string) error {
		_, err := s.v1.Create.Create(ctx, new(rest.Request), rest.Name{Namespace: "ns"}, parse(t, widget.GV1, data), opts)
		return err
	}
	if err := create(metav1.CreateOptions{}, `{"metadata":{"name":"w"}}`); !apierrors.IsAlreadyExists(err) {
		t.Fatal(err)
	}
	c.want("C", "validate", "charge CREATE", "written: false")
	if err := create(metav1.CreateOptions{DryRun: []string{"All"}}, `{"metadata":{"name":"x"}}`); err != nil {
		t.Fatal(err)
	}
	c.want("C", "validate", "charge CREATE", "written: false")
	if _, err := s.v1.Delete.Delete(ctx, new(rest.Request), named, metav1.DeleteOptions{DryRun: []string{"All"}}); err != nil {
		t.Fatal(err)
	}
	c.want("C", "validate", "charge DELETE", "written: false")
	s.mustGet(named)
}

// TestTheLastFinalizerIsChargedAsADeletion: the object that would have been written is not charged.
func TestTheLastFinalizerIsChargedAsADeletion(t *testing.T) {
	s, c := serveCounted(t)
	s.mustCreate(`{"metadata":{"name":"w","finalizers":["example.com/wait"]}}`)
	s.mustDelete()
	c.calls = nil
	last := s.mustGet(named)
	last.Finalizers = nil
	if _, err := s.update(last); err != nil {
		t.Fatal(err)
	}
	c.want("CD", "validate", "charge DELETE", "written: true")
	if _, err := s.v1.Get.Get(ctx, named, metav1.GetOptions{}); !apierrors.IsNotFound(err) {
		t.Errorf("it is still there: %v", err)
	}
}

func TestARefusedCharge(t *testing.T) {
	chain := new(admission.Chain)
	s := serveWith(t, strategy{}, registry.Options{Admission: chain}, nil)
	var refusal error
	chain.Set([]admission.Plugin{{Name: "Refuser", Transact: func(context.Context, *admission.Request) ([]storage.Op, error) { return nil, refusal }}})
	s.mustCreate(`{"metadata":{"name":"w"}}`)
	refusal = errors.New("too much")
	_, err := s.v1.Delete.Delete(ctx, new(rest.Request), named, metav1.DeleteOptions{})
	wantStatus(t, err, 403, metav1.StatusReasonForbidden, `widgets.shop.example.com "w" is forbidden: too much`)
	refusal = &storage.Error{Code: storage.CodeUnavailable, Op: "get", Key: "/counter"}
	if _, err := s.v1.Delete.Delete(ctx, new(rest.Request), named, metav1.DeleteOptions{}); !apierrors.IsServerTimeout(err) {
		t.Errorf("the store is away: %v", err)
	}
	s.mustGet(named)
}
