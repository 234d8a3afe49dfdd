package apitest_test

import (
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/typeplane/typeplane"
	"github.com/typeplane/typeplane/apitest"
	"github.com/typeplane/typeplane/examples/shop"
	"github.com/typeplane/typeplane/internal/ask"
)

const (
	orders = "/apis/shop.example.org/v1/namespaces/default/orders"
	order  = `{"apiVersion":"shop.example.org/v1","kind":"Order","metadata":{"name":"first"},"spec":{"item":"pen"}}`
)

// TestOrders is how a test in any package starts a server of kinds that it imports.
func TestOrders(t *testing.T) {
	server := apitest.Start(t, typeplane.Server{Name: "shop", APIs: []typeplane.API{shop.API()}})
	if got := ask.Send(server, "POST", orders, order); got != `201 Order first {"item":"pen","quantity":1}` {
		t.Error(got)
	}
}

// TestServersAreApart: tests run side by side, and nothing of one is in another.
func TestServersAreApart(t *testing.T) {
	for name, options := range map[string][]apitest.Option{"memory": nil, "etcd": {apitest.Embedded}} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			server := apitest.Start(t, typeplane.Server{Name: "shop", APIs: []typeplane.API{shop.API()}}, options...)
			for _, want := range []string{"201", "409"} {
				if got := ask.Send(server, "POST", orders, order); !strings.HasPrefix(got, want) {
					t.Errorf("got %s, want %s", got, want)
				}
			}
		})
	}
}

// TestNothingIsLeft: a server without a test removes what it wrote, and so does one that does not
// start.
func TestNothingIsLeft(t *testing.T) {
	t.Setenv("TMPDIR", t.TempDir())
	program := typeplane.Server{Name: "shop", APIs: []typeplane.API{shop.API()}}
	server, err := apitest.New(program, apitest.Embedded)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := os.Stat(server.KubeconfigFile); err != nil {
		t.Error(err)
	}
	if err := server.Close(); err != nil {
		t.Error(err)
	}
	if _, err := apitest.New(program, func(o *typeplane.Options) { o.Serving.BindAddress = "nowhere" }); err == nil {
		t.Error("a server that can't listen has started")
	}
	if left, err := filepath.Glob(filepath.Join(os.TempDir(), "*")); len(left) > 0 || err != nil {
		t.Errorf("left are %q, %v", left, err)
	}
	if _, err := os.Stat(server.KubeconfigFile); !errors.Is(err, os.ErrNotExist) {
		t.Errorf("the kubeconfig of a server that is closed: %v", err)
	}
}
