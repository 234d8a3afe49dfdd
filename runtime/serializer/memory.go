package serializer

import (
	"fmt"
	"reflect"
	"strconv"
	"strings"
	"sync"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
	apiruntime "k8s.io/apimachinery/pkg/runtime"

	runtimejson "github.com/typeplane/typeplane/runtime/json"
	"github.com/typeplane/typeplane/runtime/wire"
)

// MaxMemory is how much memory the object may take that a stranger's data stands for, in bytes,
// beside its strings. Two bytes of protobuf and three of JSON can each be an empty struct of a
// thousand bytes.
const MaxMemory = 64 << 20

// errTooLarge is the status of data that stands for more than that.
func errTooLarge() error {
	return apierrors.NewRequestEntityTooLargeError(fmt.Sprintf("the object has too many items, or too many inside of each other: to read and validate it could take more than %d MiB of memory; split it into several objects", MaxMemory>>20))
}

// fits says whether the object of a message takes no more than MaxMemory. The methods of protobuf
// types don't count, and they are of any module, so the message is looked through before they read
// it. One that is too small to matter, as nearly all are, is not looked through.
func fits(message []byte, obj apiruntime.Object) bool {
	s := shapeOf(reflect.TypeOf(obj).Elem())
	if !s.endless() && len(message)/2*s.largest() <= MaxMemory {
		return true
	}
	room := MaxMemory
	s.weigh(message, &room, 0)
	return room >= 0
}

// shape is what a message of a Go type allocates.
type shape struct {
	typ    reflect.Type
	fields func() map[int32]part
	// largest is the size of the largest thing that a field of it, or of a message in it,
	// allocates.
	largest func() int
	// endless says that messages of it may be inside of each other to any depth.
	endless func() bool
}

// part is what one occurrence of a field allocates.
type part struct {
	size int
	of   reflect.Type // of the message in it; nil if there is none
	dict bool         // it is an entry of a map
}

var shapes sync.Map // of *shape, by type

func shapeOf(t reflect.Type) *shape {
	if s, ok := shapes.Load(t); ok {
		return s.(*shape)
	}
	s := &shape{typ: t}
	s.fields = sync.OnceValue(s.read)
	s.largest = sync.OnceValue(func() int { return largest(t, map[reflect.Type]bool{}) })
	s.endless = sync.OnceValue(func() bool { return endless(t, map[reflect.Type]bool{}) })
	actual, _ := shapes.LoadOrStore(t, s)
	return actual.(*shape)
}

// maxNesting is how deep messages may be inside of each other, as in JSON. Methods of protobuf
// types call each other for each level, and a stack that is full ends the process.
const maxNesting = 10_000

// weigh takes what a message allocates from room. It looks no further once there is none.
func (s *shape) weigh(message []byte, room *int, depth int) {
	if depth == maxNesting {
		*room = -1
		return
	}
	fields := s.fields()
	wire.EachField(message, func(number int32, body []byte) bool {
		p := fields[number]
		*room -= p.size
		if p.dict {
			body = valueOf(body)
		}
		if p.of != nil && *room >= 0 {
			shapeOf(p.of).weigh(body, room, depth+1)
		}
		return *room >= 0
	})
}

// valueOf is the value in an entry of a map, which has number 2.
func valueOf(entry []byte) (value []byte) {
	wire.EachField(entry, func(number int32, body []byte) bool {
		if number == 2 {
			value = body
		}
		return true
	})
	return value
}

// read finds out which numbers the fields of the type have.
func (s *shape) read() map[int32]part {
	parts := map[int32]part{}
	for i := range s.typ.NumField() {
		f := s.typ.Field(i)
		p := partOf(f.Type)
		if !f.IsExported() || p == (part{}) {
			continue
		}
		if number := numberOf(s.typ, f); number > 0 {
			parts[number] = p
		}
	}
	return parts
}

// entryCost is the cost of a map entry in addition to its size: see package runtime/json.
const entryCost = 320

