package runtime

import (
	"fmt"
	"reflect"
	"strconv"
	"strings"

	"github.com/typeplane/typeplane/runtime/wire"
)

// statusField finds the number of the field that is "status" in JSON, 0 if there is none. The
// number need not be part of the Go type (it may be only in generated code). Then it asks that
// code: status is the field that differs when something is put into it.
func statusField(newObject func() Object) (number int32, err error) {
	defer func() {
		if r := recover(); r != nil {
			err = fmt.Errorf("%v", r)
		}
	}()
	empty, full := newObject(), newObject()
	before, err := marshal(empty.(Protobuf))
	if err != nil {
		return 0, err
	}
	status, tag := jsonField(reflect.ValueOf(full).Elem(), "status")
	if !status.IsValid() {
		return 0, nil
	}
	if number, ok := tagNumber(tag); ok {
		return number, nil
	}
	fill(status, 0)
	after, err := marshal(full.(Protobuf))
	if err != nil {
		return 0, err
	}
	return wire.FirstDifference(before, after)
}

func marshal(m Protobuf) ([]byte, error) { return appendMessage(nil, m) }

// appendMessage appends m without an envelope. dst is returned as it was after an error.
func appendMessage(dst []byte, m Protobuf) ([]byte, error) {
	size := m.Size()
	if cap(dst)-len(dst) < size {
		// Exactly what is needed: most messages are kept as long as the object lives.
		dst = append(make([]byte, 0, len(dst)+size), dst...)
	}
	n, err := m.MarshalToSizedBuffer(dst[len(dst) : len(dst)+size])
	if err != nil {
		return dst, err
	}
	if n != size {
		return dst, fmt.Errorf("the method Size says %d, MarshalToSizedBuffer wrote %d", size, n)
	}
	return dst[:len(dst)+size], nil
}

// tagNumber reads the number in `protobuf:"bytes,3,opt,name=status"`.
func tagNumber(tag reflect.StructTag) (int32, bool) {
	parts := strings.Split(tag.Get("protobuf"), ",")
	if len(parts) < 2 {
		return 0, false
	}
	number, err := strconv.ParseInt(parts[1], 10, 32)
	return int32(number), err == nil && number > 0
}

// jsonField returns the field of a struct that has name in JSON, with its tag, or the zero Value.
func jsonField(v reflect.Value, name string) (reflect.Value, reflect.StructTag) {
	for i := range v.NumField() {
		field := v.Type().Field(i)
		tag, _, _ := strings.Cut(field.Tag.Get("json"), ",")
		switch {
		case tag == name, tag == "" && !field.Anonymous && field.Name == name:
			return v.Field(i), field.Tag
		case tag == "" && field.Anonymous && field.Type.Kind() == reflect.Struct:
			if found, tag := jsonField(v.Field(i), name); found.IsValid() {
				return found, tag
			}
		}
	}
	return reflect.Value{}, ""
}

// fill makes v something else than its zero value, as far as that is seen in an encoding.
func fill(v reflect.Value, depth int) {
	if !v.CanSet() || depth > 8 {
		return
	}
	switch v.Kind() {
	case reflect.Struct:
		for i := range v.NumField() {
			fill(v.Field(i), depth+1)
		}
	case reflect.Pointer:
		v.Set(reflect.New(v.Type().Elem()))
		fill(v.Elem(), depth+1)
	case reflect.Slice:
		v.Set(reflect.MakeSlice(v.Type(), 1, 1))
		fill(v.Index(0), depth+1)
	case reflect.String:
		v.SetString("x")
	case reflect.Bool:
		v.SetBool(true)
	case reflect.Int, reflect.Int8, reflect.Int16, reflect.Int32, reflect.Int64:
		v.SetInt(1)
	case reflect.Uint, reflect.Uint8, reflect.Uint16, reflect.Uint32, reflect.Uint64:
		v.SetUint(1)
	case reflect.Float32, reflect.Float64:
		v.SetFloat(1)
	}
}
