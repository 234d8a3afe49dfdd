package quota_test

import (
	"io"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/typeplane/typeplane"
	"github.com/typeplane/typeplane/apitest"
	"github.com/typeplane/typeplane/features"
	"github.com/typeplane/typeplane/internal/features/servertest"
)

// TestQuotasAreCountedWhenThePluginComes writes without the plug-in ResourceQuota, and goes on with
// it.
func TestQuotasAreCountedWhenThePluginComes(t *testing.T) {
	const quotas, secrets = servertest.Namespaces + "/default/resourcequotas", servertest.Namespaces + "/default/secrets"
	dir := t.TempDir()
	here := func(o *typeplane.Options) { o.Store.DataDir = dir }
	t.Run("without", func(t *testing.T) {
		c := servertest.Start(t, apitest.Embedded, here, func(o *typeplane.Options) { o.Admission.Disable = []string{"ResourceQuota"} })
		c.Want(201, `"spec":{"hard":{"secrets":"3"}}`, "POST", quotas, `{"metadata":{"name":"q"},"spec":{"hard":{"secrets":"3"}}}`)
		c.Want(201, "", "POST", secrets, `{"metadata":{"name":"a"}}`)
		c.Want(201, "", "POST", secrets, `{"metadata":{"name":"b"}}`)
	})
	t.Run("with", func(t *testing.T) {
		c := servertest.Start(t, apitest.Embedded, here)
		c.Until(200, `"used":{"secrets":"2"}`, quotas+"/q")
		c.Want(201, "", "POST", secrets, `{"metadata":{"name":"c"}}`)
		c.Want(403, "exceeded quota: q, requested: secrets=1, used: secrets=3, limited: secrets=3", "POST", secrets, `{"metadata":{"name":"d"}}`)
		c.Want(200, "", "DELETE", secrets+"/a", "")
		c.Want(200, `"used":{"secrets":"2"}`, "GET", quotas+"/q", "")
	})
}

// TestNamespaceWithQuotasGoes: what is in it is given back, and nothing of the quotas stays.
func TestNamespaceWithQuotasGoes(t *testing.T) {
	c := servertest.Start(t)
	c.Want(201, "", "POST", servertest.Namespaces, `{"metadata":{"name":"room"}}`)
	c.Want(201, `"used":{"count/resourcequotas":"1","secrets":"0"}`, "POST", servertest.Namespaces+"/room/resourcequotas",
		`{"metadata":{"name":"q"},"spec":{"hard":{"secrets":"3","count/resourcequotas":"1"}}}`)
	c.Want(201, "", "POST", servertest.Namespaces+"/room/secrets", `{"metadata":{"name":"a"}}`)
	c.Want(200, "", "DELETE", servertest.Namespaces+"/room", "")
	c.Until(404, "", servertest.Namespaces+"/room")
	c.Want(201, "", "POST", servertest.Namespaces, `{"metadata":{"name":"room"}}`)
	c.Want(201, "", "POST", servertest.Namespaces+"/room/secrets", `{"metadata":{"name":"a"}}`)
}

// TestConfiguredLimits: the operator says what needs a quota.
func TestConfiguredLimits(t *testing.T) {
	file := filepath.Join(t.TempDir(), "admission.yaml")
	write := func(config string) {
		t.Helper()
		text := "apiVersion: apiserver.config.k8s.io/v1\nkind: AdmissionConfiguration\nplugins:\n- name: ResourceQuota\n  configuration: " + config + "\n"
		if err := os.WriteFile(file, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	write("{apiVersion: apiserver.config.k8s.io/v1, kind: ResourceQuotaConfiguration, limitedResources: [{resource: leases, apiGroup: coordination.k8s.io, matchContains: [leases]}]}")
	c := servertest.Start(t, func(o *typeplane.Options) { o.Admission.ConfigFile = file })
	const leases = "/apis/coordination.k8s.io/v1/namespaces/default/leases"
	c.Want(403, "insufficient quota to consume: count/leases.coordination.k8s.io", "POST", leases, `{"metadata":{"name":"l"}}`)
	c.Want(201, "", "POST", servertest.Namespaces+"/default/resourcequotas", `{"metadata":{"name":"q"},"spec":{"hard":{"count/leases.coordination.k8s.io":"1"}}}`)
	c.Want(201, "", "POST", leases, `{"metadata":{"name":"l"}}`)

	for config, want := range map[string]string{
		"{apiVersion: apiserver.config.k8s.io/v1, kind: WebhookAdmissionConfiguration}":                                `it is a "apiserver.config.k8s.io/v1 WebhookAdmissionConfiguration"`,
		"{apiVersion: apiserver.config.k8s.io/v1, kind: ResourceQuotaConfiguration, limitedResource: []}":              `unknown field "limitedResource"`,
		"{apiVersion: apiserver.config.k8s.io/v1, kind: ResourceQuotaConfiguration, limitedResources: [{a: b}]}":       `unknown field "a"`,
		"{apiVersion: resourcequota.admission.k8s.io/v1beta1, kind: Configuration, limitedResources: [{resource: x}]}": "limitedResources[0]: this server has no quotas for x",
	} {
		write(config)
		o := typeplane.NewOptions("plane")
		o.Store.DataDir, o.Store.InMemory, o.Serving.SecurePort = t.TempDir(), true, 0
		o.Admission.ConfigFile = file
		err := typeplane.Run(t.Context(), typeplane.Server{Name: "plane", APIs: features.All()}, o, io.Discard)
		if err == nil || !strings.Contains(err.Error(), want) || !strings.Contains(err.Error(), "admission plug-in ResourceQuota: ") {
			t.Errorf("%s: %v, want %s", config, err, want)
		}
	}
}
