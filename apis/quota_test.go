package apis_test

import (
	"testing"

	"github.com/typeplane/typeplane/apitest"
	"github.com/typeplane/typeplane/boot"
)

// TestQuotasAreCountedWhenThePluginComes writes without the plug-in ResourceQuota, and goes on with it.
func TestQuotasAreCountedWhenThePluginComes(t *testing.T) {
	const quotas, secrets = namespaces + "/default/resourcequotas", namespaces + "/default/secrets"
	dir := t.TempDir()
	here := func(o *boot.Options) { o.Store.DataDir = dir }
	t.Run("without", func(t *testing.T) {
		c := start(t, apitest.Embedded, here, func(o *boot.Options) { o.Admission.Disable = []string{"ResourceQuota"} })
		c.want(201, `"spec":{"hard":{"secrets":"3"}}`, "POST", quotas, `{"metadata":{"name":"q"},"spec":{"hard":{"secrets":"3"}}}`)
		c.want(201, "", "POST", secrets, `{"metadata":{"name":"a"}}`)
		c.want(201, "", "POST", secrets, `{"metadata":{"name":"b"}}`)
	})
	t.Run("with", func(t *testing.T) {
		c := start(t, apitest.Embedded, here)
		c.until(200, `"used":{"secrets":"2"}`, quotas+"/q")
		c.want(201, "", "POST", secrets, `{"metadata":{"name":"c"}}`)
		c.want(403, "exceeded quota: q, requested: secrets=1, used: secrets=3, limited: secrets=3", "POST", secrets, `{"metadata":{"name":"d"}}`)
		c.want(200, "", "DELETE", secrets+"/a", "")
		c.want(200, `"used":{"secrets":"2"}`, "GET", quotas+"/q", "")
	})
}

// TestNamespaceWithQuotasGoes: what is in it is given back, and nothing of the quotas stays.
func TestNamespaceWithQuotasGoes(t *testing.T) {
	c := start(t)
	c.want(201, "", "POST", namespaces, `{"metadata":{"name":"room"}}`)
	c.want(201, `"used":{"count/resourcequotas":"1","secrets":"0"}`, "POST", namespaces+"/room/resourcequotas",
		`{"metadata":{"name":"q"},"spec":{"hard":{"secrets":"3","count/resourcequotas":"1"}}}`)
	c.want(201, "", "POST", namespaces+"/room/secrets", `{"metadata":{"name":"a"}}`)
	c.want(200, "", "DELETE", namespaces+"/room", "")
	c.until(404, "", namespaces+"/room")
	c.want(201, "", "POST", namespaces, `{"metadata":{"name":"room"}}`)
	c.want(201, "", "POST", namespaces+"/room/secrets", `{"metadata":{"name":"a"}}`)
}
