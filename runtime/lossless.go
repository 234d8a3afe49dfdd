package runtime

import "maps"

// LosslessAnnotation is the annotation in which an object of a version carries what its version
// can't say. Generated conversions write it, read it and take it away again (see
// generators/conversion), so that no hub ever has it, whatever a client sends. It belongs to
// nobody: field ownership leaves it out, and the limit on the size of annotations does not count
// it.
const LosslessAnnotation = "conversion.typeplane.dev/kept"

// strip takes the annotation away, for versions whose own conversion knows nothing of it. The map
// stays as it is: it may be another object's too.
func strip(hub Object) {
	meta := Meta(hub)
	if _, ok := meta.Annotations[LosslessAnnotation]; !ok {
		return
	}
	meta.Annotations = maps.Clone(meta.Annotations)
	if delete(meta.Annotations, LosslessAnnotation); len(meta.Annotations) == 0 {
		meta.Annotations = nil
	}
}
