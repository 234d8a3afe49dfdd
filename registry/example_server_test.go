package registry_test

import (
	"context"
	"fmt"
	"log"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/apimachinery/pkg/util/validation/field"

	"github.com/typeplane/typeplane"
	"github.com/typeplane/typeplane/apitest"
	"github.com/typeplane/typeplane/examples/shop"
	v1 "github.com/typeplane/typeplane/examples/shop/v1"
	"github.com/typeplane/typeplane/internal/ask"
	"github.com/typeplane/typeplane/registry"
	"github.com/typeplane/typeplane/registry/rest"
)

const (
	orders   = "/apis/shop.example.org/v1/namespaces/default/orders"
	penOrder = `{"apiVersion":"shop.example.org/v1","kind":"Order","metadata":{"name":"first"},"spec":{"item":"pen"}}`
	catOrder = `{"apiVersion":"shop.example.org/v1","kind":"Order","metadata":{"name":"second"},"spec":{"item":"cat"}}`
)

var (
	shopV1    = schema.GroupVersion{Group: "shop.example.org", Version: "v1"}
	orderKind = shopV1.WithKind("Order")
)

// ordersWith is what gen prints for the kind Order.
func ordersWith(strategy registry.Strategy[*v1.Order], parts ...registry.Subresource[*v1.Order]) registry.Resource {
	return registry.Define(registry.Definition[*v1.Order]{
		GroupKind: orderKind.GroupKind(), Plural: "orders", Singular: "order", Namespaced: true,
		StorageVersion: shopV1, Versions: []schema.GroupVersion{shopV1},
		CopyStatus: func(from, to *v1.Order) { to.Status = from.Status },
		Strategy:   strategy, Subresources: parts,
	})
}

// orderServer runs a server of orders, with what else it serves.
func orderServer(resource registry.Resource, virtual ...typeplane.Virtual) *apitest.Server {
	api := shop.API()
	server, err := apitest.New(typeplane.Server{
		Name: "shop", AddToScheme: api.AddToScheme, Resources: []registry.Resource{resource}, Virtual: virtual,
	})
	if err != nil {
		log.Fatal(err)
	}
	return server
}

// A strategy has the rules of a kind that its markers can't express. Where OrderStrategy has a
// method of one of these names, gen finds it.
func ExampleStrategy() {
	server := orderServer(ordersWith(registry.Strategy[*v1.Order]{
		PrepareForCreate: func(_ context.Context, o *v1.Order) {
			if o.Spec.Item == "pen" {
				o.Spec.Quantity = max(o.Spec.Quantity, 10) // they come in boxes
			}
		},
		Validate: func(_ context.Context, o *v1.Order) field.ErrorList {
			if o.Spec.Item == "cat" {
				return field.ErrorList{field.Invalid(field.NewPath("spec", "item"), o.Spec.Item, "cats are not for sale")}
			}
			return nil
		},
	}))
	defer server.Close()

	fmt.Println(ask.Send(server, "POST", orders, penOrder))
	fmt.Println(ask.Send(server, "POST", orders, catOrder))
	// Output:
	// 201 Order first {"item":"pen","quantity":10}
	// 422 Order.shop.example.org "second" is invalid: spec.item: Invalid value: "cat": cats are not for sale
}

// An action is a path below an object. What is posted to it is of a kind of its own, or nothing.
func ExampleAction() {
	send := func(ctx context.Context, of *registry.Parent[*v1.Order], _ *v1.Order) (*v1.Order, error) {
		return of.Update(ctx, func(o *v1.Order) error {
			if o.Status.Sent {
				return apierrors.NewConflict(shopV1.WithResource("orders").GroupResource(), o.Name, fmt.Errorf("it has been sent"))
			}
			o.Status.Sent = true
			return nil
		})
	}
	server := orderServer(ordersWith(registry.Strategy[*v1.Order]{}, registry.Action("send", orderKind, orderKind, send)))
	defer server.Close()

	ask.Send(server, "POST", orders, penOrder)
	fmt.Println(ask.Send(server, "POST", orders+"/first/send", ""))
	fmt.Println(ask.Send(server, "POST", orders+"/first/send", ""))
	// Output:
	// 201 Order first {"item":"pen","quantity":1} {"sent":true}
	// 409 Operation cannot be fulfilled on orders.shop.example.org "first": it has been sent
}

// A virtual resource is worked out when it is asked for, and stored nowhere.
func ExampleVirtual() {
	suggest := func(name, item string) *v1.Order {
		return &v1.Order{ObjectMeta: metav1.ObjectMeta{Name: name}, Spec: v1.OrderSpec{Item: item, Quantity: 1}}
	}
	suggestions := registry.Virtual[*v1.Order]{
		Kind: shopV1.WithKind("Suggestion"), Plural: "suggestions", Singular: "suggestion",
		New: func() *v1.Order { return new(v1.Order) },
		Get: func(_ context.Context, name rest.Name) (*v1.Order, error) {
			return suggest(name.Name, "a book about "+name.Name), nil
		},
		List: func(context.Context, string) ([]*v1.Order, error) {
			return []*v1.Order{suggest("ink", "ink"), suggest("paper", "paper")}, nil
		},
	}
	server := orderServer(ordersWith(registry.Strategy[*v1.Order]{}), suggestions)
	defer server.Close()

	fmt.Println(ask.Send(server, "GET", "/apis/shop.example.org/v1/suggestions/cats", ""))
	fmt.Println(ask.Send(server, "GET", "/apis/shop.example.org/v1/suggestions", ""))
	// Output:
	// 200 Suggestion cats {"item":"a book about cats","quantity":1}
	// 200 SuggestionList ink paper
}
