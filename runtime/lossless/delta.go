package lossless

import (
	"bytes"
	"encoding/json"
	"hash/fnv"
	"maps"
	"strconv"
)

// Shape says of a value's JSON what the JSON does not: which objects are maps, how the items of a
// list are told apart. nil says nothing. Inside the items of a list without keys it says nothing
// either: those are restored as they were or not at all.
type Shape struct {
	IsMap, IsList bool
	Aligned       bool     // the version has as many items as the hub, in the same order
	Keys          []string // fields that tell the items of a list apart; none: their content does
	Elem          *Shape
	Fields        map[string]*Shape
}

// delta is what one value of the hub (hub) and the same value after the way down and up (plain)
// differ in. Below an object or a list it is that of the parts; else what the hub had and the
// fingerprint of what plain is.
type delta struct {
	Said   string            `json:"said,omitempty"` // "" if plain has nothing here
	Kept   any               `json:"kept,omitempty"` // nil if the hub has nothing here
	Fields map[string]*delta `json:"fields,omitempty"`
	Items  []itemDelta       `json:"items,omitempty"`

	number int // of those without parts
}

// itemDelta is the delta of a list's item. One that plain does not have has no Of, but says behind
// which of the items that plain has it stood, and how many of those were before it. In a list with
// keys also who it is.
type itemDelta struct {
	Of    string `json:"of,omitempty"`
	ID    string `json:"id,omitempty"`
	After string `json:"after,omitempty"`
	At    int    `json:"at,omitempty"`
	delta
}

// diff returns nil if nothing differs.
func (s *Shape) diff(hub, plain any) *delta {
	if a, b, ok := both[[]any](hub, plain, s != nil && s.IsList); ok {
		return s.diffItems(a, b)
	}
	if a, b, ok := both[map[string]any](hub, plain, s != nil && s.IsMap); ok {
		return s.diffFields(a, b)
	}
	said := fingerprint(plain)
	if said == fingerprint(hub) {
		return nil
	}
	return &delta{Said: said, Kept: hub}
}

func (s *Shape) diffFields(hub, plain map[string]any) *delta {
	fields := map[string]*delta{}
	for key := range union(hub, plain) {
		if d := s.of(key).diff(hub[key], plain[key]); d != nil {
			fields[key] = d
		}
	}
	if len(fields) == 0 {
		return nil
	}
	return &delta{Fields: fields}
}

func (s *Shape) diffItems(hub, plain []any) *delta {
	var items []itemDelta
	own, ids, partners := s.identities(hub), s.identities(plain), s.partners(hub, plain)
	before, after, paired := 0, "", make([]bool, len(plain))
	for i, item := range hub {
		p := partners[i]
		if p < 0 {
			hidden := itemDelta{After: after, At: before, delta: delta{Kept: item}}
			if s.hasKeys() {
				hidden.ID = own[i]
			}
			items = append(items, hidden)
			continue
		}
		if d := s.item().diff(item, plain[p]); d != nil {
			if _, isList := item.([]any); isList { // an empty list must not stand for no item
				d = &delta{Said: fingerprint(plain[p]), Kept: item}
			}
			items = append(items, itemDelta{Of: ids[p], delta: *d})
		}
		before, after, paired[p] = p+1, ids[p], true
	}
	for p, item := range plain {
		if !paired[p] {
			items = append(items, itemDelta{Of: ids[p], delta: delta{Said: fingerprint(item)}})
		}
	}
	if len(items) == 0 {
		return nil
	}
	return &delta{Items: items}
}

// partners returns for each item of the hub the index of the item that became of it, -1 if there is
// none. The order of the partners is that of the items.
func (s *Shape) partners(hub, plain []any) []int {
	out := make([]int, len(hub))
	for i := range out {
		out[i] = -1
	}
	switch {
	case s.hasKeys() || len(hub)*len(plain) > 1<<20:
		s.pairEqual(out, hub, plain)
	case s != nil && s.Aligned && len(hub) == len(plain):
		for i := range out {
			out[i] = i
		}
	default:
		pairCovered(out, hub, plain)
	}
	return out
}

// pairEqual gives each plain item the next of the hub's that has the same identity.
func (s *Shape) pairEqual(out []int, hub, plain []any) {
	index, next := map[string]int{}, 0
	for i, id := range s.identities(hub) {
		index[id] = i
	}
	for p, id := range s.identities(plain) {
		if i, ok := index[id]; ok && i >= next {
			out[i], next = p, i+1
		}
	}
}

