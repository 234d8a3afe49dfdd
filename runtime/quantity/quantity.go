// Package quantity refuses resource quantities that strangers wrote to keep a server busy. Package
// resource of apimachinery took nine seconds for 1e-30000000, and time grows faster than the
// exponent.
//
// Check is for what is a quantity, Guard for what a Go type is about to read by itself.
package quantity

import (
	"bytes"
	"encoding/json"
	"errors"
	"reflect"
	"strings"
	"sync"

	"k8s.io/apimachinery/pkg/api/resource"
)

// How long a quantity may be, and its exponent. To round, add or compare numbers, package resource
// writes out ten to the power of the exponent. Nothing that is counted comes near to these.
const (
	maxCharacters = 10_000
	maxExponent   = 3 // digits
)

// ErrTooLarge is what Check says of a quantity.
var ErrTooLarge = errors.New("a quantity has at most 10,000 characters, and an exponent of at most 3 digits")

// Check refuses a quantity that takes too long to be read, or to count with. It does not matter
// what is around it, like quotes. Of a text that is no quantity it says nothing.
//
// It is for what comes from outside. A sum of such quantities, which is stored, may be larger.
func Check[T ~string | ~[]byte](text T) error {
	if len(text) > maxCharacters {
		return ErrTooLarge
	}
	digits := -1 // of an exponent, -1 outside of one
	for i := range len(text) {
		switch c := text[i]; {
		case c == 'e' || c == 'E':
			digits = 0
		case digits < 0 || digits == 0 && (c == '+' || c == '-'):
		case c < '0' || c > '9':
			digits = -1
		default:
			if digits++; digits > maxExponent {
				return ErrTooLarge
			}
		}
	}
	return nil
}

// Guard refuses JSON that a value of a type is about to read by itself: a quantity, or what may
// become one. Nobody knows which of its texts a type with an UnmarshalJSON of its own takes for
// quantities. If there are any in it, none of its texts and numbers may be too large for one.
func Guard(t reflect.Type, value []byte) error {
	switch {
	case t == quantityType:
		return Check(value)
	case In(t):
		return checkAll(value)
	}
	return nil
}

// checkAll refuses JSON with a text or a number that would be too large for a quantity.
func checkAll(value []byte) error {
	d := json.NewDecoder(bytes.NewReader(value))
	d.UseNumber()
	for {
		token, err := d.Token()
		if err != nil {
			return nil // the end; of what is no JSON its reader says so
		}
		switch text := token.(type) {
		case string:
			err = checkLike(text)
		case json.Number:
			err = checkLike(string(text))
		}
		if err != nil {
			return err
		}
	}
}

// checkLike is Check for a text that may be anything: what begins or goes on as no quantity does is
// none.
func checkLike(text string) error {
	text = strings.TrimSpace(text)
	if text == "" || !strings.Contains("+-.0123456789", text[:1]) || strings.Trim(text, "+-.0123456789eEinumkKMGTP") != "" {
		return nil
	}
	return Check(text)
}

var (
	quantityType = reflect.TypeFor[resource.Quantity]()
	known        sync.Map // of bool, by type: what In says
)

// In says whether values of a type have quantities. It looks into fields of all kinds, but not
// behind interfaces.
func In(t reflect.Type) bool {
	has, ok := known.Load(t)
	if !ok {
		has = in(t, map[reflect.Type]bool{})
		known.Store(t, has)
	}
	return has.(bool)
}

func in(t reflect.Type, seen map[reflect.Type]bool) bool {
	if t == quantityType {
		return true
	}
	if seen[t] {
		return false
	}
	seen[t] = true
	switch t.Kind() {
	case reflect.Pointer, reflect.Slice, reflect.Array:
		return in(t.Elem(), seen)
	case reflect.Map:
		return in(t.Key(), seen) || in(t.Elem(), seen)
	case reflect.Struct:
		for i := range t.NumField() {
			if in(t.Field(i).Type, seen) {
				return true
			}
		}
	}
	return false
}
