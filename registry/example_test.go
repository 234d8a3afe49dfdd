package registry_test

import (
	"context"
	"fmt"
	"os"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/apimachinery/pkg/util/validation/field"

	"github.com/typeplane/typeplane/registry"
	"github.com/typeplane/typeplane/registry/rest"
	"github.com/typeplane/typeplane/runtime/runtimetest/widget"
	"github.com/typeplane/typeplane/storage/memory"
)

// A resource is defined with the type of its hub, and then bound to a scheme and a store.
func ExampleDefine() {
	widgets := registry.Define(registry.Definition[*widget.Widget]{
		GroupKind:      widget.GroupKind,
		Plural:         "widgets",
		Namespaced:     true,
		StorageVersion: widget.GV1,
		Versions:       []schema.GroupVersion{widget.GV1, widget.GV1beta1},
		Strategy: registry.Strategy[*widget.Widget]{
			Validate: func(_ context.Context, w *widget.Widget) (errs field.ErrorList) {
				if w.Spec.Replicas > 100 {
					errs = append(errs, field.Invalid(field.NewPath("spec", "replicas"), w.Spec.Replicas, "must be 100 or less"))
				}
				return errs
			},
		},
	})
	scheme := widget.Scheme()
	form, err := widgets.Form(scheme, registry.Options{})
	if err != nil {
		fmt.Println(err)
		return
	}
	served, err := widgets.Serve(scheme, memory.New(memory.Config{Form: form}), registry.Options{})
	if err != nil {
		fmt.Println(err)
		return
	}

	v1, ctx := served[0], context.Background()
	many := int32(1000)
	obj := &widget.V1{ObjectMeta: metav1.ObjectMeta{Name: "w"}, Spec: widget.V1Spec{Replicas: &many}}
	_, err = v1.Create.Create(ctx, new(rest.Request), rest.Name{Namespace: "default"}, obj, metav1.CreateOptions{})
	fmt.Println(err)

	list, err := v1.List.List(ctx, "default", metav1.ListOptions{})
	if err != nil {
		fmt.Println(err)
		return
	}
	list.WriteTo(os.Stdout, rest.Representation{MediaType: rest.JSON})
	// Output:
	// Widget.shop.example.com "w" is invalid: spec.replicas: Invalid value: 1000: must be 100 or less
	// {"kind":"WidgetList","apiVersion":"shop.example.com/v1","metadata":{"resourceVersion":"1"},"items":[]}
}
