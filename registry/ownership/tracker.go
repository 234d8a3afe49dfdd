package ownership

import (
	"sync"

	"github.com/typeplane/typeplane/runtime"
)

// Tracker knows who owns which fields of the objects of one version. It may be used by any goroutine.
type Tracker struct {
	scheme      *runtime.Scheme
	kind        *runtime.Kind
	subresource string
	ignored     []Path
	applier     func() (*applier, error) // made for the first apply patch
}

// Path is a field in every version of a kind: its names in JSON, from the outside in.
type Path []string

// Tracker returns nil if nobody can own a field of the kind: its version has no schemas, or no function that compares two
// objects. subresource is what is written to, "" for the object; reset are the fields that such a write does not change,
// whatever it says, so that nobody owns them by it. What a version carries for the others (runtime.LosslessAnnotation) is
// nobody's in any case.
func (s *Schemas) Tracker(scheme *runtime.Scheme, kind *runtime.Kind, subresource string, reset ...Path) *Tracker {
	if s == nil || s.openAPI[kind.GroupVersionKind().GroupVersion()] == "" || !kind.ComparesFields() {
		return nil
	}
	t := &Tracker{scheme: scheme, kind: kind, subresource: subresource}
	t.ignored = append(reset, Path{"metadata", "annotations", runtime.LosslessAnnotation})
	t.applier = sync.OnceValues(func() (*applier, error) { return t.newApplier(s) })
	return t
}
