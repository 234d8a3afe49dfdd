package namespace_test

import (
	"encoding/json"
	"strings"
	"testing"

	corev1 "k8s.io/api/core/v1"

	"github.com/typeplane/typeplane"
	"github.com/typeplane/typeplane/apitest"
	"github.com/typeplane/typeplane/internal/features/servertest"
)

// Deleting a namespace deletes what is in it, in every group; what has finalizers is waited for,
// and named.
func TestNamespaceIsEmptiedAndGoes(t *testing.T) {
	for name, cache := range map[string]bool{"cached": true, "uncached": false} {
		t.Run(name, func(t *testing.T) {
			c := servertest.Start(t, func(o *typeplane.Options) { o.Store.WatchCache = cache })
			for _, standing := range []string{"default", "kube-system", "kube-public"} {
				c.Want(200, `"phase":"Active"`, "GET", servertest.Namespaces+"/"+standing, "")
				c.Want(200, `"uid"`, "GET", servertest.Namespaces+"/"+standing+"/serviceaccounts/default", "")
				c.Want(403, "this namespace may not be deleted", "DELETE", servertest.Namespaces+"/"+standing, "")
			}
			c.Want(405, "", "DELETE", servertest.Namespaces, "")
			c.Want(201, `"finalizers":["kubernetes"]`, "POST", servertest.Namespaces, `{"metadata":{"name":"room"}}`)
			c.Until(200, `"uid"`, servertest.Namespaces+"/room/serviceaccounts/default")
			c.Want(201, "", "POST", servertest.Namespaces+"/room/secrets", `{"metadata":{"name":"a"}}`)
			c.Want(201, "", "POST", "/apis/coordination.k8s.io/v1/namespaces/room/leases", `{"metadata":{"name":"b"}}`)
			c.Want(201, "", "POST", servertest.Namespaces+"/room/configmaps", `{"metadata":{"name":"kept","finalizers":["example.com/f"]}}`)

			c.Want(200, `"phase":"Terminating"`, "DELETE", servertest.Namespaces+"/room", "")
			c.Want(403, "because it is being terminated", "POST", servertest.Namespaces+"/room/secrets", `{"metadata":{"name":"late"}}`)
			ns := c.Until(200, "SomeFinalizersRemain", servertest.Namespaces+"/room")
			for _, says := range []string{"configmaps has 1 resource instances", "example.com/f in 1 resource instances", "ContentDeleted"} {
				if !strings.Contains(ns, says) {
					t.Errorf("nothing about %q in %s", says, ns)
				}
			}
			c.Until(200, `"items":[]`, servertest.Namespaces+"/room/secrets")
			c.Until(200, `"items":[]`, "/apis/coordination.k8s.io/v1/namespaces/room/leases")

			// Nothing but finalize takes the finalizer off.
			c.Want(200, `"finalizers":["kubernetes"]`, "PATCH", servertest.Namespaces+"/room", `{"spec":{"finalizers":[]}}`)
			c.Want(200, "", "PATCH", servertest.Namespaces+"/room/configmaps/kept", `{"metadata":{"finalizers":[]}}`)
			c.Until(404, "", servertest.Namespaces+"/room")
			c.Want(201, "", "POST", servertest.Namespaces, `{"metadata":{"name":"room"}}`)
		})
	}
}

// A finalizer of somebody else keeps an empty namespace until finalize takes it off.
func TestFinalize(t *testing.T) {
	c := servertest.Start(t)
	c.Want(422, "nor is it fully qualified", "POST", servertest.Namespaces, `{"metadata":{"name":"room"},"spec":{"finalizers":["mine"]}}`)
	c.Want(201, "", "POST", servertest.Namespaces, `{"metadata":{"name":"room"},"spec":{"finalizers":["example.com/mine"]}}`)
	c.Want(200, "", "DELETE", servertest.Namespaces+"/room", "")
	answer := c.Until(200, `"finalizers":["example.com/mine"]}`, servertest.Namespaces+"/room")
	var ns corev1.Namespace
	if err := json.Unmarshal([]byte(answer), &ns); err != nil {
		t.Fatal(err)
	}
	ns.Spec.Finalizers, ns.Labels = nil, map[string]string{"not": "written"}
	body, _ := json.Marshal(ns)
	if said := c.Want(200, "", "PUT", servertest.Namespaces+"/room/finalize", string(body)); strings.Contains(said, `"not":"written"`) {
		t.Errorf("finalize writes labels: %s", said)
	}
	c.Until(404, "", servertest.Namespaces+"/room")
}

// A server that ends in the middle of a deletion goes on with it.
func TestNamespaceGoesAfterRestart(t *testing.T) {
	dir := t.TempDir()
	here := func(o *typeplane.Options) { o.Store.DataDir = dir }
	t.Run("before", func(t *testing.T) {
		c := servertest.Start(t, apitest.Embedded, here)
		c.Want(201, "", "POST", servertest.Namespaces, `{"metadata":{"name":"room"}}`)
		c.Want(201, "", "POST", servertest.Namespaces+"/room/configmaps", `{"metadata":{"name":"kept","finalizers":["example.com/f"]}}`)
		c.Want(200, "", "DELETE", servertest.Namespaces+"/room", "")
	})
	t.Run("after", func(t *testing.T) {
		c := servertest.Start(t, apitest.Embedded, here)
		c.Until(200, "SomeFinalizersRemain", servertest.Namespaces+"/room")
		c.Want(200, "", "PATCH", servertest.Namespaces+"/room/configmaps/kept", `{"metadata":{"finalizers":null}}`)
		c.Until(404, "", servertest.Namespaces+"/room")
	})
}
