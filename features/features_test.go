package features_test

import (
	"flag"
	"slices"
	"testing"

	certificatesv1 "k8s.io/api/certificates/v1"
	"sigs.k8s.io/randfill"

	"github.com/typeplane/typeplane"
	"github.com/typeplane/typeplane/features"
	"github.com/typeplane/typeplane/features/team"
	"github.com/typeplane/typeplane/internal/registrytest"
	"github.com/typeplane/typeplane/registry"
	"github.com/typeplane/typeplane/registry/rest"
	"github.com/typeplane/typeplane/runtime"
	"github.com/typeplane/typeplane/runtime/runtimetest"
)

func scheme(t testing.TB) *runtime.Scheme {
	t.Helper()
	b := runtime.NewBuilder()
	for _, a := range features.All() {
		if a.AddToScheme != nil {
			a.AddToScheme(b)
		}
	}
	s, err := b.Build()
	if err != nil {
		t.Fatal(err)
	}
	return s
}

func resources() (all []registry.Resource) {
	for _, a := range features.All() {
		all = append(all, a.Resources...)
	}
	return all
}

// TestGeneratedCode tries the generated code of every kind, and the conversions by hand, with
// fuzzed objects.
func TestGeneratedCode(t *testing.T) {
	runtimetest.Run(t, scheme(t), runtimetest.Options{Rounds: 20, Fill: []any{
		// A key without a value comes back from protobuf as one with an empty value: defaults make
		// it so before.
		func(data *map[string][]byte, c randfill.Continue) {
			*data = map[string][]byte{}
			for range 1 + c.Intn(3) {
				(*data)[c.String(0)] = []byte(c.String(0))
			}
		},
		// So does one of a requester, which only the server writes.
		func(extra *certificatesv1.ExtraValue, c randfill.Continue) {
			*extra = certificatesv1.ExtraValue{c.String(0)}
		},
	}})
}

// TestCanonical stores objects as older servers may have written them, and compares what is served
// with a slow way to compute it.
func TestCanonical(t *testing.T) {
	for _, resource := range resources() {
		for name, options := range map[string]registry.Options{"protobuf": {}, "json": {StorageMediaType: rest.JSON}} {
			t.Run(resource.GroupResource().String()+"/"+name, func(t *testing.T) {
				registrytest.RunCanonical(t, registrytest.Config{Scheme: scheme(t), Resource: resource, Options: options, Objects: 10})
			})
		}
	}
}

var addStored = flag.String("update", "", "the `name` of a release: write what servers of today store as a new set of testdata/stored")

// TestStored reads what every release has stored. Before a release: go test -run TestStored
// . -update v1.2
func TestStored(t *testing.T) {
	registrytest.RunStored(t, registrytest.StoredConfig{
		Scheme: scheme(t), Resources: resources(), Dir: "testdata/stored", Add: *addStored,
	})
}

// TestTeam: what a team needs is part of all that there is, and its plug-ins are asked in the same
// order.
func TestTeam(t *testing.T) {
	names := func(apis []typeplane.API) (resources, plugins []string) {
		for _, a := range apis {
			for _, r := range a.Resources {
				resources = append(resources, r.GroupResource().String())
			}
			resources = append(resources, a.Virtual...)
			for _, p := range a.Admission {
				plugins = append(plugins, p.Name)
			}
		}
		return resources, plugins
	}
	all, order := names(features.All())
	resources, plugins := names(team.APIs())
	for _, r := range resources {
		if !slices.Contains(all, r) {
			t.Errorf("%s is not among all", r)
		}
	}
	order = slices.DeleteFunc(order, func(name string) bool { return !slices.Contains(plugins, name) })
	if !slices.Equal(plugins, order) {
		t.Errorf("plug-ins %q, want them in the order %q", plugins, order)
	}
}

// TestOrder: plug-ins are asked in the order of kube-apiserver, those of a program's policies among
// them, and none is forgotten.
func TestOrder(t *testing.T) {
	policies := typeplane.API{Admission: []typeplane.AdmissionPlugin{{Name: "Unknown"}, {Name: "ValidatingAdmissionPolicy"}, {Name: "MutatingAdmissionPolicy"}}}
	var names []string
	for _, a := range features.With(features.Extras{Policies: policies}) {
		for _, p := range a.Admission {
			names = append(names, p.Name)
		}
	}
	want := []string{
		"NamespaceLifecycle", "LimitRanger", "ServiceAccount", "DefaultStorageClass",
		"CertificateApproval", "CertificateSigning", "CertificateSubjectRestriction", "MutatingAdmissionPolicy", "MutatingAdmissionWebhook",
		"ValidatingAdmissionPolicy", "ValidatingAdmissionWebhook", "ResourceQuota", "Unknown",
	}
	if !slices.Equal(names, want) {
		t.Errorf("%q, want %q", names, want)
	}
}
