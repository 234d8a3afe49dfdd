package registry_test

//lint:file-ignore SA1019 orphanDependents is what clients of long ago send

import (
	"slices"
	"testing"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/typeplane/typeplane/registry"
	"github.com/typeplane/typeplane/registry/rest"
	"github.com/typeplane/typeplane/runtime/runtimetest/widget"
)

// What a deletion leaves behind, with a garbage collector beside the server and without one.
func TestPropagation(t *testing.T) {
	yes, no := true, false
	policy := func(p metav1.DeletionPropagation) metav1.DeleteOptions {
		return metav1.DeleteOptions{PropagationPolicy: &p}
	}
	for name, tc := range map[string]struct {
		has     string // finalizers, as JSON
		opts    metav1.DeleteOptions
		want    []string // nil: the object is gone
		without []string // the same without a collector
		by      strategy
	}{
		"nothing said":                {has: `[]`},
		"background":                  {has: `[]`, opts: policy(metav1.DeletePropagationBackground)},
		"foreground":                  {has: `[]`, opts: policy(metav1.DeletePropagationForeground), want: []string{"foregroundDeletion"}},
		"orphan":                      {has: `[]`, opts: policy(metav1.DeletePropagationOrphan), want: []string{"orphan"}},
		"orphanDependents":            {has: `[]`, opts: metav1.DeleteOptions{OrphanDependents: &yes}, want: []string{"orphan"}},
		"orphanDependents=false":      {has: `["orphan"]`, opts: metav1.DeleteOptions{OrphanDependents: &no}, without: []string{"orphan"}},
		"others stay":                 {has: `["a/b"]`, opts: policy(metav1.DeletePropagationForeground), want: []string{"a/b", "foregroundDeletion"}, without: []string{"a/b"}},
		"others keep it":              {has: `["a/b","orphan"]`, opts: policy(metav1.DeletePropagationBackground), want: []string{"a/b"}, without: []string{"a/b", "orphan"}},
		"what is there counts":        {has: `["orphan"]`, want: []string{"orphan"}, without: []string{"orphan"}},
		"the request counts for more": {has: `["orphan"]`, opts: policy(metav1.DeletePropagationForeground), want: []string{"foregroundDeletion"}, without: []string{"orphan"}},
		"the kind orphans":            {has: `[]`, want: []string{"orphan"}, by: strategy{OrphansDependents: true}},
		"the request counts for more than the kind": {has: `[]`, opts: policy(metav1.DeletePropagationBackground), by: strategy{OrphansDependents: true}},
		"and so does what is there":                 {has: `["foregroundDeletion"]`, want: []string{"foregroundDeletion"}, without: []string{"foregroundDeletion"}, by: strategy{OrphansDependents: true}},
		"background takes what is there off":        {has: `["foregroundDeletion"]`, opts: policy(metav1.DeletePropagationBackground), without: []string{"foregroundDeletion"}},
	} {
		for _, collected := range []bool{true, false} {
			s := serveWith(t, tc.by, registry.Options{Collected: collected}, nil)
			s.mustCreate(`{"metadata":{"name":"w","finalizers":` + tc.has + `},"spec":{"color":"red"}}`)
			if _, err := s.v1.Delete.Delete(ctx, new(rest.Request), named, tc.opts); err != nil {
				t.Errorf("%s: %v", name, err)
				continue
			}
			want := tc.want
			if !collected {
				want = tc.without
			}
			view, err := s.v1.Get.Get(ctx, named, metav1.GetOptions{})
			if want == nil {
				if !apierrors.IsNotFound(err) {
					t.Errorf("%s, collected %v: it is still there (%v)", name, collected, err)
				}
				continue
			}
			if err != nil {
				t.Errorf("%s, collected %v: %v", name, collected, err)
				continue
			}
			if w := read[*widget.V1](t, view); !slices.Equal(w.Finalizers, want) || w.DeletionTimestamp == nil {
				t.Errorf("%s, collected %v: finalizers %q, deleted at %v, want %q", name, collected, w.Finalizers, w.DeletionTimestamp, want)
			}
		}
	}
}

// Somebody changes his mind while the collector works: the time of the deletion stays, and so does
// what others want.
func TestPropagationTwice(t *testing.T) {
	s := serveWith(t, strategy{}, registry.Options{Collected: true}, nil)
	s.mustCreate(`{"metadata":{"name":"w"},"spec":{"color":"red"}}`)
	remove := func(p metav1.DeletionPropagation) {
		t.Helper()
		if _, err := s.v1.Delete.Delete(ctx, new(rest.Request), named, metav1.DeleteOptions{PropagationPolicy: &p}); err != nil {
			t.Fatal(err)
		}
	}
	remove(metav1.DeletePropagationForeground)
	first := s.mustGet(named)
	remove(metav1.DeletePropagationForeground)
	if again := s.mustGet(named); again.ResourceVersion != first.ResourceVersion {
		t.Errorf("the same again was written: %s after %s", again.ResourceVersion, first.ResourceVersion)
	}
	remove(metav1.DeletePropagationOrphan)
	second := s.mustGet(named)
	if !slices.Equal(second.Finalizers, []string{"orphan"}) || !second.DeletionTimestamp.Equal(first.DeletionTimestamp) || second.Generation != first.Generation {
		t.Errorf("after another policy: %+v, before %+v", second.ObjectMeta, first.ObjectMeta)
	}
	remove(metav1.DeletePropagationBackground)
	if _, err := s.v1.Get.Get(ctx, named, metav1.GetOptions{}); !apierrors.IsNotFound(err) {
		t.Errorf("in the background: %v", err)
	}
}
