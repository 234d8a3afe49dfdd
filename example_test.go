package typeplane_test

import (
	"context"
	"errors"
	"fmt"
	"log"
	"net/http"
	"sync/atomic"
	"testing"
	"time"

	"github.com/typeplane/typeplane"
	"github.com/typeplane/typeplane/admission"
	"github.com/typeplane/typeplane/apitest"
	"github.com/typeplane/typeplane/auth"
	"github.com/typeplane/typeplane/examples/shop"
	v1 "github.com/typeplane/typeplane/examples/shop/v1"
	"github.com/typeplane/typeplane/internal/ask"
	"github.com/typeplane/typeplane/storage"
	"github.com/typeplane/typeplane/storage/memory"
	"github.com/typeplane/typeplane/storage/storagetest"
)

const (
	orders   = "/apis/shop.example.org/v1/namespaces/default/orders"
	penOrder = `{"apiVersion":"shop.example.org/v1","kind":"Order","metadata":{"name":"first"},"spec":{"item":"pen"}}`
	bigOrder = `{"apiVersion":"shop.example.org/v1","kind":"Order","metadata":{"name":"big"},"spec":{"item":"pen","quantity":1000}}`
)

// serve starts a server until stop is called. A program calls typeplane.Main instead.
func serve(program typeplane.Server) (server *apitest.Server, stop func()) {
	server, err := apitest.New(program)
	if err != nil {
		log.Fatal(err)
	}
	return server, func() {
		if err := server.Close(); err != nil {
			log.Fatal(err)
		}
	}
}

// A kind is a struct with markers: package examples/shop/v1 has that of Order. gen prints all that
// serving it needs, and shop.API, by which a program asks for it.
func ExampleServer() {
	server, stop := serve(typeplane.Server{Name: "shop", APIs: []typeplane.API{shop.API()}})
	defer stop()

	fmt.Println(ask.Send(server, "POST", orders, penOrder))
	fmt.Println(ask.Send(server, "PATCH", orders+"/first", `{"spec":{"quantity":-1}}`))
	fmt.Println(ask.Send(server, "GET", orders+"?fieldSelector=spec.item=pen", ""))
	// Output:
	// 201 Order first {"item":"pen","quantity":1}
	// 422 Order.shop.example.org "first" is invalid: spec.quantity: Invalid value: -1: must be greater than or equal to 1
	// 200 OrderList first
}

// Several servers may join an API: each has its own objects, and what else it wants.
func ExampleAPI() {
	front := typeplane.Server{Name: "front", APIs: []typeplane.API{shop.API()}}
	back := typeplane.Server{Name: "back", APIs: []typeplane.API{shop.API()}, Authorizer: auth.Everybody{}}
	for _, program := range []typeplane.Server{front, back} {
		server, stop := serve(program)
		fmt.Println(ask.Send(server, "POST", orders, penOrder))
		fmt.Println(ask.Send(server, "GET", "/apis/shop.example.org/v1", ""))
		stop()
	}
	// Output:
	// 201 Order first {"item":"pen","quantity":1}
	// 200 APIResourceList
	// 201 Order first {"item":"pen","quantity":1}
	// 200 APIResourceList
}

// A plug-in of admission looks at each write, whatever the kind. Wants says which it is asked
// about.
func ExampleAdmissionPlugin() {
	careful := func(context.Context, *typeplane.Host, []byte) (admission.Plugin, error) {
		return admission.Plugin{
			Wants: func(r *admission.Request) bool {
				return r.Resource.Resource == "orders" && r.Operation == admission.Create
			},
			Validate: func(ctx context.Context, r *admission.Request) error {
				if r.Object.(*v1.Order).Spec.Quantity > 100 {
					return errors.New("more than 100 are for resellers")
				}
				return nil
			},
		}, nil
	}
	server, stop := serve(typeplane.Server{
		Name: "shop", APIs: []typeplane.API{shop.API()},
		Admission: []typeplane.AdmissionPlugin{{Name: "Careful", New: careful}},
	})
	defer stop()

	fmt.Println(ask.Send(server, "POST", orders, penOrder))
	fmt.Println(ask.Send(server, "POST", orders, bigOrder))
	// Output:
	// 201 Order first {"item":"pen","quantity":1}
	// 403 orders.shop.example.org "big" is forbidden: more than 100 are for resellers
}

