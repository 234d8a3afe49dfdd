package apis

import (
	"bytes"
	"context"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime/schema"

	"github.com/typeplane/typeplane/admission"
	"github.com/typeplane/typeplane/admission/namespacelifecycle"
	"github.com/typeplane/typeplane/boot"
	"github.com/typeplane/typeplane/registry/rest"
	"github.com/typeplane/typeplane/runtime/wire"
)

// What the plug-ins read.
var (
	namespacesResource = schema.GroupVersionResource{Version: "v1", Resource: "namespaces"}
)

// admissionPlugins are the plug-ins of Kubernetes, in the order of kube-apiserver.
func admissionPlugins(x Extras) []boot.AdmissionPlugin {
	return append([]boot.AdmissionPlugin{
		{Name: namespacelifecycle.Name, Needs: []schema.GroupVersionResource{namespacesResource}, New: newNamespaceLifecycle},
	}, webhookPlugins(x)...)
}

func newNamespaceLifecycle(_ context.Context, h *boot.Host, _ []byte) (admission.Plugin, error) {
	namespaces := h.Resource(namespacesResource, "").Get
	return namespacelifecycle.New(namespacelifecycle.Config{
		// It is asked for everything that is created, so it looks at the bytes.
		Terminating: func(ctx context.Context, name string, live bool) (bool, error) {
			view, err := namespaces.Get(ctx, rest.Name{Name: name}, howFresh(live))
			if err != nil {
				return false, err
			}
			var b bytes.Buffer
			if err := view.WriteTo(&b, rest.Form{MediaType: rest.Protobuf}); err != nil {
				return false, err
			}
			meta, err := wire.ReadMeta(b.Bytes())
			return meta.Deleting, err
		},
	}), nil
}

// howFresh are the options of a read that asks the store, or takes what is in memory.
func howFresh(live bool) metav1.GetOptions {
	if live {
		return metav1.GetOptions{}
	}
	return metav1.GetOptions{ResourceVersion: "0"}
}
