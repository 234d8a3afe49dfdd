package registry

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"

	jsonpatch "gopkg.in/evanphx/json-patch.v4"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	kjson "sigs.k8s.io/json"
)

const (
	// maxOperations bounds a JSON patch: each operation costs more to carry out than to send.
	maxOperations = 10_000
	// maxCopied bounds the bytes that all "copy" operations of a patch make: each could double the object.
	maxCopied = 3 << 20
)

func init() {
	// The library has this one bound for all of the process.
	jsonpatch.AccumulatedCopySizeLimit = maxCopied
}

// operations is a JSON patch (RFC 6902).
type operations jsonpatch.Patch

// jsonOperation is one of them as it should be. Value is a pointer so that null is not the same as nothing.
type jsonOperation struct {
	Op    string           `json:"op"`
	Path  *string          `json:"path"`
	From  *string          `json:"from"`
	Value *json.RawMessage `json:"value"`
}

// newJSONPatch reads a JSON patch; strict are the fields that no operation has. The error is an API status.
func newJSONPatch(text []byte) (c change, strict []error, err error) {
	var ops []jsonOperation
	if strict, err = kjson.UnmarshalStrict(text, &ops); err != nil {
		return nil, nil, badPatch(err)
	}
	if len(ops) > maxOperations {
		return nil, nil, apierrors.NewRequestEntityTooLargeError(fmt.Sprintf("the allowed maximum operations in a JSON patch is %d, got %d", maxOperations, len(ops)))
	}
	for i, err := range strict {
		strict[i] = fmt.Errorf("json patch %w", err)
	}
	patch, err := jsonpatch.DecodePatch(text)
	if err != nil {
		return nil, nil, badPatch(err)
	}
	for i, op := range ops {
		_, hasValue := patch[i]["value"]
		if err := op.check(hasValue); err != nil {
			return nil, nil, badPatch(fmt.Errorf("operation %d: %w", i, err))
		}
	}
	return operations(patch), strict, nil
}

// check says what an operation lacks.
func (o jsonOperation) check(hasValue bool) error {
	switch o.Op {
	case "add", "replace", "test":
		if !hasValue {
			return fmt.Errorf("%q needs a value", o.Op)
		}
	case "move", "copy":
		if o.From == nil {
			return fmt.Errorf("%q needs a from", o.Op)
		}
	case "remove":
	default:
		return fmt.Errorf("%q is not one of add, remove, replace, move, copy, test", o.Op)
	}
	if o.Path == nil {
		return fmt.Errorf("%q needs a path", o.Op)
	}
	return nil
}

func (o operations) apply(current []byte) ([]byte, error) {
	next, err := jsonpatch.Patch(o).Apply(current)
	var copied *jsonpatch.AccumulatedCopySizeError
	if errors.As(err, &copied) {
		return nil, apierrors.NewRequestEntityTooLargeError(fmt.Sprintf("the copy operations of the patch make more than %d bytes", maxCopied))
	}
	return next, err
}

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
