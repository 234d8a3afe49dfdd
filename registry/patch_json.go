package registry

import (
	"bytes"
	"errors"
	"fmt"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
	kjson "sigs.k8s.io/json"

	"github.com/typeplane/typeplane/runtime/jsonpatch"
)

// operations is a JSON patch.
type operations struct{ jsonpatch.Patch }

// newJSONPatch reads a JSON patch; strict are the fields that no operation has. The error is an API status.
func newJSONPatch(text []byte) (c change, strict []error, err error) {
	patch, strict, err := jsonpatch.Parse(text)
	if err != nil && !apierrors.IsRequestEntityTooLargeError(err) {
		err = badPatch(err)
	}
	return operations{patch}, strict, err
}

func (o operations) apply(current []byte) ([]byte, error) { return o.Apply(current) }

// readPatchObject reads a patch that is a JSON object. The error is an API status.
func readPatchObject(text []byte, into *map[string]any) (strict []error, err error) {
	// null is no object either, and would be read as none.
	if !bytes.HasPrefix(bytes.TrimLeft(text, " \t\r\n"), []byte("{")) {
		return nil, badPatch(errors.New("want a JSON object"))
	}
	if strict, err = kjson.UnmarshalStrict(text, into); err != nil {
		return nil, badPatch(err)
	}
	return strict, nil
}

// badPatch is the status of a patch that can't be read.
func badPatch(err error) error {
	return apierrors.NewBadRequest(fmt.Sprintf("error decoding patch: %v", err))
}
