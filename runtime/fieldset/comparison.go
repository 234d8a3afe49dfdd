package fieldset

import (
	"fmt"

	"sigs.k8s.io/structured-merge-diff/v6/fieldpath"
)

// Comparison is one walk through two objects. The zero value is ready; it is for one goroutine and
// one walk.
type Comparison struct {
	changed, removed Set
	path             []step
	room             [12]step // for path, as deep as objects usually are
	spare            []Set    // room for nodes
	nodes            int      // how many there are
	differences      int
	err              error
}

// step is an element of the path that the walk is at, with the nodes that stand for it, once
// something below differs.
type step struct {
	name             string
	item             *fieldpath.PathElement // of a list; nil for a field, and as long as it is not needed
	late             namer                  // names the item; nil for a field
	changed, removed *Set
}

// namer knows how the item is called that the walk is at.
type namer interface {
	element() (fieldpath.PathElement, error)
}

// Changed are the fields that were added, or have another value.
func (c *Comparison) Changed() *Set { return &c.changed }

// Removed are the fields that are no more.
func (c *Comparison) Removed() *Set { return &c.removed }

// Err says which part of an object can't be told apart from others. It is an item of a list without
// any of the fields that name it, or a value that can't be written as JSON.
func (c *Comparison) Err() error { return c.err }

// fail keeps the first error.
func (c *Comparison) fail(err error) {
	if c.err == nil {
		c.err = fmt.Errorf("%s: %w", c.where(), err)
	}
}

// where is the path for messages.
func (c *Comparison) where() string {
	var path fieldpath.Path
	for _, s := range c.path {
		path = append(path, s.element())
	}
	return path.String()
}

// add appends the node of a step to its parent. A walk comes to each place once, so that it is not
// there yet. The more nodes there are, the more will come.
func (c *Comparison) add(to *Set, at *step) *Set {
	if len(c.spare) == 0 {
		c.spare = make([]Set, max(4, min(c.nodes, 32)))
	}
	child := &c.spare[0]
	c.spare = c.spare[1:]
	c.nodes++
	child.name, child.item = at.name, at.item
	to.children, to.ordered = append(to.children, child), false
	return child
}

// named makes sure that a step knows its item.
func (c *Comparison) named(s *step) *step {
	if s.item == nil && s.late != nil {
		element, err := s.late.element()
		s.item = &element
		if err != nil {
			c.fail(err)
		}
	}
	return s
}

func (s *step) element() fieldpath.PathElement {
	if s.item != nil {
		return *s.item
	}
	return fieldpath.PathElement{FieldName: &s.name}
}

// Enter goes to a field of what the path leads to.
func (c *Comparison) Enter(name string) {
	if c.path == nil {
		c.path = c.room[:0]
	}
	c.path = append(c.path, step{name: name})
}

// EnterItem goes to an item of the list that the path leads to.
func (c *Comparison) EnterItem(element fieldpath.PathElement) {
	c.path = append(c.path, step{item: &element})
}

// Leave goes back to where the last Enter or EnterItem came from.
func (c *Comparison) Leave() { c.path = c.path[:len(c.path)-1] }

// Change says that what the path leads to was added or changed.
func (c *Comparison) Change() {
	at := &c.changed
	for i := range c.path {
		s := &c.path[i]
		if s.changed == nil {
			s.changed = c.add(at, c.named(s))
		}
		at = s.changed
	}
	at.member = true
	c.differences++
}

// Remove says that what the path leads to is no more.
func (c *Comparison) Remove() {
	at := &c.removed
	for i := range c.path {
		s := &c.path[i]
		if s.removed == nil {
			s.removed = c.add(at, c.named(s))
		}
		at = s.removed
	}
	at.member = true
	c.differences++
}

// mark says what became of a value as a whole: was and is tell whether it is there.
func (c *Comparison) mark(was, is bool) {
	switch {
	case !was && is:
		c.Change()
	case was && !is:
		c.Remove()
	}
}

// Leaf compares a field that is owned as a whole. was and is tell whether JSON shows it. same tells
// whether the values, if both are there, are the same in JSON.
func (c *Comparison) Leaf(name string, was, is, same bool) {
	if was == is && (same || !was) {
		return
	}
	c.Enter(name)
	if is {
		c.Change()
	} else {
		c.Remove()
	}
	c.Leave()
}
