package subresource

import (
	"fmt"

	apiruntime "k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/runtime/schema"

	"github.com/typeplane/typeplane/admission"
	"github.com/typeplane/typeplane/runtime/serializer"
)

// codec shows admission what a subresource takes, which is the same in all versions.
type codec struct {
	versions []admission.Version
	new      func() apiruntime.Object
}

// NewCodec is that of a body that new makes an empty one of. The kind is the same in all
// versions; there is one at least.
func NewCodec(versions []admission.Version, new func() apiruntime.Object) admission.Codec {
	return codec{versions, new}
}

func (c codec) Versions() []admission.Version { return c.versions }

func (c codec) kind() schema.GroupVersionKind { return c.versions[0].Kind }

func (c codec) Encode(obj apiruntime.Object, _ admission.Version) ([]byte, error) {
	body := obj.DeepCopyObject()
	body.GetObjectKind().SetGroupVersionKind(c.kind())
	return serializer.Append(nil, body, serializer.JSON, false)
}

func (c codec) Decode(data []byte, _ admission.Version) (apiruntime.Object, error) {
	body := c.new()
	gvk, strict, err := serializer.DecodeInto(data, serializer.JSON, c.kind(), body)
	if err == nil && gvk != c.kind() {
		err = fmt.Errorf("it is a %s, want a %s", gvk, c.kind())
	}
	if err == nil {
		err = serializer.Decoded{Strict: strict}.StrictError()
	}
	return body, err
}

// Merge refuses everything: there is no schema of what a subresource takes.
func (c codec) Merge([]byte, map[string]any, admission.Version) ([]byte, error) {
	return nil, fmt.Errorf("an apply configuration can't be merged into a %s of a subresource: use a JSON patch", c.kind().Kind)
}
