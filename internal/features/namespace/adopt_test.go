package namespace_test

import (
	"bytes"
	"context"
	"fmt"
	"log/slog"
	"strings"
	"testing"

	"github.com/typeplane/typeplane"
	"github.com/typeplane/typeplane/features"
	"github.com/typeplane/typeplane/internal/features/servertest"
	"github.com/typeplane/typeplane/storage"
	"github.com/typeplane/typeplane/storage/memory"
)

// TestAdopt serves namespaces over objects that were there before: theirs are made, once, and said.
func TestAdopt(t *testing.T) {
	db := memory.NewDatabase()
	start := func(t *testing.T, options ...func(*typeplane.Options)) servertest.Client {
		program := typeplane.Server{Name: "plane", APIs: features.All()}
		program.Storage = func(context.Context, typeplane.StorageConfig) (storage.Backend, error) {
			return storage.Backend{Name: "memory", Open: func(root string, form storage.Form) storage.Interface {
				return memory.New(memory.Config{Database: db, Root: root, Form: form})
			}}, nil
		}
		return servertest.StartProgram(t, program, func(o *typeplane.Options) {
			for _, option := range options {
				option(o)
			}
		})
	}
	t.Run("before", func(t *testing.T) {
		c := start(t, func(o *typeplane.Options) { o.API.Enable = []string{"secrets", "leases"} })
		for n := range 600 { // more than a page
			c.Want(201, "", "POST", servertest.Namespaces+"/many/secrets", fmt.Sprintf(`{"metadata":{"name":"s-%d"}}`, n))
		}
		c.Want(201, "", "POST", "/apis/coordination.k8s.io/v1/namespaces/few/leases", `{"metadata":{"name":"l"}}`)
		c.Want(201, "", "POST", servertest.Namespaces+"/default/secrets", `{"metadata":{"name":"s"}}`)
	})
	var log bytes.Buffer
	t.Run("first", func(t *testing.T) {
		c := start(t, func(o *typeplane.Options) { o.Log = slog.New(slog.NewTextHandler(&log, nil)) })
		c.Want(200, `"phase":"Active"`, "GET", servertest.Namespaces+"/many", "")
		c.Want(201, "", "POST", servertest.Namespaces+"/few/secrets", `{"metadata":{"name":"s"}}`)
		c.Want(200, "", "DELETE", servertest.Namespaces+"/few", "")
		c.Until(404, "", servertest.Namespaces+"/few")
	})
	for _, says := range []string{"namespace=many objects=600", "namespace=few objects=1"} {
		if !strings.Contains(log.String(), says) {
			t.Errorf("the log does not say %q:\n%s", says, log.String())
		}
	}
	t.Run("later", func(t *testing.T) { start(t).Want(404, "", "GET", servertest.Namespaces+"/few", "") })
}
