package apis_test

import (
	"testing"

	"github.com/typeplane/typeplane/apitest"
	"github.com/typeplane/typeplane/boot"
)

// TestQuotasAreCountedWhenThePluginComes writes without the plug-in ResourceQuota, and goes on with it.
func TestQuotasAreCountedWhenThePluginComes(t *testing.T) {
	const quotas, maps = namespaces + "/default/resourcequotas", namespaces + "/default/configmaps"
	dir := t.TempDir()
	here := func(o *boot.Options) { o.Store.DataDir = dir }
	t.Run("without", func(t *testing.T) {
		c := start(t, apitest.Embedded, here, func(o *boot.Options) { o.Admission.Disable = []string{"ResourceQuota"} })
		c.want(201, `"spec":{"hard":{"configmaps":"3"}}`, "POST", quotas, `{"metadata":{"name":"q"},"spec":{"hard":{"configmaps":"3"}}}`)
		c.want(201, "", "POST", maps, `{"metadata":{"name":"a"}}`)
		c.want(201, "", "POST", maps, `{"metadata":{"name":"b"}}`)
	})
	t.Run("with", func(t *testing.T) {
		c := start(t, apitest.Embedded, here)
		c.until(200, `"used":{"configmaps":"2"}`, quotas+"/q")
		c.want(201, "", "POST", maps, `{"metadata":{"name":"c"}}`)
		c.want(403, "exceeded quota: q, requested: configmaps=1, used: configmaps=3, limited: configmaps=3", "POST", maps, `{"metadata":{"name":"d"}}`)
		c.want(200, "", "DELETE", maps+"/a", "")
		c.want(200, `"used":{"configmaps":"2"}`, "GET", quotas+"/q", "")
	})
}

// TestNamespaceWithQuotasGoes: what is in it is given back, and nothing of the quotas stays.
func TestNamespaceWithQuotasGoes(t *testing.T) {
	c := start(t)
	c.want(201, "", "POST", namespaces, `{"metadata":{"name":"room"}}`)
	c.want(201, `"used":{"configmaps":"0","count/resourcequotas":"1"}`, "POST", namespaces+"/room/resourcequotas",
		`{"metadata":{"name":"q"},"spec":{"hard":{"configmaps":"3","count/resourcequotas":"1"}}}`)
	c.want(201, "", "POST", namespaces+"/room/configmaps", `{"metadata":{"name":"a"}}`)
	c.want(200, "", "DELETE", namespaces+"/room", "")
	c.until(404, "", namespaces+"/room")
	c.want(201, "", "POST", namespaces, `{"metadata":{"name":"room"}}`)
	c.want(201, "", "POST", namespaces+"/room/configmaps", `{"metadata":{"name":"a"}}`)
}
