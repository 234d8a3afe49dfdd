package registry

import (
	"encoding/json"
	"errors"
	"reflect"
	"strings"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/util/mergepatch"
	"k8s.io/apimachinery/pkg/util/strategicpatch"
	kjson "sigs.k8s.io/json"

	"github.com/typeplane/typeplane/runtime"
)

// This file has leave to use the strategic merge of apimachinery: its directives and its mistakes are a contract
// that clients were written against, and a second implementation would only be a different one.

// strategicPatch is a merge patch that says how to change a list instead of replacing it. The patchStrategy and
// patchMergeKey tags of the kind's Go type tell which lists, and by which key.
type strategicPatch struct {
	text []byte
	kind *runtime.Kind
}

func newStrategicPatch(text []byte, kind *runtime.Kind) (c change, strict []error, err error) {
	if strict, err = readPatchObject(text, new(map[string]any)); err != nil {
		return nil, nil, err
	}
	return strategicPatch{text: text, kind: kind}, strict, nil
}

func (p strategicPatch) apply(current []byte) ([]byte, error) {
	var object, patch map[string]any
	if err := kjson.UnmarshalCaseSensitivePreserveInts(current, &object); err != nil {
		return nil, apierrors.NewInternalError(err)
	}
	// Merging takes the patch to pieces, so it is read again each time.
	if _, err := readPatchObject(p.text, &patch); err != nil {
		return nil, err
	}
	merged, err := strategicpatch.StrategicMergeMapPatch(object, patch, p.kind.New())
	for _, malformed := range []error{
		mergepatch.ErrBadJSONDoc,
		mergepatch.ErrBadPatchFormatForPrimitiveList,
		mergepatch.ErrBadPatchFormatForRetainKeys,
		mergepatch.ErrBadPatchFormatForSetElementOrderList,
	} {
		if errors.Is(err, malformed) {
			return nil, badPatch(err)
		}
	}
	if err != nil {
		return nil, err
	}
	return json.Marshal(merged)
}

// hasPatchStrategy says whether a field of the kind, apart from those that every object has, is marked for strategic
// merge patches.
func hasPatchStrategy(kind *runtime.Kind) bool {
	return marked(reflect.TypeOf(kind.New()), map[reflect.Type]bool{
		reflect.TypeFor[metav1.ObjectMeta](): true,
		reflect.TypeFor[metav1.TypeMeta]():   true,
	})
}

func marked(t reflect.Type, seen map[reflect.Type]bool) bool {
	switch t.Kind() {
	case reflect.Pointer, reflect.Slice, reflect.Array, reflect.Map:
		return marked(t.Elem(), seen)
	case reflect.Struct:
	default:
		return false
	}
	if seen[t] {
		return false
	}
	seen[t] = true
	for i := range t.NumField() {
		field := t.Field(i)
		if strings.TrimSpace(field.Tag.Get("patchStrategy")) != "" || marked(field.Type, seen) {
			return true
		}
	}
	return false
}
