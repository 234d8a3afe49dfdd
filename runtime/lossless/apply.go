package lossless

import (
	"maps"
	"slices"
)

// numberAll numbers the deltas that have no parts, in the order of their paths, beginning with
// next, and returns the number after the last. It takes out what a damaged annotation may hold.
func numberAll(fields map[string]*delta, next int) int {
	for _, key := range slices.Sorted(maps.Keys(fields)) {
		if fields[key] == nil {
			delete(fields, key)
			continue
		}
		next = fields[key].count(next)
	}
	return next
}

func (d *delta) count(next int) int {
	switch {
	case d.Fields != nil:
		return numberAll(d.Fields, next)
	case d.Items != nil:
		for i := range d.Items {
			next = d.Items[i].count(next)
		}
		return next
	}
	d.number = next
	return next + 1
}

// apply returns a value of the client's with what the delta keeps, as far as it is on and the value
// is still what it was. The value stays as it is.
func (s *Shape) apply(d *delta, value any, on []bool) any {
	switch {
	case d.Fields != nil:
		fields, ok := value.(map[string]any)
		if !ok && (value != nil || s == nil || !s.IsMap) {
			return value
		}
		return s.applyFields(d, fields, on)
	case d.Items != nil:
		items, ok := value.([]any)
		if !ok && (value != nil || s == nil || !s.IsList) {
			return value
		}
		return s.applyItems(d, items, on)
	case on[d.number] && fingerprint(value) == d.Said:
		return d.Kept
	}
	return value
}

func (s *Shape) applyFields(d *delta, fields map[string]any, on []bool) any {
	out := union(fields, nil)
	for key, delta := range d.Fields {
		if out[key] = s.of(key).apply(delta, fields[key], on); out[key] == nil {
			delete(out, key)
		}
	}
	if len(out) == 0 && s != nil && s.IsMap {
		return nil
	}
	return out
}

func (s *Shape) applyItems(d *delta, items []any, on []bool) any {
	now, index := slices.Clone(items), map[string]int{}
	for i, id := range s.identities(items) {
		index[id] = i
	}
	for i := range d.Items {
		if at, ok := index[d.Items[i].Of]; ok && d.Items[i].Of != "" {
			now[at] = s.item().apply(&d.Items[i].delta, items[at], on)
		}
	}
	present := map[string]bool{}
	for i, id := range s.identities(now) {
		present[id] = now[i] != nil
	}
	behind := make([][]any, len(items)+1) // [0] is the start
	for i := range d.Items {
		item := &d.Items[i]
		if item.Of != "" || item.Kept == nil || !on[item.number] || item.ID != "" && present[item.ID] {
			continue
		}
		at := min(max(item.At, 0), len(items))
		if found, ok := index[item.After]; ok {
			at = found + 1
		}
		behind[at] = append(behind[at], item.Kept)
	}
	out := behind[0]
	for i, item := range now {
		if item != nil {
			out = append(out, item)
		}
		out = append(out, behind[i+1]...)
	}
	if len(out) == 0 {
		return nil
	}
	return out
}
