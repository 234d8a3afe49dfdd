package subresource

import (
	"fmt"

	apiruntime "k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/runtime/schema"

	"github.com/typeplane/typeplane/admission"
	"github.com/typeplane/typeplane/runtime/serializer"
)

// forms shows admission what a subresource takes, which is the same in all versions.
type forms struct {
	versions []admission.Version
	new      func() apiruntime.Object
}

// NewForms are those of a body that new makes an empty one of. The kind is the same in all
// versions; there is one at least.
func NewForms(versions []admission.Version, new func() apiruntime.Object) admission.Forms {
	return forms{versions, new}
}

func (f forms) Versions() []admission.Version { return f.versions }

func (f forms) kind() schema.GroupVersionKind { return f.versions[0].Kind }

func (f forms) Encode(obj apiruntime.Object, _ admission.Version) ([]byte, error) {
	body := obj.DeepCopyObject()
	body.GetObjectKind().SetGroupVersionKind(f.kind())
	return serializer.Append(nil, body, serializer.JSON, false)
}

func (f forms) Decode(data []byte, _ admission.Version) (apiruntime.Object, error) {
	body := f.new()
	gvk, strict, err := serializer.DecodeInto(data, serializer.JSON, f.kind(), body)
	if err == nil && gvk != f.kind() {
		err = fmt.Errorf("it is a %s, want a %s", gvk, f.kind())
	}
	if err == nil {
		err = serializer.Decoded{Strict: strict}.StrictError()
	}
	return body, err
}
