package registry

import (
	"bytes"
	"fmt"
	"maps"
	"strings"
	"unicode/utf8"

	"github.com/typeplane/typeplane/runtime"
	"github.com/typeplane/typeplane/storage"
)

// warnDropped warns the client if the write from old, which current holds, to hub removes fields
// that the version of the request does not show. Conversion keeps those in an annotation. It drops
// them if they would change a field that the client has written, or if the client leaves the
// annotation out. A check that fails is ignored, because no write should fail for a warning.
func (e *endpoint) warnDropped(w *write, hub, old runtime.Object, current storage.Entry) {
	if !e.converts(current) {
		return
	}
	seen, err := e.Kind.FromHub(old)
	if err != nil || !keeps(seen) {
		return
	}
	in := e.showing(old)
	if in == nil {
		return
	}
	meta := runtime.Meta(seen)
	meta.Annotations = maps.Clone(meta.Annotations)
	delete(meta.Annotations, runtime.LosslessAnnotation)
	shown, err := e.Kind.ToHub(seen)
	if err != nil {
		return
	}
	if paths, n, err := e.owners.Lost(in, old, shown, hub); err == nil && n > 0 {
		w.Warn(fmt.Sprintf("this write removed fields that %s does not show: %s of %s", e.Kind.GroupVersionKind().GroupVersion(), named(paths, n), in.GroupVersionKind().GroupVersion()))
	}
}

// converts reports whether a write at the endpoint goes through a version that may not show all of
// an entry. It costs nothing where a kind has one version, and little in the stored version.
func (e *endpoint) converts(current storage.Entry) bool {
	switch {
	case e.wholly && e.writes == nil: // the author's function changes the hub
		return false
	case len(e.def.Versions) < 2:
		return false
	}
	return !e.Stored() || bytes.Contains(current.Value, []byte(runtime.LosslessAnnotation))
}

// keeps reports whether an object of a version carries fields that the version does not show.
func keeps(obj runtime.Object) bool {
	_, ok := runtime.Meta(obj).Annotations[runtime.LosslessAnnotation]
	return ok
}

// showing returns a version that shows all of a hub, the stored one if it does; nil if there is
// none.
func (e *endpoint) showing(hub runtime.Object) *runtime.Kind {
	for _, k := range append([]*runtime.Kind{e.Storage()}, e.codec.Scheme.KindsOfHub(e.Kind.Hub())...) {
		if k == e.Kind {
			continue
		}
		if obj, err := k.FromHub(hub); err == nil && !keeps(obj) {
			return k
		}
	}
	return nil
}

// maxPath is how many bytes of a path a warning names: a key in it may be as long as the object.
const maxPath = 128

// named lists the paths of fields in a warning. n is how many there are.
func named(paths []string, n int) string {
	short := make([]string, len(paths))
	for i, path := range paths {
		if len(path) > maxPath {
			end := maxPath
			for !utf8.RuneStart(path[end]) {
				end--
			}
			path = path[:end] + "…"
		}
		short[i] = path
	}
	text := strings.Join(short, ", ")
	if more := n - len(paths); more > 0 {
		text += fmt.Sprintf(" and %d more", more)
	}
	return text
}
