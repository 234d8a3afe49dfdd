package features

import (
	"bytes"
	"context"

	corev1 "k8s.io/api/core/v1"
	storagev1 "k8s.io/api/storage/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime/schema"

	"github.com/typeplane/typeplane"
	"github.com/typeplane/typeplane/admission"
	"github.com/typeplane/typeplane/admission/defaultstorageclass"
	"github.com/typeplane/typeplane/admission/limitranger"
	"github.com/typeplane/typeplane/admission/namespacelifecycle"
	"github.com/typeplane/typeplane/admission/resourcequota"
	"github.com/typeplane/typeplane/admission/serviceaccount"
	"github.com/typeplane/typeplane/control/quota"
	"github.com/typeplane/typeplane/features/core"
	"github.com/typeplane/typeplane/registry/rest"
	"github.com/typeplane/typeplane/runtime/wire"
	"github.com/typeplane/typeplane/storage"
)

// What the plug-ins read.
var (
	namespacesResource      = schema.GroupVersionResource{Version: "v1", Resource: "namespaces"}
	limitRangesResource     = schema.GroupVersionResource{Version: "v1", Resource: "limitranges"}
	serviceAccountsResource = schema.GroupVersionResource{Version: "v1", Resource: "serviceaccounts"}
	storageClassesResource  = schema.GroupVersionResource{Group: storagev1.GroupName, Version: "v1", Resource: "storageclasses"}
	quotasResource          = schema.GroupVersionResource{Version: "v1", Resource: "resourcequotas"}
)

// admissionPlugins are the plug-ins of Kubernetes, in the order of kube-apiserver.
func admissionPlugins(x Extras) []typeplane.AdmissionPlugin {
	return append([]typeplane.AdmissionPlugin{
		{Name: namespacelifecycle.Name, Needs: []schema.GroupVersionResource{namespacesResource}, New: newNamespaceLifecycle},
		{Name: limitranger.Name, Needs: []schema.GroupVersionResource{limitRangesResource}, New: newLimitRanger},
		{Name: serviceaccount.Name, Needs: []schema.GroupVersionResource{serviceAccountsResource}, New: newServiceAccount},
		{Name: defaultstorageclass.Name, Needs: []schema.GroupVersionResource{storageClassesResource}, New: newDefaultStorageClass},
		{Name: resourcequota.Name, Last: true, Configurable: true, Needs: []schema.GroupVersionResource{quotasResource}, Keeps: resourcequota.GatePrefix, New: newResourceQuota},
	}, webhookPlugins(x)...)
}

func newNamespaceLifecycle(_ context.Context, h *typeplane.Host, _ []byte) (admission.Plugin, error) {
	namespaces := h.Resource(namespacesResource, "").Get
	keys := namespaceKeys()
	return namespacelifecycle.New(namespacelifecycle.Config{
		// It is asked for everything that is created, so it looks at the bytes.
		Namespace: func(ctx context.Context, name string, live bool) (ns namespacelifecycle.Namespace, err error) {
			view, err := namespaces.Get(ctx, rest.Name{Name: name}, howFresh(live))
			if err != nil {
				return ns, err
			}
			var b bytes.Buffer
			if err := view.WriteTo(&b, rest.Form{MediaType: rest.Protobuf}); err != nil {
				return ns, err
			}
			meta, err := wire.ReadMeta(b.Bytes())
			if err != nil {
				return ns, err
			}
			revision, err := storage.ParseRevision(meta.ResourceVersion)
			ns.Terminating = meta.Deleting
			ns.Unchanged = storage.Op{Key: keys + name, Expected: revision, Act: storage.Expect}
			return ns, err
		},
	}), nil
}

func newLimitRanger(_ context.Context, h *typeplane.Host, _ []byte) (admission.Plugin, error) {
	ranges := h.Resource(limitRangesResource, "").List
	return limitranger.New(limitranger.Config{
		// A range counts as soon as it is made: whoever makes one and then a pod expects that.
		LimitRanges: func(ctx context.Context, namespace string) ([]corev1.LimitRange, error) {
			var list corev1.LimitRangeList
			err := readAll(ctx, ranges, namespace, &list)
			return list.Items, err
		},
	}), nil
}

func newServiceAccount(_ context.Context, h *typeplane.Host, _ []byte) (admission.Plugin, error) {
	accounts := h.Resource(serviceAccountsResource, "").Get
	return serviceaccount.New(serviceaccount.Config{
		Account: func(ctx context.Context, namespace, name string, live bool) (*corev1.ServiceAccount, error) {
			view, err := accounts.Get(ctx, rest.Name{Namespace: namespace, Name: name}, howFresh(live))
			if err != nil {
				return nil, err
			}
			account := new(corev1.ServiceAccount)
			return account, decode(view, account)
		},
	}), nil
}

func newDefaultStorageClass(_ context.Context, h *typeplane.Host, _ []byte) (admission.Plugin, error) {
	classes := h.Resource(storageClassesResource, "").List
	return defaultstorageclass.New(defaultstorageclass.Config{
		StorageClasses: func(ctx context.Context) ([]storagev1.StorageClass, error) {
			var list storagev1.StorageClassList
			err := readAll(ctx, classes, "", &list)
			return list.Items, err
		},
	}), nil
}

// newResourceQuota counts what was written before the server had the plug-in, or while another one
// had not.
func newResourceQuota(_ context.Context, h *typeplane.Host, file []byte) (admission.Plugin, error) {
	limited, err := limitedResources(file)
	if err != nil {
		return admission.Plugin{}, err
	}
	config := resourcequota.Config{Gates: h.Kept(resourcequota.GatePrefix), Limited: limited}
	for _, ledger := range h.Ledgers {
		config.Objects = append(config.Objects, ledger)
		if ledger.Names()[0] == quotasResource.GroupResource() {
			config.Quotas = ledger
		}
	}
	plugin, err := resourcequota.New(config)
	if err == nil {
		counter := &quota.Counter{Quotas: *h.Resource(quotasResource, ""), Status: *h.Resource(quotasResource, "status"), Log: h.Log}
		h.Go(alone(h, "typeplane-quota", counter.Run))
	}
	return plugin, err
}

// namespaceKeys is the prefix of the keys of namespaces.
func namespaceKeys() string {
	for _, r := range core.API().Resources {
		if r.GroupResource() == namespacesResource.GroupResource() {
			return r.KeyPrefix()
		}
	}
	panic("apis/core has no namespaces")
}

// howFresh are the options of a read that asks the store, or takes what is in memory.
func howFresh(live bool) metav1.GetOptions {
	if live {
		return metav1.GetOptions{}
	}
	return metav1.GetOptions{ResourceVersion: "0"}
}

// readAll reads what there is of a resource at this moment.
func readAll(ctx context.Context, r rest.Lister, namespace string, list unmarshaler) error {
	view, err := r.List(ctx, namespace, metav1.ListOptions{})
	if err != nil {
		return err
	}
	return decode(view, list)
}

// unmarshaler is an object of k8s.io/api.
type unmarshaler interface{ Unmarshal([]byte) error }

// decode makes an object of a view.
func decode(view rest.View, into unmarshaler) error {
	var b bytes.Buffer
	if err := view.WriteTo(&b, rest.Form{MediaType: rest.Protobuf}); err != nil {
		return err
	}
	envelope, err := wire.ParseEnvelope(b.Bytes())
	if err != nil {
		return err
	}
	return into.Unmarshal(envelope.Raw)
}
