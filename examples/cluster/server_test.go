package main

import (
	"testing"

	"sigs.k8s.io/randfill"

	"github.com/typeplane/typeplane/examples/cluster/api/extensions/v1beta1"
	"github.com/typeplane/typeplane/internal/registrytest"
	"github.com/typeplane/typeplane/registry"
	"github.com/typeplane/typeplane/registry/rest"
	"github.com/typeplane/typeplane/runtime"
	"github.com/typeplane/typeplane/runtime/runtimetest"
)

func scheme(t testing.TB) *runtime.Scheme {
	t.Helper()
	b := runtime.NewBuilder()
	newServer().AddToScheme(b)
	s, err := b.Build()
	if err != nil {
		t.Fatal(err)
	}
	return s
}

// TestGeneratedCode tries the generated code of every kind, ours and that of k8s.io/api, with
// fuzzed objects.
func TestGeneratedCode(t *testing.T) {
	runtimetest.Run(t, scheme(t), runtimetest.Options{Rounds: 20, Fill: []any{
		// There is only one thing that can be meant, and other versions do not say it.
		func(ref *v1beta1.SubresourceReference, c randfill.Continue) {
			c.FillNoCustom(ref)
			ref.Subresource = "scale"
		},
	}})
}

// TestCanonical stores objects as older servers may have written them. It compares what is served
// with a slow way to compute it, for each way in which this server can store them.
func TestCanonical(t *testing.T) {
	for _, resource := range newServer().Resources {
		for name, options := range map[string]registry.Options{
			"protobuf": {},
			"json":     {StorageMediaType: rest.JSON},
		} {
			t.Run(resource.GroupResource().Resource+"/"+name, func(t *testing.T) {
				registrytest.RunCanonical(t, registrytest.Config{Scheme: scheme(t), Resource: resource, Options: options, Objects: 6})
			})
		}
	}
}
