package fieldset

import "sigs.k8s.io/structured-merge-diff/v6/fieldpath"

// Of returns a comparison whose fields are those of two sets.
func Of(changed, removed *fieldpath.Set) *Comparison {
	c := new(Comparison)
	c.changed.insert(changed)
	c.removed.insert(removed)
	c.differences = c.changed.Size() + c.removed.Size()
	return c
}

// insert adds the fields of another set to an empty one.
func (s *Set) insert(from *fieldpath.Set) {
	child := func(element fieldpath.PathElement) *Set {
		if element.FieldName == nil {
			return s.add(&step{item: &element})
		}
		return s.add(&step{name: *element.FieldName})
	}
	from.Members.Iterate(func(element fieldpath.PathElement) {
		in := child(element)
		in.member = true
		if below, ok := from.Children.Get(element); ok {
			in.insert(below)
		}
	})
	from.Children.Iterate(func(element fieldpath.PathElement) {
		if below, ok := from.Children.Get(element); ok && !from.Members.Has(element) {
			child(element).insert(below)
		}
	})
}
