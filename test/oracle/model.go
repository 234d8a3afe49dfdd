package main

import (
	"slices"
	"strings"
)

// next is what a write makes of what its key holds.
type next struct {
	Content
	owners    string
	conflicts []string // the fields that an apply patch takes from others: without force it must be refused
	refused   string   // why the write must be refused for another reason
}

// after returns what op makes of before, which is nil for nothing. op is a create, update, patch or
// apply.
func (op *Op) after(before *Version) next {
	var old Object
	if before != nil {
		old = before.Object
	}
	n, own := next{}, parseOwners(old.Owners)
	was := old.fields()
	switch {
	case op.Verb == Create && before != nil:
		n.refused = "there was " + before.String()
	case (op.Verb == Update || op.Verb == Patch) && before == nil:
		n.refused = "there was nothing to change"
	case op.Expect != 0 && (before == nil && op.Verb != Apply || before != nil && op.Expect != before.Revision):
		// An apply patch that finds nothing makes the object, whatever version it expects, as in
		// Kubernetes.
		n.refused = "it expected another version than " + before.String()
	case before != nil && op.ExpectUID != "" && op.ExpectUID != before.UID:
		n.refused = "it expected another object than " + before.String()
	}
	switch op.Verb {
	case Patch:
		n.Content = old.Content.with(op.Sent)
		n.Finalizers = changesFinalizers(old.Finalizers, op.Finalize)
		own.updated(op.owner(), was, n.fields())
	case Apply:
		var fields map[string]string
		fields, n.conflicts = own.apply(op.owner(), was, op.Sent.fields())
		n.Content = contentOf(fields)
		around, there := parseOwners(old.Around), old.around()
		for field, named := range op.Sent.around() {
			if named && !there[field] && around.others(op.owner(), field) {
				n.conflicts = append(n.conflicts, field)
			}
		}
	default:
		n.Content = op.Sent
		own.updated(op.owner(), was, n.fields())
	}
	if old.Deleting && n.refused == "" {
		for _, name := range finalizerNames(n.Finalizers) {
			if !slices.Contains(finalizerNames(old.Finalizers), name) {
				n.refused = "it adds a finalizer to " + before.String() + ", which is being deleted"
			}
		}
	}
	n.owners = own.String()
	return n
}

// owner is who owns what a write writes. One manager is another in each version, unless it applies.
func (op *Op) owner() string {
	switch {
	case op.Verb == Apply:
		return op.Manager + " Apply"
	case op.Version == otherVersion:
		return op.Manager + " Update in " + otherVersion
	}
	return op.Manager + " Update"
}

// finishes says that a write removes what is there: it takes the last finalizer off an object that
// is being deleted.
func (op *Op) finishes(before *Version) bool {
	if before == nil || !before.Deleting || op.Verb == Create {
		return false
	}
	n := op.after(before)
	return n.refused == "" && n.Finalizers == "" && (op.Force || len(n.conflicts) == 0)
}

// with is what a patch makes of c, except for finalizers.
func (c Content) with(patch Content) Content {
	c.Token = patch.Token
	if patch.Title != "" {
		c.Title = patch.Title
	}
	if patch.Group != "" {
		c.Group = patch.Group
	}
	if patch.Shelf != "" {
		c.Shelf = patch.Shelf
	}
	return c
}

// changesFinalizers is what a patch makes of finalizers, see Op.Finalize.
func changesFinalizers(finalizers, how string) string {
	if how == "" {
		return finalizers
	}
	var names []string
	for _, name := range strings.Split(finalizers, ",") {
		if name != "" && how[0] != '=' && !(how[0] == '-' && name == how[1:]) {
			names = append(names, name)
		}
	}
	if how[0] != '-' {
		for _, name := range strings.Split(how[1:], ",") {
			if name != "" && !slices.Contains(names, name) {
				names = append(names, name)
			}
		}
	}
	slices.Sort(names)
	return strings.Join(names, ",")
}

// token is what tells a write from all others; "" of what writes no content.
func (op *Op) token() string {
	if op.Verb != Apply {
		return op.Sent.Token
	}
	return strings.Join(op.Sent.Applied[:], "")
}

// tokens are those of all the writes whose mark an object bears.
func (c Content) tokens() []string {
	var all []string
	for _, token := range append(c.Applied[:], c.Token) {
		if token != "" {
			all = append(all, token)
		}
	}
	return all
}
