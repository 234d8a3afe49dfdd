package patch

import (
	"bytes"
	"errors"
	"fmt"

	apierrors "k8s.io/apimachinery/pkg/api/errors"

	runtimejson "github.com/typeplane/typeplane/runtime/json"
	"github.com/typeplane/typeplane/runtime/jsonpatch"
	"github.com/typeplane/typeplane/runtime/serializer"
)

// operations is a JSON patch.
type operations struct{ jsonpatch.Patch }

// NewJSON reads a JSON patch; strict are the fields that no operation has. The error is an API
// status.
func NewJSON(text []byte) (c Change, strict []error, err error) {
	patch, strict, err := jsonpatch.Parse(text)
	if err != nil && !apierrors.IsRequestEntityTooLargeError(err) {
		err = Bad(err)
	}
	return operations{patch}, strict, err
}

// maxPatch is how much memory the values of a patch may take, in bytes. It is less than an object
// may take, since the object that is patched and its successor are there at the same time.
const maxPatch = serializer.MaxMemory / 2

// ReadObject reads a patch that is a JSON object. The error is an API status.
func ReadObject(text []byte, into *map[string]any) (strict []error, err error) {
	// null is no object either, and would be read as none.
	if !bytes.HasPrefix(bytes.TrimLeft(text, " \t\r\n"), []byte("{")) {
		return nil, Bad(errors.New("want a JSON object"))
	}
	var value any
	if strict, err = readAny(text, &value, maxPatch); err != nil {
		return nil, Unreadable(err)
	}
	*into = value.(map[string]any)
	return strict, nil
}

// readAny reads JSON of any kind, as long as it takes no more than so many bytes of memory.
func readAny(text []byte, into *any, bytes int) (strict []error, err error) {
	r := runtimejson.NewReader(text).Limit(bytes)
	r.Any(into)
	if err := r.Err(); err != nil {
		return nil, err
	}
	return r.Strict(), nil
}

// Unreadable is the status of a patch that can't be read, or that is too large once it is.
func Unreadable(err error) error {
	if errors.Is(err, runtimejson.ErrTooLarge) {
		return apierrors.NewRequestEntityTooLargeError(fmt.Sprintf("the patch has too many items: to apply it could take more than %d MiB of memory; split it into several patches", maxPatch>>20))
	}
	if apierrors.IsRequestEntityTooLargeError(err) {
		return err
	}
	return Bad(err)
}

// Bad is the status of a patch that can't be read.
func Bad(err error) error {
	return apierrors.NewBadRequest(fmt.Sprintf("error decoding patch: %v", err))
}
