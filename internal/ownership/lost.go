package ownership

import (
	"github.com/typeplane/typeplane/internal/jsontree"
	"github.com/typeplane/typeplane/internal/ownership/tree"
	"github.com/typeplane/typeplane/runtime"
)

// maxLost is how many paths Lost and Apply return.
const maxLost = 10

// Lost returns the fields of a hub that are in was, and neither in shown nor in is. They are called
// by their paths in one version, which shows all of was. n counts them; only the first are
// returned. Metadata is not compared. The hubs are not modified. A nil Tracker compares without
// schemas.
func (t *Tracker) Lost(in *runtime.Kind, was, shown, is runtime.Object) (paths []string, n int, err error) {
	var trees [3]map[string]any
	for i, hub := range []runtime.Object{was, shown, is} {
		if trees[i], err = contentOf(in, hub); err != nil {
			return nil, 0, err
		}
	}
	var schema *tree.Type
	if t != nil {
		if schema, err = t.schemas.of(in.GroupVersionKind()); err != nil {
			return nil, 0, err
		}
	}
	paths, n = schema.Lost(trees[0], trees[1], trees[2], maxLost)
	return paths, n, nil
}

// contentOf returns the tree of a hub in a version, without apiVersion, kind and metadata.
func contentOf(in *runtime.Kind, hub runtime.Object) (map[string]any, error) {
	obj, err := in.FromHub(hub)
	if err != nil {
		return nil, err
	}
	text, err := in.AppendJSON(nil, obj)
	if err != nil {
		return nil, err
	}
	content, err := jsontree.ReadShared(text)
	return without(content, "apiVersion", "kind", "metadata"), err
}
