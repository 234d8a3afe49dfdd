package json

import (
	"encoding"
	"unsafe"
)

// ReadMap reads an object into a map with string keys; read reads a value. typ is the type as
// reflect prints it.
func ReadMap[M ~map[K]V, K ~string, V any](r *Reader, out *M, typ string, read func(*Reader, *V)) {
	if len(*out) > 0 { // the field is there twice: the keys of both are joined, and are no duplicates of each other
		readMap(r, out, typ, read, func(name string) (K, bool) { return K(r.keepKey(name)), true })
		return
	}
	if !beginMap(r, out, typ) {
		return
	}
	m := *out
	var value, zero V
	for r.NextField("") {
		name := r.Name()
		if _, twice := m[K(name)]; twice {
			r.report("duplicate field")
		}
		value = zero
		read(r, &value)
		if r.stopped() {
			continue
		}
		m[K(r.keepKey(name))] = value
		r.take(entrySize(K(""), value))
	}
}

// ReadIntMap is ReadMap for keys that are integers; keyType is their type as reflect prints it.
func ReadIntMap[M ~map[K]V, K integer, V any](r *Reader, out *M, typ, keyType string, read func(*Reader, *V)) {
	readMap(r, out, typ, read, func(name string) (K, bool) {
		key, ok := parseInteger[K](name)
		if !ok {
			r.save(&TypeError{Value: "number " + name, Type: keyType, Offset: int64(r.pos)})
		}
		return key, ok
	})
}

// ReadTextMap is ReadMap for keys that read themselves from text; typ is the map's type as reflect
// prints it.
func ReadTextMap[M ~map[K]V, K comparable, V any, P interface {
	*K
	encoding.TextUnmarshaler
}](r *Reader, out *M, typ string, read func(*Reader, *V)) {
	readMap(r, out, typ, read, func(name string) (key K, ok bool) {
		if err := P(&key).UnmarshalText([]byte(name)); err != nil {
			r.Fail(err)
			return key, false
		}
		return key, true
	})
}

// readMap remembers the keys itself, because several can stand for one key of the map, or the map
// is not empty.
func readMap[M ~map[K]V, K comparable, V any](r *Reader, out *M, typ string, read func(*Reader, *V), parse func(string) (K, bool)) {
	if !beginMap(r, out, typ) {
		return
	}
	seen := map[string]bool{}
	var value, zero V
	for r.NextField("") {
		name := r.Name()
		if seen[name] {
			r.report("duplicate field")
		}
		seen[name] = true
		value = zero
		read(r, &value)
		if r.stopped() {
			continue
		}
		if key, ok := parse(name); ok {
			(*out)[key] = value
			r.take(entrySize(key, value))
		}
	}
}

// beginMap begins an object and makes the map if there is none. It is false if there are no keys to
// read.
func beginMap[M ~map[K]V, K comparable, V any](r *Reader, out *M, typ string) bool {
	switch r.peek() {
	case 'n':
		if r.word("null") {
			*out = nil
		}
		return false
	case '{':
		r.pos++
		r.push(-1)
		if *out == nil {
			*out = M{}
			r.take(mapSize)
		}
		return true
	}
	r.Mismatch(typ)
	return false
}

// keepKey makes a string to be kept of a key.
func (r *Reader) keepKey(name string) string {
	return r.keep(unsafe.Slice(unsafe.StringData(name), len(name)))
}

// mapSize is about what an empty map takes.
const mapSize = 48

// entrySize is about what an entry of a map takes, with the cost of an item: maps are never full.
func entrySize[K comparable, V any](key K, value V) uintptr {
	return entryCost + 3*(unsafe.Sizeof(key)+unsafe.Sizeof(value))/2
}
