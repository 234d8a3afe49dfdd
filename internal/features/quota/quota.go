package quota

import (
	"context"

	"k8s.io/apimachinery/pkg/runtime/schema"

	"github.com/typeplane/typeplane"
	"github.com/typeplane/typeplane/admission"
)

// quotasResource is how quotas are recognized.
var quotasResource = schema.GroupVersionResource{Version: "v1", Resource: "resourcequotas"}

// recount is what a kube-controller-manager calls the loop that counts.
const recount = "resourcequota-controller"

// API returns quotas for a server that asks for them, with the plug-in that charges them.
func API() typeplane.API {
	api := newAPI()
	api.Admission = []typeplane.AdmissionPlugin{{
		Name: PluginName, Last: true, Configurable: true, Needs: []schema.GroupVersionResource{quotasResource}, KeyPrefix: GatePrefix, New: newPlugin,
	}}
	api.Controllers = []string{recount}
	return api
}

// newPlugin makes the plug-in, and has counted what was written before the server had it, or while
// another one had not.
func newPlugin(_ context.Context, h *typeplane.Host, file []byte) (admission.Plugin, error) {
	limited, err := limitedResources(file)
	if err != nil {
		return admission.Plugin{}, err
	}
	config := Config{Gates: h.Store(GatePrefix), Limited: limited}
	for _, objects := range h.Stored {
		config.Objects = append(config.Objects, objects)
		if objects.Names()[0] == quotasResource.GroupResource() {
			config.Quotas = objects
		}
	}
	plugin, err := New(config)
	if err == nil && h.Controls(recount) {
		c := &counter{quotas: *h.Resource(quotasResource, ""), status: *h.Resource(quotasResource, "status"), log: h.Log}
		h.Alone("typeplane-quota", c.run)
	}
	return plugin, err
}
