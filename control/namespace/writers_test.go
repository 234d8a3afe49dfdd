package namespace

import (
	"context"
	"log/slog"
	"testing"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	apiruntime "k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/apimachinery/pkg/types"

	"github.com/typeplane/typeplane/registry/rest"
)

// slow is a resource whose writes wait for a word.
type slow struct{ begun, end chan struct{} }

func newSlow() *slow { return &slow{make(chan struct{}), make(chan struct{})} }

func (s *slow) write() {
	s.begun <- struct{}{}
	<-s.end
}

func (s *slow) Get(context.Context, rest.Name, metav1.GetOptions) (rest.View, error) { return nil, nil }

func (s *slow) Create(context.Context, rest.Name, apiruntime.Object, metav1.CreateOptions) (rest.View, error) {
	s.write()
	return nil, nil
}

func (s *slow) Update(context.Context, rest.Name, apiruntime.Object, metav1.UpdateOptions) (rest.View, bool, error) {
	s.write()
	return nil, false, nil
}

func (s *slow) Patch(context.Context, rest.Name, rest.Patch, metav1.PatchOptions) (rest.View, bool, error) {
	s.write()
	return nil, false, nil
}

func (s *slow) DeleteCollection(context.Context, string, metav1.DeleteOptions, metav1.ListOptions) (rest.View, error) {
	return nil, nil
}

// TestEmptyingWaitsForWriters: whoever may make an object is waited for, and nobody who comes later.
func TestEmptyingWaitsForWriters(t *testing.T) {
	pods := newSlow()
	v1 := schema.GroupVersion{Version: "v1"}
	resources := []rest.Resource{
		{GroupVersion: v1, Name: "pods", Namespaced: true, Create: pods, Update: pods, Patch: pods},
		{GroupVersion: v1, Name: "namespaces", Get: pods, Create: pods, DeleteCollection: pods},
		{GroupVersion: v1, Name: "namespaces", Subresource: "status", Update: pods},
		{GroupVersion: v1, Name: "namespaces", Subresource: "finalize", Update: pods},
	}
	c := New(resources, slog.New(slog.DiscardHandler))
	c.FollowWriters(resources)
	if resources[1].Create != rest.Creator(pods) || resources[1].DeleteCollection != nil {
		t.Errorf("namespaces: %+v", resources[1])
	}
	name := rest.Name{Namespace: "ns", Name: "p"}
	for verb, write := range map[string]func(context.Context){
		"create": func(ctx context.Context) { resources[0].Create.Create(ctx, name, nil, metav1.CreateOptions{}) },
		"update": func(ctx context.Context) { resources[0].Update.Update(ctx, name, nil, metav1.UpdateOptions{}) },
		"apply": func(ctx context.Context) {
			resources[0].Patch.Patch(ctx, name, rest.Patch{Type: types.ApplyYAMLPatchType}, metav1.PatchOptions{})
		},
	} {
		t.Run(verb, func(t *testing.T) {
			ctx := t.Context()
			go write(ctx)
			<-pods.begun
			c.writers.wait(ctx, "other") // which is nobody's concern

			over, cancel := context.WithCancel(ctx)
			cancel()
			c.writers.wait(over, "ns")

			now := c.writers.now("ns")
			if len(now) != 1 {
				t.Fatalf("there are %d groups of writers, want one", len(now))
			}
			select {
			case <-now[0].gone:
				t.Error("nobody waits for who is writing")
			default:
			}
			// Somebody who comes later, and stays, is not waited for.
			leave := c.writers.enter("ns")
			pods.end <- struct{}{}
			<-now[0].gone
			leave()
			c.writers.wait(ctx, "ns")
			if len(c.writers.groups) != 0 {
				t.Errorf("left behind: %v", c.writers.groups)
			}
		})
	}

	// A patch that can't make anything is not waited for.
	go resources[0].Patch.Patch(t.Context(), name, rest.Patch{Type: types.MergePatchType}, metav1.PatchOptions{})
	<-pods.begun
	c.writers.wait(t.Context(), "ns")
	pods.end <- struct{}{}
}

// A server without namespaces takes them for granted.
func TestNoNamespaces(t *testing.T) {
	resources := []rest.Resource{{GroupVersion: schema.GroupVersion{Version: "v1"}, Kind: "Pod", Name: "pods", Namespaced: true, Create: newSlow()}}
	if c := New(resources, slog.New(slog.DiscardHandler)); c != nil {
		t.Errorf("there are no namespaces, and %v takes care of them", c)
	}
}
