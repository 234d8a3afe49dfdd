package tree

import (
	"strings"

	"sigs.k8s.io/structured-merge-diff/v6/fieldpath"
)

// path leads from the top of a tree to a value in it. It becomes text only where somebody is told
// of the value: a name in it may be as long as all of the tree.
type path []place

// place is a step of a path: to a member of an object, or to an item of a list.
type place struct {
	name  string
	index int
	key   *list // of which the item is called by its identity; nil: it is a member, or has an index
	item  any
}

func member(name string) place { return place{name: name, index: -1} }

func indexed(i int) place { return place{index: i} }

func (l *list) place(item any) place { return place{index: -1, key: l, item: item} }

func (p *place) element() fieldpath.PathElement {
	switch {
	case p.key != nil:
		return p.key.element(p.item)
	case p.index >= 0:
		return fieldpath.PathElement{Index: &p.index}
	}
	return fieldpath.PathElement{FieldName: &p.name}
}

func (p path) text() string {
	var text strings.Builder
	for i := range p {
		text.WriteString(p[i].element().String())
	}
	return text.String()
}
