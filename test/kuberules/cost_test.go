package kuberules

import (
	"path/filepath"
	"strings"
	"testing"

	"k8s.io/apimachinery/pkg/api/meta"
	"k8s.io/apimachinery/pkg/api/operation"
	"k8s.io/apiserver/pkg/registry/rest"
)

// BenchmarkValidate is what a kube-apiserver's rules of a new pod and a new deployment cost, by
// hand and in tags. examples/cluster has the same for ours.
func BenchmarkValidate(b *testing.B) {
	for _, k := range kinds {
		if k.resource != "pods" && k.resource != "deployments" {
			continue
		}
		obj, err := decode(k, read(b, filepath.Join("testdata", strings.TrimPrefix(k.Group+"_", "_")+k.Version+"_"+k.resource+".yaml")))
		if err != nil {
			b.Fatal(err)
		}
		m, err := meta.Accessor(obj)
		if err != nil {
			b.Fatal(err)
		}
		rest.FillObjectMetaSystemFields(m)
		m.SetNamespace(inNamespace)
		ctx := requestFor(k, false, "")
		b.Run(k.resource+"/by hand", func(b *testing.B) {
			b.ReportAllocs()
			for b.Loop() {
				if errs := k.strategy.Validate(ctx, obj); len(errs) > 0 {
					b.Fatal(errs)
				}
			}
		})
		tags := k.strategy.(rest.DeclarativeValidationStrategy)
		b.Run(k.resource+"/tags", func(b *testing.B) {
			b.ReportAllocs()
			for b.Loop() {
				if errs := tags.ValidateDeclaratively(ctx, obj, nil, nil, operation.Create, tags.DeclarativeValidationConfig(ctx, obj, nil)); len(errs) > 0 {
					b.Fatal(errs)
				}
			}
		})
	}
}
