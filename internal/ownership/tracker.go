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
	// fits says whether the schema is of the Go type, when that is first asked.
	fits func() error
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

// NewTracker returns nil if nobody can own a field of the kind, since there is no schema of it. The
// write is to subresource, "" for the object. The fields in reset are those that such a write does
// not change, whatever it says, so that nobody owns them by it. What a version carries for the
// others (runtime.LosslessAnnotation) is nobody's in any case. An error says that the schemas can't
// be read, which is found out here only if gen has not printed functions for all versions of the
// kind.
func NewTracker(s *Schemas, scheme *runtime.Scheme, kind *runtime.Kind, subresource string, reset ...Path) (*Tracker, error) {
	if s == nil {
		return nil, nil
	}
	if has, err := s.has(kind); err != nil || !has {
		return nil, err
	}
	t := &Tracker{schemas: s, scheme: scheme, kind: kind, subresource: subresource}
	t.fits = sync.OnceValue(t.fit)
	t.ignored = append(reset, Path{"metadata", "annotations", runtime.LosslessAnnotation})
	for _, k := range scheme.KindsOfHub(kind.Hub()) {
		if _, err := s.has(k); err != nil {
			return nil, err
		}
	}
	return t, nil
}

// has says whether there is a schema of a kind. Functions are printed for kinds that have one, so
// that it need not be read then.
func (s *Schemas) has(kind *runtime.Kind) (bool, error) {
	gvk := kind.GroupVersionKind()
	if s.openAPI[gvk.GroupVersion()] == "" || kind.ComparesFields() {
		return s.openAPI[gvk.GroupVersion()] != "", nil
	}
	m, err := s.read()
	if err != nil {
		return false, err
	}
	return m.kinds[gvk] != nil, nil
}
