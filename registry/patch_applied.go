package registry

import (
	"fmt"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
	kjson "sigs.k8s.io/json"
)

// appliedPatch is the content of an apply patch: a part of an object. It is not modified.
type appliedPatch struct{ content map[string]any }

// readContent makes an applied patch of JSON. strict are the fields that are there twice. The error is an API status.
func (e *endpoint[T]) readContent(data []byte) (patch appliedPatch, strict []error, err error) {
	if strict, err = readPatchObject(data, &patch.content); err != nil {
		return patch, nil, err
	}
	want := e.kind.GroupVersionKind()
	apiVersion, _ := patch.content["apiVersion"].(string)
	kind, _ := patch.content["kind"].(string)
	if apiVersion != want.GroupVersion().String() || kind != want.Kind {
		return patch, nil, badPatch(fmt.Errorf("it says that it is a %s, Kind=%s; want apiVersion %s and kind %s", apiVersion, kind, want.GroupVersion(), want.Kind))
	}
	if meta, ok := patch.content["metadata"].(map[string]any); ok && meta["managedFields"] != nil {
		return patch, nil, apierrors.NewBadRequest("metadata.managedFields must be nil: an apply patch can't say who owns what")
	}
	// The Go type finds values of a wrong type, the schema finds unknown fields, and list items that are there twice.
	if err = kjson.UnmarshalCaseSensitivePreserveInts(data, e.kind.New()); err != nil {
		return patch, nil, badPatch(err)
	}
	wrong, broken := e.owners.Check(patch.content)
	if broken != nil {
		return patch, nil, apierrors.NewInternalError(broken)
	}
	if wrong != nil {
		return patch, nil, badPatch(wrong)
	}
	return patch, strict, nil
}
