package judge

import (
	"bytes"
	"encoding"
	"encoding/json"
	"reflect"
	"strings"

	"k8s.io/apimachinery/pkg/util/validation/field"

	"github.com/typeplane/typeplane/internal/jsontree"
	"github.com/typeplane/typeplane/registry/internal/pairing"
)

// quoted returns the errors with values quoted as they were sent. An error quotes the JSON that its
// value writes. A type with its own JSON may write another one than it reads, like "a/" for "a".
func (j *Judge) quoted(errs field.ErrorList, there *presence) field.ErrorList {
	if there == nil {
		return errs
	}
	of := reflect.TypeOf(j.Kind.New())
	for i, err := range errs {
		t := pairing.TypeAt(of, err.Field)
		if t == nil || !ownJSON(t) {
			continue
		}
		if sent, ok := there.sentAs(t, err); ok {
			one := *err
			one.BadValue = sent
			errs[i] = &one
		}
	}
	return errs
}

// ownJSON reports whether a type has methods for its JSON. The types of apimachinery do not count:
// they are quoted as Kubernetes quotes them.
func ownJSON(t reflect.Type) bool {
	if strings.HasPrefix(t.PkgPath(), "k8s.io/apimachinery/") {
		return false
	}
	p := reflect.PointerTo(t)
	return p.Implements(reflect.TypeFor[json.Marshaler]()) || p.Implements(reflect.TypeFor[encoding.TextMarshaler]())
}

// sentAs returns the value at the field of an error as it was sent. ok is false unless the error
// quotes that value: it may be about its size, or about what admission made of it.
func (p *presence) sentAs(t reflect.Type, err *field.Error) (value any, ok bool) {
	quoted := marshaled(t, err.BadValue)
	sent, ok := p.look().ValueAt(err.Field)
	if !ok {
		return nil, false
	}
	text, read := jsontree.Append(nil, sent), reflect.New(t).Interface()
	if json.Unmarshal(text, read) != nil {
		return nil, false
	}
	if quoted == nil || !bytes.Equal(marshaled(t, read), quoted) {
		return nil, false
	}
	if sent, ok := sent.(string); ok {
		return sent, true
	}
	return json.RawMessage(text), true
}

// marshaled returns the JSON of a value, also by methods that the pointer to its type t has; nil if
// there is none.
func marshaled(t reflect.Type, value any) []byte {
	if v := reflect.ValueOf(value); v.IsValid() && v.Type() == t {
		p := reflect.New(t)
		p.Elem().Set(v)
		value = p.Interface()
	}
	text, err := json.Marshal(value)
	if err != nil {
		return nil
	}
	return text
}
