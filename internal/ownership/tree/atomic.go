package tree

import (
	"maps"
	"slices"

	"sigs.k8s.io/structured-merge-diff/v6/fieldpath"
)

// Atomic are the paths of what is owned as a whole in a tree: lists, maps and structs. What is in
// one of them is not looked at any further.
func (t *Type) Atomic(v any) []string { return t.atomic(nil, "", v) }

func (t *Type) atomic(found []string, path string, v any) []string {
	switch v := v.(type) {
	case map[string]any:
		if t.kinds&isObject == 0 {
			return found
		}
		if t.object.atomic {
			return append(found, path)
		}
		for _, name := range slices.Sorted(maps.Keys(v)) {
			if inner, _ := t.object.member(name); inner != nil {
				found = inner.atomic(found, path+fieldpath.PathElement{FieldName: &name}.String(), v[name])
			}
		}
	case []any:
		if t.kinds&isList == 0 {
			return found
		}
		if t.list.atomic {
			return append(found, path)
		}
		for i, item := range v {
			if t.list.items != nil {
				found = t.list.items.atomic(found, path+fieldpath.PathElement{Index: &i}.String(), item)
			}
		}
	}
	return found
}
