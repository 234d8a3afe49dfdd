package tree

import "sigs.k8s.io/structured-merge-diff/v6/fieldpath"

// Remove is an object without some fields. A list or map of which nothing is left is null.
func (t *Type) Remove(v map[string]any, fields *fieldpath.Set) map[string]any {
	left, _ := t.remove(v, fields).(map[string]any)
	return left
}

func (t *Type) remove(v any, fields *fieldpath.Set) any {
	switch t.of(v).first() {
	case isObject:
		members, _ := v.(map[string]any)
		if len(members) == 0 || t.object.atomic {
			return nil
		}
		return t.object.remove(members, fields)
	case isList:
		items, _ := v.([]any)
		if len(items) == 0 || t.list.atomic {
			return nil
		}
		return t.list.remove(items, fields)
	}
	return v
}

func (o *object) remove(members map[string]any, fields *fieldpath.Set) any {
	left := make(map[string]any, len(members))
	for name, inner := range members {
		at := fieldpath.PathElement{FieldName: &name}
		if fields.Members.Has(at) {
			continue
		}
		if below, ok := fields.Children.Get(at); ok && !below.Empty() {
			t, _ := o.member(name)
			inner = t.remove(inner, below)
		}
		left[name] = inner
	}
	if len(left) == 0 {
		return nil
	}
	return left
}

func (l *list) remove(v []any, fields *fieldpath.Set) any {
	var left []any
	for _, item := range v {
		at := l.element(item)
		if fields.Members.Has(at) {
			continue
		}
		if below, ok := fields.Children.Get(at); ok && !below.Empty() {
			item = l.items.remove(item, below)
		}
		left = append(left, item)
	}
	if len(left) == 0 {
		return nil
	}
	return left
}

// WithParents is a set of fields with those declared fields among its members that it has only
// something below of.
func (t *Type) WithParents(fields *fieldpath.Set) *fieldpath.Set {
	out := fieldpath.NewSet()
	out.Members = *out.Members.Union(&fields.Members)
	fields.Children.Iterate(func(at fieldpath.PathElement) {
		below, _ := fields.Children.Get(at)
		inner, declared := t.at(at)
		if declared {
			out.Members.Insert(at)
		}
		*out.Children.Descend(at) = *inner.WithParents(below)
	})
	return out
}

// at is the type of what is at an element of a path; nil: there is none. declared says that it is a
// field.
func (t *Type) at(element fieldpath.PathElement) (inner *Type, declared bool) {
	switch {
	case t == nil:
	case element.FieldName != nil && t.kinds&isObject != 0:
		return t.object.member(*element.FieldName)
	case element.Key != nil && t.kinds&isList != 0:
		return t.list.items, false
	}
	return nil, false
}
