package admission_test

import (
	"context"
	"errors"
	"fmt"

	"github.com/typeplane/typeplane/admission"
	v1 "github.com/typeplane/typeplane/examples/shop/v1"
)

// A plug-in is data: functions that are asked about a write. A test asks them through a chain, as a
// server does.
func ExamplePlugin() {
	closed := admission.Plugin{
		Name:  "Closed",
		Wants: func(r *admission.Request) bool { return r.Operation == admission.Create },
		Mutate: func(_ context.Context, r *admission.Request) error {
			if o := r.Object.(*v1.Order); o.Spec.Item == "" {
				o.Spec.Item = "a surprise"
			}
			return nil
		},
		Validate: func(_ context.Context, r *admission.Request) error {
			if r.Namespace == "closed" {
				return errors.New("the shop is closed")
			}
			return nil
		},
	}
	chain := new(admission.Chain)
	chain.Set([]admission.Plugin{closed})

	order := new(v1.Order)
	request := &admission.Request{Operation: admission.Create, Namespace: "closed", Name: "first", Object: order}
	request.Resource.Resource = "orders"
	fmt.Println(chain.Mutate(context.Background(), request), order.Spec.Item)
	fmt.Println(chain.Validate(context.Background(), request))
	// Output:
	// <nil> a surprise
	// orders "first" is forbidden: the shop is closed
}
