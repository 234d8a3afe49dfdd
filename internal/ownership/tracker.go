package ownership

import (
	"sync"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/typeplane/typeplane/runtime"
)

// Tracker knows who owns which fields of the objects of one version. It may be used by any
// goroutine.
type Tracker struct {
	schemas     *Schemas
	scheme      *runtime.Scheme
	kind        *runtime.Kind
	subresource string
	ignored     []Path
	// documents says that the objects are Documents.
	documents bool
	// version returns the version of kind. The first call checks that the schema fits the Go type.
	version func() (version, error)
}

// Document is an object whose fields are those of the JSON that somebody sent, which may be others
// than its Go type writes.
type Document struct {
	// Object is the Go value.
	runtime.Object
	// Content is the JSON without apiVersion, kind and metadata, as an unstructured object has it,
	// but that integers may be uint64. It is not modified.
	Content map[string]any
}

// GetObjectMeta returns the metadata of the Go value.
func (d Document) GetObjectMeta() metav1.Object { return runtime.Meta(d.Object) }

// OfDocuments returns a tracker like t, nil included, to whose Update and Apply all objects are
// given as Documents.
func (t *Tracker) OfDocuments() *Tracker {
	if t == nil {
		return nil
	}
	of := *t
	of.documents = true
	return &of
}

// Path is a field in every version of a kind: its names in JSON, from the outside in.
type Path []string

// NewTracker returns nil if the version of the kind publishes no schemas: then its fields have no
// managers. The write is to subresource, "" for the object. The fields in reset are those that such
// a write does not change, so that it makes nobody their manager. Neither does any write for
// runtime.LosslessAnnotation. It is an error if a version of the kind publishes schemas and none of
// the kind. That is found here only for versions without functions of gen that compare fields,
// because reading schemas takes long.
func NewTracker(s *Schemas, scheme *runtime.Scheme, kind *runtime.Kind, subresource string, reset ...Path) (*Tracker, error) {
	if s == nil || !s.publish(kind.GroupVersionKind()) {
		return nil, nil
	}
	for _, k := range scheme.KindsOfHub(kind.Hub()) {
		if k.ComparesFields() {
			continue
		}
		if _, err := s.of(k.GroupVersionKind()); err != nil {
			return nil, err
		}
	}
	t := &Tracker{schemas: s, scheme: scheme, kind: kind, subresource: subresource}
	t.version = sync.OnceValues(t.fitting)
	t.ignored = append(reset, Path{"metadata", "annotations", runtime.LosslessAnnotation})
	return t, nil
}
