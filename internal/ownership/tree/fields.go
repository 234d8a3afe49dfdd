package tree

import "github.com/typeplane/typeplane/runtime/fieldset"

// Fields are the fields that somebody owns who says what an object is to be.
func (t *Type) Fields(v map[string]any) *fieldset.Set {
	c := new(fieldset.Comparison)
	t.fields(c, v)
	return c.Changed()
}

// fields tells c, which is at a value's path, of every field in it.
func (t *Type) fields(c *fieldset.Comparison, v any) {
	switch t.of(v).first() {
	case isObject:
		if !t.object.atomic {
			members, _ := v.(map[string]any)
			t.object.eachField(c, members)
			return
		}
	case isList:
		if !t.list.atomic {
			items, _ := v.([]any)
			t.list.eachField(c, items)
			return
		}
	}
	c.Change()
}

func (o *object) eachField(c *fieldset.Comparison, members map[string]any) {
	for name, inner := range members {
		t, declared := o.member(name)
		c.Enter(name)
		t.fields(c, inner)
		if empty, isMap := inner.(map[string]any); !declared || inner == nil || isMap && len(empty) == 0 {
			c.Change()
		}
		c.Leave()
	}
}

// eachField makes one field of items with the same identity.
func (l *list) eachField(c *fieldset.Comparison, v []any) {
	x := l.itemsOf(v)
	for _, id := range x.order {
		found := x.at[id]
		if found == nil {
			continue // it was there already
		}
		c.EnterItem(l.element(found[0]))
		if len(found) == 1 {
			l.items.fields(c, found[0])
		}
		c.Change()
		c.Leave()
		x.at[id] = nil
	}
}