// doorkeeper knows users by a header.
type doorkeeper struct{}

func (doorkeeper) Authenticate(req *http.Request) (*auth.User, error) {
	switch req.Header.Get("Door-Code") {
	case "":
		return nil, nil // somebody else may know who it is
	case "1234":
		return &auth.User{Name: "ada", Groups: []string{"customers", auth.GroupAuthenticated}, Deliberate: true}, nil
	}
	return nil, errors.New("there is no such door code")
}

// Authorize lets customers look.
func (doorkeeper) Authorize(_ context.Context, a auth.Attributes) (auth.Decision, string, error) {
	if a.User.In("customers") && (a.Verb == "get" || a.Verb == "list") {
		return auth.Allow, "", nil
	}
	return auth.NoOpinion, "customers look, and do not touch", nil
}

// An Authenticator says who sends a request, an Authorizer what they may do.
func ExampleServer_authenticator() {
	server, stop := serve(typeplane.Server{
		Name: "shop", APIs: []typeplane.API{shop.API()},
		Authenticator: doorkeeper{}, Authorizer: doorkeeper{},
	})
	defer stop()

	fmt.Println(ask.Send(server, "GET", orders, "", ask.As{Header: "Door-Code", Value: "0000"}))
	fmt.Println(ask.Send(server, "GET", orders, "", ask.As{Header: "Door-Code", Value: "1234"}))
	fmt.Println(ask.Send(server, "POST", orders, penOrder, ask.As{Header: "Door-Code", Value: "1234"}))
	// Output:
	// 401 Unauthorized
	// 200 OrderList
	// 403 orders.shop.example.org is forbidden: User "ada" cannot create resource "orders" in API group "shop.example.org" in the namespace "default": customers look, and do not touch
}

// counting is a store that counts the objects that are created. It embeds the interface, and not
// the store's own type, so that nothing goes past it.
type counting struct {
	storage.Interface
	created *atomic.Int64
}

func (c counting) Create(ctx context.Context, key string, value []byte, with ...storage.Op) (storage.Entry, error) {
	e, err := c.Interface.Create(ctx, key, value, with...)
	if err == nil {
		c.created.Add(1)
	}
	return e, err
}

// A program may keep its objects in a storage of its own. The watch cache stands in front of it, as
// it does in front of etcd. Package storagetest has the tests that such a store passes.
func ExampleServer_storage() {
	db, created := memory.NewDatabase(), new(atomic.Int64)
	open := func(context.Context, typeplane.StorageConfig) (storage.Backend, error) {
		return storage.Backend{
			Name: "a memory that counts",
			Open: func(root string, form storage.Form) storage.Interface {
				return counting{memory.New(memory.Config{Database: db, Root: root, Form: form}), created}
			},
		}, nil
	}
	server, stop := serve(typeplane.Server{Name: "shop", APIs: []typeplane.API{shop.API()}, Storage: open})
	defer stop()

	before := created.Load() // a server keeps notes of its own
	fmt.Println(ask.Send(server, "POST", orders, penOrder))
	fmt.Println(ask.Send(server, "POST", orders, penOrder))
	fmt.Println(created.Load()-before, "created")
	// Output:
	// 201 Order first {"item":"pen","quantity":1}
	// 409 orders.shop.example.org "first" already exists
	// 1 created
}

// TestCounting: that store keeps the contract.
func TestCounting(t *testing.T) {
	storagetest.Run(t, func(t *testing.T) storagetest.Backend {
		db := memory.NewDatabase()
		return storagetest.Backend{
			Open: func(form storage.Form) storage.Interface {
				return counting{memory.New(memory.Config{Database: db, Form: form, ProgressInterval: 50 * time.Millisecond}), new(atomic.Int64)}
			},
			Put: db.Put,
			Get: db.Get,
			Compact: func(revision int64) {
				if err := db.Compact(revision); err != nil {
					t.Fatal(err)
				}
			},
		}
	})
}
