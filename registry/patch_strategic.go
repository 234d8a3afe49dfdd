package registry

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"

	"k8s.io/apimachinery/pkg/util/mergepatch"
	"k8s.io/apimachinery/pkg/util/strategicpatch"
)

// This file has leave to use the strategic merge of apimachinery: its directives and its mistakes are a contract
// that clients were written against, and a second implementation would only be a different one.

// strategicPatch is a merge patch that says how to change a list instead of replacing it. The patchStrategy and
// patchMergeKey tags of the Go type tell which lists, and by which key; a list without them is replaced.
type strategicPatch struct {
	text []byte
	of   any // an empty object of that type
}

func newStrategicPatch(text []byte, of any) (c change, strict []error, err error) {
	// Kubernetes takes null for a patch that changes nothing, unlike a merge patch, which would make null of the object.
	if bytes.Equal(bytes.TrimSpace(text), []byte("null")) {
		text = []byte("{}")
	}
	if strict, err = readPatchObject(text, new(map[string]any)); err != nil {
		return nil, nil, err
	}
	return strategicPatch{text: text, of: of}, strict, nil
}

func (p strategicPatch) apply(current []byte) ([]byte, error) {
	var object, patch map[string]any
	if _, err := readPatchObject(current, &object); err != nil {
		return nil, err
	}
	// Merging takes the patch to pieces, so it is read again each time.
	if _, err := readPatchObject(p.text, &patch); err != nil {
		return nil, err
	}
	kind, apiVersion := object["kind"], object["apiVersion"]
	merged, err := strategicpatch.StrategicMergeMapPatch(object, patch, p.of)
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
		// Above all, the merge knows nothing of what is inside of a RawExtension; Kubernetes answers 500 then.
		return nil, fmt.Errorf("%w; a merge patch (application/merge-patch+json) can change it", err)
	}
	// Kubernetes overlooks it when a strategic merge patch names another kind or version, and no other patch.
	merged["kind"], merged["apiVersion"] = kind, apiVersion
	return json.Marshal(merged)
}
