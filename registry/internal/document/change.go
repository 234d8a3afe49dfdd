package document

import "reflect"

// Default does to a document what defaults have done to the Go value that was made of it, by how
// that was printed before and after. What the document says stays, also where it says a zero value.
// An object that is not there gets no defaults inside, although the Go value may always have one.
func (d Document) Default(before, after Document, shape *Shape) (Document, error) {
	return d.follow(before, after, shape, defaults)
}

// Change does to a document what was done to the Go value that was made of it, by how that was
// printed before and after.
func (d Document) Change(before, after Document, shape *Shape) (Document, error) {
	return d.follow(before, after, shape, changes)
}

// manner is how a difference is applied.
type manner bool

const (
	changes  manner = false
	defaults manner = true
)

func (d Document) follow(before, after Document, shape *Shape, how manner) (Document, error) {
	if before.Equal(after) {
		return d, nil
	}
	doc, err := d.Tree()
	if err != nil {
		return d, err
	}
	was, err := before.Tree()
	if err != nil {
		return d, err
	}
	is, err := after.Tree()
	if err != nil {
		return d, err
	}
	how.object(shape, doc, was, is)
	shape.prune(doc) // a Go value may print null where it has nothing
	return Of(doc), nil
}

// object changes doc, an object of a shape, as was was changed to is.
func (how manner) object(s *Shape, doc, was, is map[string]any) {
	for name := range was {
		if _, ok := is[name]; !ok {
			delete(doc, name)
		}
	}
	for name, now := range is {
		then, had := was[name]
		if had && reflect.DeepEqual(then, now) {
			continue
		}
		own, has := doc[name]
		switch {
		case has && own == nil && how == defaults: // it may be null, and somebody wrote that
		case had:
			if value, ok := how.value(s.of(name), own, has, then, now); ok {
				doc[name] = value
			}
		case !has && how == defaults && s.hasAlways(name): // omitzero: it was not printed
		case !has || how == changes:
			doc[name] = now
		}
	}
}

// value is what own becomes, a value of a shape, which the Go value printed as then, and now prints
// as now. ok is false if it is still not there.
func (how manner) value(s *Shape, own any, has bool, then, now any) (value any, ok bool) {
	switch now := now.(type) {
	case map[string]any:
		then, same := then.(map[string]any)
		object, isObject := own.(map[string]any)
		switch {
		case !has && how == defaults:
			return nil, false
		case !has && same:
			// The Go value always has the object.
			object, isObject = map[string]any{}, true
		}
		if !same || !isObject {
			return now, true
		}
		how.object(s, object, then, now)
		return object, has || len(object) > 0
	case []any:
		then, same := then.([]any)
		list, isList := own.([]any)
		if !same || !isList || len(list) != len(then) {
			return now, true
		}
		return how.list(s.of(""), list, then, now), true
	}
	return now, true
}

// list is what the items of own become. Each item that is there now is made of the item that it
// was: of an equal one, or else of that which has most members in common with it. Defaults leave
// each item where it was.
func (how manner) list(s *Shape, own, then, now []any) []any {
	out := make([]any, len(now))
	taken := make([]bool, len(then))
	var rest []int // of now
	next := 0      // equal items are mostly in the same order
	for i, item := range now {
		j := equalFrom(then, taken, item, next)
		if j < 0 {
			rest = append(rest, i)
			continue
		}
		taken[j], next = true, j+1
		out[i] = own[j]
	}
	for _, i := range rest {
		out[i] = now[i]
		j := likest(then, taken, now[i], i)
		if how == defaults && len(now) == len(then) {
			j = i
		}
		if j >= 0 {
			taken[j] = true
			out[i], _ = how.value(s, own[j], true, then[j], now[i])
		}
	}
	return out
}

// lookAround is how many items are looked at for one of them, so that long lists take no longer
// than they are.
const lookAround = 64

// equalFrom finds an item of list that is equal and not taken, the first from next on, or else the
// first of all; -1: there is none.
func equalFrom(list []any, taken []bool, item any, next int) int {
	for n := range min(len(list), lookAround) {
		j := (next + n) % len(list)
		if !taken[j] && reflect.DeepEqual(list[j], item) {
			return j
		}
	}
	return -1
}

// likest finds the item of list that has most members in common with an object, and is not taken;
// -1: there is none. If there are several, it is that at i, or the first.
func likest(list []any, taken []bool, item any, i int) int {
	object, ok := item.(map[string]any)
	if !ok {
		return -1
	}
	best, most := -1, 0
	for n := range min(len(list), lookAround) {
		j := (i + n) % len(list)
		other, ok := list[j].(map[string]any)
		if !ok || taken[j] {
			continue
		}
		common := 0
		for name, value := range object {
			if known, ok := other[name]; ok && reflect.DeepEqual(known, value) {
				common++
			}
		}
		if common > most {
			best, most = j, common
		}
	}
	return best
}
