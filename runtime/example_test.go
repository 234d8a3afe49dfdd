package runtime_test

import (
	"fmt"

	apiruntime "k8s.io/apimachinery/pkg/runtime"

	"github.com/typeplane/typeplane/runtime"
	"github.com/typeplane/typeplane/runtime/runtimetest/widget"
)

// A hub and two versions; gen writes such declarations.
func Example() {
	b := runtime.NewBuilder()
	hub := runtime.AddHub(b, widget.GroupKind, func() *widget.Widget { return new(widget.Widget) })
	runtime.AddVersion(hub, runtime.Version[*widget.V1, *widget.Widget]{
		GroupVersion: widget.GV1,
		New:          func() *widget.V1 { return new(widget.V1) },
		NewList:      func() apiruntime.Object { return new(widget.V1List) },
		Default:      widget.DefaultV1,
		ToHub:        widget.V1ToHub,
		FromHub:      widget.HubToV1,
	})
	runtime.AddVersion(hub, runtime.Version[*widget.V1beta1, *widget.Widget]{
		GroupVersion: widget.GV1beta1,
		New:          func() *widget.V1beta1 { return new(widget.V1beta1) },
		NewList:      func() apiruntime.Object { return new(widget.V1beta1List) },
		ToHub:        widget.V1beta1ToHub,
		FromHub:      widget.HubToV1beta1,
	})
	scheme, err := b.Build()
	if err != nil {
		fmt.Println(err) // every mistake, each with its cure
		return
	}

	in := &widget.V1{}
	scheme.Default(in)
	out, err := scheme.Convert(in, widget.GV1beta1.WithKind("Widget"))
	if err != nil {
		fmt.Println(err)
		return
	}
	fmt.Println(out.(*widget.V1beta1).Spec.Colour)
	fmt.Println(scheme.VersionsOf("shop.example.com"))
	// Output:
	// red
	// [shop.example.com/v1 shop.example.com/v1beta1]
}
