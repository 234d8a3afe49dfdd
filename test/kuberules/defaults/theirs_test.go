package defaults

import (
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/kubernetes/pkg/api/legacyscheme"

	_ "k8s.io/kubernetes/pkg/apis/admissionregistration/install" // the versions of the groups, with their defaults
	_ "k8s.io/kubernetes/pkg/apis/apps/install"
	_ "k8s.io/kubernetes/pkg/apis/autoscaling/install"
	_ "k8s.io/kubernetes/pkg/apis/batch/install"
	_ "k8s.io/kubernetes/pkg/apis/certificates/install"
	_ "k8s.io/kubernetes/pkg/apis/coordination/install"
	_ "k8s.io/kubernetes/pkg/apis/core/install"
	_ "k8s.io/kubernetes/pkg/apis/discovery/install"
	_ "k8s.io/kubernetes/pkg/apis/events/install"
	_ "k8s.io/kubernetes/pkg/apis/flowcontrol/install"
	_ "k8s.io/kubernetes/pkg/apis/networking/install"
	_ "k8s.io/kubernetes/pkg/apis/node/install"
	_ "k8s.io/kubernetes/pkg/apis/policy/install"
	_ "k8s.io/kubernetes/pkg/apis/rbac/install"
	_ "k8s.io/kubernetes/pkg/apis/resource/install"
	_ "k8s.io/kubernetes/pkg/apis/scheduling/install"
	_ "k8s.io/kubernetes/pkg/apis/storage/install"
	_ "k8s.io/kubernetes/pkg/apis/storagemigration/install"
)

// storedAs are the kinds that both keep in another version than some of those they serve.
var storedAs = map[schema.GroupKind]schema.GroupVersion{
	{Group: "autoscaling", Kind: "HorizontalPodAutoscaler"}: {Group: "autoscaling", Version: "v2"},
	{Group: "events.k8s.io", Kind: "Event"}:                 {Version: "v1"},
}

// storageOf is the kind in the version in which it is kept.
func storageOf(gvk schema.GroupVersionKind) schema.GroupVersionKind {
	if gv, ok := storedAs[gvk.GroupKind()]; ok {
		return gv.WithKind(gvk.Kind)
	}
	return gvk
}

// theirs is what a kube-apiserver makes of the text of an object: what it answers to a create.
func theirs(gvk schema.GroupVersionKind, text []byte) ([]byte, error) {
	decoder := legacyscheme.Codecs.UniversalDecoder()
	obj, _, err := decoder.Decode(text, &gvk, nil)
	if err != nil {
		return nil, err
	}
	protobuf, _ := runtime.SerializerInfoForMediaType(legacyscheme.Codecs.SupportedMediaTypes(), runtime.ContentTypeProtobuf)
	stored, err := runtime.Encode(legacyscheme.Codecs.EncoderForVersion(protobuf.Serializer, storageOf(gvk).GroupVersion()), obj)
	if err != nil {
		return nil, err
	}
	if obj, err = runtime.Decode(decoder, stored); err != nil {
		return nil, err
	}
	return runtime.Encode(legacyscheme.Codecs.LegacyCodec(gvk.GroupVersion()), obj)
}