// partOf is what an occurrence of a field of a type allocates, beside strings.
func partOf(t reflect.Type) part {
	switch t.Kind() {
	case reflect.Pointer:
		return part{size: int(t.Elem().Size()), of: message(t.Elem())}
	case reflect.Slice:
		item := t.Elem()
		size := runtimejson.ItemCost(item) + int(item.Size())
		if item.Kind() == reflect.Uint8 {
			return part{}
		}
		if item.Kind() == reflect.Pointer {
			item = item.Elem()
			size += int(item.Size())
		}
		return part{size: size, of: message(item)}
	case reflect.Map:
		value := t.Elem()
		size := entryCost + 3*int(t.Key().Size()+value.Size())/2 // maps are never full
		if value.Kind() == reflect.Pointer {
			value = value.Elem()
			size += int(value.Size())
		}
		return part{size: size, of: message(value), dict: true}
	case reflect.Struct:
		return part{of: message(t)}
	}
	return part{}
}

// message is the type itself if it is that of a message with fields of its own.
func message(t reflect.Type) reflect.Type {
	if t.Kind() == reflect.Struct {
		return t
	}
	return nil
}

// endless says whether a type, or a part of it, has parts of the same type. seen is true of the
// types that it is a part of itself.
func endless(t reflect.Type, seen map[reflect.Type]bool) bool {
	if t == nil {
		return false
	}
	if around, known := seen[t]; known {
		return around
	}
	seen[t] = true
	for i := range t.NumField() {
		if endless(partOf(t.Field(i).Type).of, seen) {
			return true
		}
	}
	seen[t] = false
	return false
}

// largest is the size of the largest part in values of a type.
func largest(t reflect.Type, seen map[reflect.Type]bool) int {
	if t == nil || seen[t] {
		return 0
	}
	seen[t] = true
	most := 0
	for i := range t.NumField() {
		p := partOf(t.Field(i).Type)
		most = max(most, p.size, largest(p.of, seen))
	}
	return most
}

// numberOf is the number of a field: its tag says so, or else what the type's own methods write. 0:
// it is not written.
func numberOf(t reflect.Type, f reflect.StructField) int32 {
	if parts := strings.Split(f.Tag.Get("protobuf"), ","); len(parts) > 1 {
		if n, err := strconv.Atoi(parts[1]); err == nil {
			return int32(n)
		}
	}
	v := reflect.New(t)
	before := written(v)
	if !fill(v.Elem().FieldByIndex(f.Index), 0) {
		return 0
	}
	number, err := wire.FirstDifference(before, written(v))
	if err != nil {
		return 0
	}
	return number
}

// written is a message by the methods of its type; nil if there are none, or if they refuse.
func written(v reflect.Value) (message []byte) {
	defer func() {
		if recover() != nil { // a method that is written by hand need not take half a value
			message = nil
		}
	}()
	m, ok := v.Interface().(interface{ Marshal() ([]byte, error) })
	if !ok {
		return nil
	}
	message, err := m.Marshal()
	if err != nil {
		return nil
	}
	return message
}

// fill makes a value one that is written. It says whether it could.
func fill(v reflect.Value, depth int) bool {
	if !v.CanSet() || depth > 4 {
		return false
	}
	switch v.Kind() {
	case reflect.Pointer:
		v.Set(reflect.New(v.Type().Elem()))
		return true
	case reflect.Slice:
		v.Set(reflect.MakeSlice(v.Type(), 1, 1))
		if item := v.Index(0); item.Kind() == reflect.Pointer {
			item.Set(reflect.New(item.Type().Elem()))
		}
		return true
	case reflect.Map:
		v.Set(reflect.MakeMap(v.Type()))
		value := reflect.New(v.Type().Elem()).Elem()
		if value.Kind() == reflect.Pointer {
			value.Set(reflect.New(value.Type().Elem()))
		}
		v.SetMapIndex(reflect.Zero(v.Type().Key()), value)
		return true
	case reflect.String:
		v.SetString("x")
		return true
	case reflect.Int, reflect.Int8, reflect.Int16, reflect.Int32, reflect.Int64:
		v.SetInt(1)
		return true
	case reflect.Bool:
		v.SetBool(true)
		return true
	case reflect.Struct:
		for i := range v.NumField() {
			if fill(v.Field(i), depth+1) {
				return true
			}
		}
	}
	return false
}
