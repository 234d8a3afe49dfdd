// Package jsontest is the definition of what generated JSON functions must do: what encoding/json
// and sigs.k8s.io/json do, for random objects and for data with anything wrong with it. Packages
// with generated functions run it.
//
// Start reading at Run. The package is for tests only.
package jsontest

import (
	"bytes"
	"encoding/json"
	"errors"
	"math/rand"
	"reflect"
	"strings"
	"testing"
	"unicode/utf8"

	kjson "sigs.k8s.io/json"

	ours "github.com/typeplane/typeplane/runtime/json"
)

// Functions are those of one type.
type Functions[T any] struct {
	Append func([]byte, *T) ([]byte, error)
	Read   func(*ours.Reader, *T)
	// Fill are functions of randfill for types that it can't fill.
	Fill []any
}

// Run compares rounds random objects, and several variants of the JSON of each.
func (f Functions[T]) Run(t *testing.T, seed int64, rounds int) {
	t.Helper()
	rnd := rand.New(rand.NewSource(seed))
	for range rounds {
		obj := new(T)
		fill(rnd, obj, f.Fill)
		data := f.Written(t, obj)
		f.Compare(t, data)
		for range 8 {
			f.Compare(t, Damage(rnd, data))
		}
		if t.Failed() {
			t.Fatalf("with seed %d", seed)
		}
	}
}

// Written compares what is written with what encoding/json writes, and returns it.
func (f Functions[T]) Written(t testing.TB, obj *T) []byte {
	t.Helper()
	want, wantErr := json.Marshal(obj)
	const before = "before"
	got, err := f.Append([]byte(before), obj)
	if (err == nil) != (wantErr == nil) {
		t.Fatalf("%T: error %v, encoding/json has %v", *obj, err, wantErr)
	}
	if err == nil && string(got) != before+string(want) {
		t.Errorf("%T: wrote\n%s\nencoding/json writes\n%s", *obj, got[len(before):], want)
	}
	return want
}

// Compare reads data with the generated function and with sigs.k8s.io/json.
func (f Functions[T]) Compare(t testing.TB, data []byte) {
	t.Helper()
	want := new(T)
	wantStrict, wantErr := kjson.UnmarshalStrict(bytes.Clone(data), want)
	for _, shared := range []bool{false, true} {
		in := bytes.Clone(data)
		r := ours.NewReader(in)
		if shared {
			r.Shared()
		}
		got := new(T)
		f.Read(r, got)
		err, strict := r.Err(), r.Strict()
		if !shared {
			clear(in) // nothing may point there
		}
		if !sameText(text(err), text(wantErr)) {
			t.Errorf("%T: error %v, sigs.k8s.io/json has %v, for\n%s", *got, err, wantErr, short(data))
		}
		if !sameErrors(strict, wantStrict) {
			t.Errorf("%T: strict errors %v, sigs.k8s.io/json has %v, for\n%s", *got, strict, wantStrict, short(data))
		}
		// After a syntax error there is a part of the object; what a method of a type left behind
		// is its own affair.
		var typeError *ours.TypeError
		if (err == nil || errors.As(err, &typeError)) && !reflect.DeepEqual(got, want) {
			a, _ := json.Marshal(got)
			b, _ := json.Marshal(want)
			t.Errorf("%T: read (shared: %v)\n%s\nsigs.k8s.io/json reads\n%s\nfrom\n%s", *got, shared, a, b, short(data))
		}
	}
}

func text(err error) string {
	if err == nil {
		return ""
	}
	return err.Error()
}

// sameText: ours is what sigs.k8s.io/json says, or begins so, and is cut where that is very long.
func sameText(ours, theirs string) bool {
	begun, cut := strings.CutSuffix(ours, " ...")
	return ours == theirs || cut && len(begun) > 4000 && utf8.ValidString(begun) && strings.HasPrefix(theirs, begun)
}

func sameErrors(a, b []error) bool {
	if len(a) != len(b) {
		return false
	}
	for i := range a {
		if a[i].Error() != b[i].Error() {
			return false
		}
	}
	return true
}

func short(data []byte) []byte {
	if len(data) > 3000 {
		return append(bytes.Clone(data[:3000]), "…"...)
	}
	return data
}
