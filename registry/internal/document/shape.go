package document

import (
	"encoding"
	"encoding/json"
	"reflect"
	"strings"
	"sync"
	"unicode"

	apiruntime "k8s.io/apimachinery/pkg/runtime"

	"github.com/typeplane/typeplane/internal/jsontree"
)

// Shape says which members objects of a Go type have in JSON. It is made once for each type, and
// immutable. nil stands for a value of which nothing is known, because its type reads itself or is
// an interface. All in such a value is kept.
type Shape struct {
	members map[string]*Shape // of a struct; nil for others
	// defaults are those of members that are not seen in the Go value, in JSON.
	defaults map[string]string
	nullable map[string]bool // the members that may be null
	objects  map[string]bool // the members that read themselves, and are objects anyway
	always   map[string]bool // the members that are structs and no pointers
	object   bool            // of a list or a map, whether the same is true of what is in it
	inside   *Shape          // of the items of a list, or the values of a map
	full     bool            // of a list whose items are never null
	fills    bool            // of a kind: there are defaults in it
	raw      bool            // of a kind: there are objects in it that read themselves
}

// prune takes out of a value what its type has no member for, and members that are null and must
// not be. It says whether there was nothing.
func (s *Shape) prune(value any) (whole bool) {
	if s == nil {
		return true
	}
	whole = true
	switch value := value.(type) {
	case map[string]any:
		for name, inner := range value {
			shape, known := s.inside, true
			if s.members != nil {
				shape, known = s.members[name]
			}
			if !known || inner == nil && !s.nullable[name] {
				delete(value, name)
				whole = false
			} else if !shape.prune(inner) {
				whole = false
			}
		}
	case []any:
		for _, item := range value {
			if !s.inside.prune(item) {
				whole = false
			}
		}
	}
	return whole
}

// fill puts the defaults into a value that are not there. What a default brings has its own.
func (s *Shape) fill(value any) {
	if s == nil {
		return
	}
	switch value := value.(type) {
	case map[string]any:
		for name, text := range s.defaults {
			if _, there := value[name]; !there {
				value[name], _ = jsontree.ReadValue([]byte(text)) // gen has printed it
			}
		}
		for name, inner := range value {
			if s.members != nil {
				s.members[name].fill(inner)
			} else {
				s.inside.fill(inner)
			}
		}
	case []any:
		for _, item := range value {
			s.inside.fill(item)
		}
	}
}

var shapes = struct {
	sync.Mutex
	of map[reflect.Type]*Shape
}{of: map[reflect.Type]*Shape{}}

// Said is what markers say of members that is not seen in Go values. A member is called by the
// import path and name of its struct and by its own name: "example.com/v1.Spec.name".
type Said struct {
	Defaults map[string]string // in JSON
	Nullable map[string]bool
	Open     map[string]bool // RawExtensions that may be no objects
}

// ShapeOf returns the shape of the Go type of a kind. What is said is the same whenever a type is
// asked for.
func ShapeOf(t reflect.Type, said Said) *Shape {
	shapes.Lock()
	defer shapes.Unlock()
	if s, ok := shapes.of[t]; ok {
		return s
	}
	b := &shaper{said: said, of: map[reflect.Type]*Shape{}}
	s := b.shape(t)
	if s != nil {
		s.fills, s.raw = b.filled, b.raw
	}
	shapes.of[t] = s
	return s
}

// Fills says whether there are defaults in the shape of a kind.
func (s *Shape) Fills() bool { return s.fills }

// shaper makes the shapes of the types within one.
type shaper struct {
	said   Said
	of     map[reflect.Type]*Shape
	filled bool
	raw    bool
}

// readsItself tells whether values of a type know how to read themselves.
func readsItself(t reflect.Type) bool {
	p := reflect.PointerTo(t)
	return p.Implements(reflect.TypeFor[json.Unmarshaler]()) || p.Implements(reflect.TypeFor[encoding.TextUnmarshaler]())
}

