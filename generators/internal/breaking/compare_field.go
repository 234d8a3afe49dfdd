package breaking

import (
	"cmp"
	"fmt"
	"go/token"
	"slices"
	"strings"

	"github.com/typeplane/typeplane/generators/internal/model"
)

// types compares two structs by the JSON names of their fields.
func (c *comparer) types(old, now *model.Type) {
	key := pair{old, now, c.alpha}
	if c.seen[key] {
		return
	}
	c.seen[key] = true
	if !old.Atomic && now.Atomic || old.Atomic && !now.Atomic {
		c.add(now.Pos, token.Position{}, now.Name, "what is applied to it "+merges(now.Atomic), "keep +structType as it was")
	}
	renamed := map[*model.Field]bool{}
	for _, o := range old.Fields {
		if f := named(now, o.Name); f != nil {
			c.field(now, o, f)
		} else if f := newName(o, old, now); f != nil {
			renamed[f] = true
			c.add(f.Pos, o.Pos, path(now, f), fmt.Sprintf("the field %s is called %s in JSON now", o.Name, f.Name),
				"keep the old name; a new one is for a new version")
		} else {
			c.add(now.Pos, o.Pos, now.Name, fmt.Sprintf("the field %s is gone", o.Name), "keep it, and say in its comment that it is deprecated")
		}
	}
	for _, f := range now.Fields {
		if named(old, f.Name) == nil && !renamed[f] {
			c.added(f, old, now)
		}
	}
}

func named(t *model.Type, name string) *model.Field {
	i := slices.IndexFunc(t.Fields, func(f *model.Field) bool { return f.Name == name })
	if i < 0 {
		return nil
	}
	return t.Fields[i]
}

func merges(atomic bool) string {
	if atomic {
		return "replaces it as a whole now, and was merged into it"
	}
	return "is merged into it now, and replaced it as a whole"
}

// newName finds the field that another has become: a new one with its name in Go, or with its
// number and type.
func newName(o *model.Field, old, now *model.Type) *model.Field {
	for _, f := range now.Fields {
		sameNumber := o.Number != 0 && f.Number == o.Number && f.Shape.String() == o.Shape.String()
		if named(old, f.Name) == nil && (f.GoName == o.GoName || sameNumber) {
			return f
		}
	}
	return nil
}

// added reports what is wrong with a new field.
func (c *comparer) added(f *model.Field, old, now *model.Type) {
	if f.Required {
		c.add(f.Pos, token.Position{}, path(now, f), fmt.Sprintf("the new field %s is required, and no object that there is has it", f.Name),
			"make it +optional, or give it a +default")
	}
	for _, o := range old.Fields {
		if f.Number != 0 && o.Number == f.Number && named(now, o.Name) == nil {
			c.add(f.Pos, o.Pos, path(now, f), fmt.Sprintf("the new field %s has the protobuf number %d, which %s had", f.Name, f.Number, o.Name),
				"numbers are never used again: take the next that is free")
		}
	}
}

func path(owner *model.Type, f *model.Field) string {
	return cmp.Or(f.Owner, owner.Name) + "." + f.GoName
}

// field compares a field that is still there.
func (c *comparer) field(owner *model.Type, old, now *model.Field) {
	say := func(message, cure string) { c.add(now.Pos, token.Position{}, path(owner, now), message, cure) }
	if c.shapes(old.Shape, now.Shape) {
		c.number(old, now, say)
	} else {
		say(fmt.Sprintf("its type is %s, and was %s", now.Shape, old.Shape), "keep the type; another one is for a new field or a new version")
		return
	}
	if now.Required && !old.Required {
		say("it is required now", "leave it optional, or require it in a new version")
	}
	if old.Nullable && !now.Nullable {
		say("it may no longer be null", "keep +nullable")
	}
	if old.Default != now.Default {
		switch {
		case old.Default == "" && old.Required: // it had to be written, so nobody can tell
		case old.Default == "":
			say("it has the default "+now.Default+", and had none", "a new default changes what objects without the field mean: set it in a new version")
		case now.Default == "":
			say("the default "+old.Default+" is gone", "keep +default="+old.Default)
		default:
			say(fmt.Sprintf("the default is %s, and was %s", now.Default, old.Default), "keep +default="+old.Default)
		}
	}
	c.rules(old, now, say)
	c.merging(old, now, say)
}

// number compares what protobuf knows a field by.
func (c *comparer) number(old, now *model.Field, say func(message, cure string)) {
	if old.Number != 0 && now.Number != 0 && old.Number != now.Number {
		say(fmt.Sprintf("its protobuf number is %d, and was %d", now.Number, old.Number), fmt.Sprintf("keep number %d: stored objects have it", old.Number))
	}
	if old.ProtoName != "" && now.ProtoName != "" && old.ProtoName != now.ProtoName {
		say(fmt.Sprintf("it is called %s in protobuf, and was called %s", now.ProtoName, old.ProtoName), "keep name="+old.ProtoName)
	}
}

// shapes tells whether two values look the same on the wire, and compares the structs in them.
func (c *comparer) shapes(old, now model.Shape) bool {
	switch {
	case old.Struct != nil && now.Struct != nil:
		c.types(old.Struct, now.Struct)
		return true
	case old.Struct != nil || now.Struct != nil || old.Text != now.Text:
		return false
	case old.Key != nil && !c.shapes(*old.Key, *now.Key):
		return false
	case old.Elem != nil:
		return c.shapes(*old.Elem, *now.Elem)
	}
	return true
}

// merging compares how several clients share a list or a map.
func (c *comparer) merging(old, now *model.Field, say func(message, cure string)) {
	for _, m := range []struct{ tag, what, old, now, otherwise string }{
		{"listType", "the list is of type", old.ListType, now.ListType, "atomic"},
		{"mapType", "it merges as", old.MapType, now.MapType, "granular"},
		{"patchStrategy", "patches treat it by", old.PatchStrategy, now.PatchStrategy, "replace"},
		{"patchMergeKey", "patches find its items by", old.PatchKey, now.PatchKey, "nothing"},
		{"listMapKey", "its items are told apart by", strings.Join(old.ListKeys, ", "), strings.Join(now.ListKeys, ", "), "nothing"},
	} {
		if was, is := cmp.Or(m.old, m.otherwise), cmp.Or(m.now, m.otherwise); was != is {
			say(fmt.Sprintf("%s %s now; before, %s", m.what, is, was), "keep +"+m.tag+" as it was")
		}
	}
}