// pairCovered gives each plain item the next of the hub's that says what it says, and maybe more.
func pairCovered(out []int, hub, plain []any) {
	next := 0
	for p := range plain {
		for i := next; i < len(hub); i++ {
			if covers(hub[i], plain[p]) {
				out[i], next = p, i+1
				break
			}
		}
	}
}

// identities tells the items of a list apart: by their keys, else by their content, else by how
// many equal ones are before.
func (s *Shape) identities(items []any) []string {
	out, seen := make([]string, len(items)), map[string]int{}
	for i, item := range items {
		id := fingerprint(s.identifying(item))
		n := seen[id]
		if seen[id]++; n > 0 {
			id += "." + strconv.Itoa(n)
		}
		out[i] = id
	}
	return out
}

// identifying is that part of an item that tells it apart.
func (s *Shape) identifying(item any) any {
	fields, ok := item.(map[string]any)
	if !ok || !s.hasKeys() {
		return item
	}
	keys, found := make([]any, len(s.Keys)), false
	for i, key := range s.Keys {
		keys[i] = fields[key]
		found = found || keys[i] != nil
	}
	if !found {
		return item
	}
	return keys
}

func (s *Shape) hasKeys() bool { return s != nil && len(s.Keys) > 0 }

// of is the shape of an object's field or of a map's value.
func (s *Shape) of(key string) *Shape {
	if s == nil || s.IsMap {
		return s.item()
	}
	return s.Fields[key]
}

// item is the shape of what a list or map holds.
func (s *Shape) item() *Shape {
	if s == nil {
		return nil
	}
	return s.Elem
}

// covers tells whether everything that plain says is what the hub says.
func covers(hub, plain any) bool {
	switch p := plain.(type) {
	case nil:
		return true
	case map[string]any:
		h, ok := hub.(map[string]any)
		for key := range p {
			ok = ok && covers(h[key], p[key])
		}
		return ok
	case []any:
		h, ok := hub.([]any)
		ok = ok && len(h) == len(p)
		for i := range p {
			ok = ok && covers(h[i], p[i])
		}
		return ok
	}
	return plain == hub || plain == "" || plain == false || plain == json.Number("0")
}

// both returns two values as type T if they are of it, or one is and the other is nothing and may
// stand for an empty one.
func both[T any](a, b any, orNothing bool) (x, y T, ok bool) {
	x, isA := a.(T)
	y, isB := b.(T)
	ok = isA && isB || orNothing && (isA && b == nil || isB && a == nil)
	return x, y, ok
}

func union(a, b map[string]any) map[string]any {
	out := maps.Clone(a)
	if out == nil {
		out = map[string]any{}
	}
	maps.Copy(out, b)
	return out
}

// treeOf is a value as JSON, decoded again, in which nothing stands for null and for an empty list,
// except among the items of a list.
func treeOf(v any) (any, error) {
	text, err := compact(v)
	if err != nil {
		return nil, err
	}
	var tree any
	decoder := json.NewDecoder(bytes.NewReader(text))
	decoder.UseNumber()
	if err := decoder.Decode(&tree); err != nil {
		return nil, err
	}
	return prune(tree), nil
}

func prune(v any) any {
	switch v := v.(type) {
	case map[string]any:
		for key, value := range v {
			if v[key] = prune(value); v[key] == nil {
				delete(v, key)
			}
		}
	case []any:
		for i, item := range v {
			if list, ok := item.([]any); !ok || len(list) > 0 {
				v[i] = prune(item)
			}
		}
		if len(v) == 0 {
			return nil
		}
	}
	return v
}

// fingerprint is the fingerprint of a tree, "" if it is nothing.
func fingerprint(v any) string {
	if v == nil {
		return ""
	}
	text, _ := compact(v) // a tree has nothing that JSON has not
	hash := fnv.New64a()
	hash.Write(text)
	return strconv.FormatUint(hash.Sum64(), 36)
}

// compact is the shortest JSON of a value; the keys of its objects are sorted or in the order of
// its fields.
func compact(v any) ([]byte, error) {
	var b bytes.Buffer
	encoder := json.NewEncoder(&b)
	encoder.SetEscapeHTML(false)
	if err := encoder.Encode(v); err != nil {
		return nil, err
	}
	return bytes.TrimSuffix(b.Bytes(), []byte("\n")), nil
}
