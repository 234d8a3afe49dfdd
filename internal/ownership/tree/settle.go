package tree

import (
	"encoding/json"
	"strings"

	"sigs.k8s.io/structured-merge-diff/v6/fieldpath"

	runtimejson "github.com/typeplane/typeplane/runtime/json"
)

// A list or map may have become owned as a whole since somebody wrote below it. Whoever owns
// something below it then owns it.

// Settled says that FieldsV1 certainly need no Settle, and can be read.
func (t *Type) Settled(text []byte) bool {
	r := runtimejson.NewReader(text)
	settled := r.Peek() == '{' && t.settled(r, new(bool))
	return settled && r.Err() == nil
}

// settled reads an object of FieldsV1. below tells whether there is something in it.
func (t *Type) settled(r *runtimejson.Reader, below *bool) bool {
	if !r.BeginObject("") {
		return false // null
	}
	for r.NextField("") {
		name := r.Name()
		if r.Peek() != '{' {
			return false
		}
		if name == "." {
			r.Raw()
			continue
		}
		*below = true
		inner, ok := t.named(name)
		if !ok {
			return false
		}
		if inside := false; !inner.settled(r, &inside) || inside && inner.whole() {
			return false
		}
	}
	return true
}

// whole says whether somebody who owns something of the value owns all of it.
func (t *Type) whole() bool {
	if t == nil {
		return false
	}
	switch t.kinds.first() {
	case isObject:
		return t.object.atomic && !t.open
	case isList:
		return t.list.atomic
	}
	return false
}

// named is the type of what an element of a path stands for in FieldsV1; nil: nothing is known of
// it. ok says that the element is one.
func (t *Type) named(name string) (inner *Type, ok bool) {
	kind, text, found := strings.Cut(name, ":")
	switch {
	case !found:
		return nil, false
	case kind == "f":
		inner, _ = t.at(fieldpath.PathElement{FieldName: &text})
	case kind == "k" && strings.HasPrefix(text, "{") || kind == "v":
		if !json.Valid([]byte(text)) {
			return nil, false
		}
		if t != nil && t.kinds.first() == isList {
			inner = t.list.items
		}
	default:
		return nil, false
	}
	if t != nil && t.open {
		return nil, true
	}
	return inner, true
}

// Settle is a set of fields in which every list and map that is owned as a whole is.
func (t *Type) Settle(fields *fieldpath.Set) *fieldpath.Set {
	out := fieldpath.NewSet()
	var whole fieldpath.PathElementSet // in their order, as they come
	fields.Children.Iterate(func(at fieldpath.PathElement) {
		below, _ := fields.Children.Get(at)
		inner, _ := t.at(at)
		switch {
		case below.Empty():
		case inner.whole():
			whole.Insert(at)
		case inner == nil || inner.open || t.open:
			*out.Children.Descend(at) = *below
		default:
			*out.Children.Descend(at) = *inner.Settle(below)
		}
	})
	out.Members = *whole.Union(&fields.Members)
	return out
}
