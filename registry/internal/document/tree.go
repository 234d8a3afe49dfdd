package document

import (
	"maps"
	"slices"

	"github.com/typeplane/typeplane/internal/jsontree"
	runtimejson "github.com/typeplane/typeplane/runtime/json"
)

// Tree is the document as a tree (package jsontree), which belongs to the caller.
func (d Document) Tree() (map[string]any, error) { return readTree(d.AppendObject(nil)) }

// Of makes a document of a tree, of which kind, apiVersion and metadata are left out.
func Of(tree map[string]any) (d Document) {
	for _, name := range slices.Sorted(maps.Keys(tree)) {
		switch {
		case !inDocument(name):
		case name == memberStatus:
			d.Status = jsontree.Append(nil, tree[name])
		default:
			if len(d.Members) > 0 {
				d.Members = append(d.Members, ',')
			}
			d.Members = append(runtimejson.AppendString(d.Members, name), ':')
			d.Members = jsontree.Append(d.Members, tree[name])
		}
	}
	return d
}

// Read makes a document of an object that was sent. It leaves out members that its type does not
// have. It also leaves out those that are null, which count as not sent, except for those that may
// be. whole says that there were none such. It has the defaults that are not seen in the Go value.
// If a member is there twice, the last one counts. What would take too much memory is
// runtime/json's ErrTooLarge.
func Read(text []byte, shape *Shape) (d Document, whole bool, err error) {
	tree, err := readTree(text)
	if err != nil {
		return d, false, err
	}
	whole = shape.prune(tree)
	shape.fill(tree)
	return Of(tree), whole, nil
}

// Pruned is the document without what a shape has no member for.
func (d Document) Pruned(shape *Shape) (Document, error) {
	tree, err := d.Tree()
	if err != nil || shape.prune(tree) {
		return d, err
	}
	return Of(tree), nil
}

// readTree reads an object; of the root, the kind and the metadata are passed over.
func readTree(text []byte) (map[string]any, error) {
	return jsontree.Read(text, func(name string) bool { return !inDocument(name) })
}