func (b *shaper) shape(t reflect.Type) *Shape {
	for t.Kind() == reflect.Pointer {
		t = t.Elem()
	}
	if readsItself(t) {
		return nil
	}
	switch t.Kind() {
	case reflect.Struct:
	case reflect.Slice, reflect.Array, reflect.Map:
		if t.Elem().Kind() == reflect.Interface {
			return nil
		}
	default:
		return nil
	}
	if s, ok := b.of[t]; ok {
		return s
	}
	s := new(Shape)
	b.of[t] = s // before what is in it, which may be of the same type
	if t.Kind() != reflect.Struct {
		s.inside, s.object = b.shape(t.Elem()), isRaw(t.Elem())
		s.full = s.inside != nil || s.object || basic(t.Elem())
		b.raw = b.raw || s.object
		return s
	}
	s.members = map[string]*Shape{}
	for name, member := range membersOf(t) {
		open := b.said.Open[keyOf(t, name)]
		s.members[name] = nil
		if !open {
			s.members[name] = b.shape(member)
		}
		b.say(s, t, name, !open && isRaw(member))
		if member.Kind() == reflect.Struct && !readsItself(member) {
			if s.always == nil {
				s.always = map[string]bool{}
			}
			s.always[name] = true
		}
	}
	return s
}

// of is the shape of a member, or of what is in a list or a map.
func (s *Shape) of(name string) *Shape {
	switch {
	case s == nil:
		return nil
	case s.members != nil:
		return s.members[name]
	}
	return s.inside
}

// hasAlways tells whether the Go value always has a member, since it is a struct and no pointer.
func (s *Shape) hasAlways(name string) bool { return s != nil && s.always[name] }

// isRaw tells whether a type is apimachinery's for any object, which reads whatever there is.
func isRaw(t reflect.Type) bool {
	for t.Kind() == reflect.Pointer {
		t = t.Elem()
	}
	return t == reflect.TypeFor[apiruntime.RawExtension]()
}

// keyOf is what Said calls a member.
func keyOf(t reflect.Type, name string) string { return t.PkgPath() + "." + t.Name() + "." + name }

// say adds what its type and markers say of a member to the shape of its struct.
func (b *shaper) say(s *Shape, t reflect.Type, name string, raw bool) {
	key := keyOf(t, name)
	if raw {
		if s.objects == nil {
			s.objects = map[string]bool{}
		}
		s.objects[name], b.raw = true, true
	}
	if text, ok := b.said.Defaults[key]; ok {
		if s.defaults == nil {
			s.defaults = map[string]string{}
		}
		s.defaults[name], b.filled = text, true
	}
	if b.said.Nullable[key] {
		if s.nullable == nil {
			s.nullable = map[string]bool{}
		}
		s.nullable[name] = true
	}
}

// basic tells whether values of a type are texts, numbers or bools, and read by the rules of JSON
// alone.
func basic(t reflect.Type) bool {
	for t.Kind() == reflect.Pointer {
		t = t.Elem()
	}
	if readsItself(t) {
		return false
	}
	return t.Kind() <= reflect.Complex128 || t.Kind() == reflect.String
}

// membersOf are the types of the members that a struct has in JSON, those of structs inside of it
// among them. The rules are those of encoding/json: of several with a name the one that is least
// deep counts.
func membersOf(t reflect.Type) map[string]reflect.Type {
	members := map[string]reflect.Type{}
	level, seen := []reflect.Type{t}, map[reflect.Type]bool{t: true}
	for len(level) > 0 {
		var deeper []reflect.Type
		found := map[string]reflect.Type{}
		for _, t := range level {
			for i := range t.NumField() {
				f := t.Field(i)
				inner := f.Type
				name, left := nameOf(f)
				if inner.Kind() == reflect.Pointer {
					inner = inner.Elem()
				}
				switch {
				case left || !f.IsExported() && (!f.Anonymous || inner.Kind() != reflect.Struct):
				case f.Anonymous && name == "" && inner.Kind() == reflect.Struct:
					if !seen[inner] {
						seen[inner] = true
						deeper = append(deeper, inner)
					}
				case !f.IsExported():
				case name == "":
					found[f.Name] = f.Type
				default:
					found[name] = f.Type
				}
			}
		}
		for name, t := range found {
			if members[name] == nil {
				members[name] = t
			}
		}
		level = deeper
	}
	return members
}

// nameOf is the name that the tag of a field gives it in JSON, "" for none. left says that the
// field is left out. A name that encoding/json does not take is as if it were not there.
func nameOf(f reflect.StructField) (name string, left bool) {
	tag := f.Tag.Get("json")
	if tag == "-" {
		return "", true
	}
	name, _, _ = strings.Cut(tag, ",")
	for _, c := range name {
		if !unicode.IsLetter(c) && !unicode.IsDigit(c) && !strings.ContainsRune("!#$%&()*+-./:;<=>?@[]^_{|}~ ", c) {
			return "", false
		}
	}
	return name, false
}
