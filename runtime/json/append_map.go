package json

import (
	"encoding"
	"fmt"
	"iter"
	"slices"
	"strconv"
	"strings"
)

// AppendSlice appends an array, or null; write appends an element.
func AppendSlice[S ~[]E, E any](dst []byte, s S, write func([]byte, *E) ([]byte, error)) ([]byte, error) {
	if s == nil {
		return append(dst, "null"...), nil
	}
	return AppendArray(dst, s, write)
}

// AppendArray appends an array, given as a slice of all of it.
func AppendArray[E any](dst []byte, s []E, write func([]byte, *E) ([]byte, error)) ([]byte, error) {
	dst = append(dst, '[')
	for i := range s {
		if i > 0 {
			dst = append(dst, ',')
		}
		var err error
		if dst, err = write(dst, &s[i]); err != nil {
			return dst, err
		}
	}
	return append(dst, ']'), nil
}

// AppendStrings appends an array of strings, or null.
func AppendStrings[S ~[]E, E ~string](dst []byte, s S) []byte {
	if s == nil {
		return append(dst, "null"...)
	}
	dst = append(dst, '[')
	for i := range s {
		if i > 0 {
			dst = append(dst, ',')
		}
		dst = AppendString(dst, s[i])
	}
	return append(dst, ']')
}

// Sorted goes through a map with string keys in the order of JSON.
func Sorted[M ~map[K]V, K ~string, V any](m M) iter.Seq2[K, V] {
	return func(yield func(K, V) bool) {
		if len(m) == 1 {
			for key, value := range m {
				yield(key, value)
				return
			}
		}
		var room [maxSorted]K
		for _, key := range sortedKeys(m, room[:0]) {
			if !yield(key, m[key]) {
				return
			}
		}
	}
}

// AppendKey appends the key of a map's entry, with a comma before it and a colon behind it.
func AppendKey[T ~string](dst []byte, key T) []byte {
	return append(appendString(append(dst, ','), "", string(key)), ':')
}

// AppendStringMap appends a map from strings to strings, sorted by key, or null.
func AppendStringMap[M ~map[K]V, K, V ~string](dst []byte, m M) []byte {
	if m == nil {
		return append(dst, "null"...)
	}
	start := len(dst)
	if len(m) == 1 {
		for key, value := range m {
			return Close(AppendString(AppendKey(dst, key), value), start)
		}
	}
	var room [maxSorted]K
	for _, key := range sortedKeys(m, room[:0]) {
		dst = AppendString(AppendKey(dst, key), m[key])
	}
	return Close(dst, start)
}

// maxSorted is the number of keys for which there is room without an allocation.
const maxSorted = 16

func sortedKeys[M ~map[K]V, K ~string, V any](m M, room []K) []K {
	if len(m) > cap(room) {
		room = make([]K, 0, len(m))
	}
	for key := range m {
		if room = append(room, key); len(room) == len(m) {
			break // the iterator would look for another one
		}
	}
	slices.Sort(room)
	return room
}

// AppendIntMap appends a map with integer keys, sorted as text, or null; write appends a value.
func AppendIntMap[M ~map[K]V, K integer, V any](dst []byte, m M, write func([]byte, *V) ([]byte, error)) ([]byte, error) {
	return appendNamed(dst, m, write, func(key K) (string, error) {
		if key < 0 {
			return strconv.FormatInt(int64(key), 10), nil
		}
		return strconv.FormatUint(uint64(key), 10), nil
	})
}

// AppendTextMap appends a map whose keys write themselves as text, sorted by it, or null. typ is
// the map's type as reflect prints it.
func AppendTextMap[M ~map[K]V, K interface {
	comparable
	encoding.TextMarshaler
}, V any](dst []byte, m M, typ string, write func([]byte, *V) ([]byte, error)) ([]byte, error) {
	return appendNamed(dst, m, write, func(key K) (string, error) {
		text, err := key.MarshalText()
		if err != nil {
			return "", fmt.Errorf("json: encoding error for type %q: %q", typ, err.Error())
		}
		return string(text), nil
	})
}

// appendNamed appends a map with keys that have to be made into text.
func appendNamed[M ~map[K]V, K comparable, V any](dst []byte, m M, write func([]byte, *V) ([]byte, error), name func(K) (string, error)) ([]byte, error) {
	if m == nil {
		return append(dst, "null"...), nil
	}
	type entry struct {
		name  string
		value V
	}
	entries := make([]entry, 0, len(m))
	for key, value := range m {
		text, err := name(key)
		if err != nil {
			return dst, err
		}
		entries = append(entries, entry{text, value})
	}
	slices.SortFunc(entries, func(a, b entry) int { return strings.Compare(a.name, b.name) })
	dst = append(dst, '{')
	for i := range entries {
		if i > 0 {
			dst = append(dst, ',')
		}
		dst = AppendString(dst, entries[i].name)
		dst = append(dst, ':')
		var err error
		if dst, err = write(dst, &entries[i].value); err != nil {
			return dst, err
		}
	}
	return append(dst, '}'), nil
}
