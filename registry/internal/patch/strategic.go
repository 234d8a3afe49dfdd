package patch

import (
	"bytes"
	"errors"
	"fmt"
	"slices"
	"strings"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"k8s.io/apimachinery/pkg/util/mergepatch"
	"k8s.io/apimachinery/pkg/util/strategicpatch"

	runtimejson "github.com/typeplane/typeplane/runtime/json"
	"github.com/typeplane/typeplane/runtime/serializer"
)

// This file has leave to use the strategic merge of apimachinery. Its directives and its mistakes
// are a contract that clients were written against. A second implementation would only be a
// different one.

// strategicPatch is a merge patch that says how to change a list instead of replacing it. The
// patchStrategy and patchMergeKey tags of the Go type tell which lists, and by which key; a list
// without them is replaced.
type strategicPatch struct {
	text []byte
	of   any // an empty object of that type
}

func NewStrategic(text []byte, of any) (c Change, strict []error, err error) {
	// Kubernetes takes null for a patch that changes nothing, unlike a merge patch, which would
	// make null of the object.
	if bytes.Equal(bytes.TrimSpace(text), []byte("null")) {
		text = []byte("{}")
	}
	if strict, err = ReadObject(text, new(map[string]any)); err != nil {
		return nil, nil, err
	}
	return strategicPatch{text: text, of: of}, strict, nil
}

func (p strategicPatch) Apply(current []byte) ([]byte, error) {
	var patch map[string]any
	var read any
	if _, err := readAny(current, &read, serializer.MaxMemory); err != nil {
		return nil, apierrors.NewRequestEntityTooLargeError(fmt.Sprintf("the object can't be patched (%v): use an update", err))
	}
	object := read.(map[string]any) // as all objects are
	// Merging takes the patch to pieces, so it is read again each time.
	if _, err := ReadObject(p.text, &patch); err != nil {
		return nil, err
	}
	if err := mergeable(patch, object, p.of); err != nil {
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
			return nil, Bad(err)
		}
	}
	if err != nil {
		// Above all, the merge knows nothing of what is inside of a RawExtension; Kubernetes
		// answers 500 then.
		return nil, fmt.Errorf("%w; a merge patch (application/merge-patch+json) can change it", err)
	}
	// Kubernetes overlooks it when a strategic merge patch names another kind or version, and no
	// other patch.
	merged["kind"], merged["apiVersion"] = kind, apiVersion
	return runtimejson.AppendAny(make([]byte, 0, len(current)+len(p.text)), merged)
}

// maxCompared is how many comparisons of two items a patch may take: as many as if each of 1,000
// were compared with each.
const maxCompared = 1000 * 1000

// mergeable refuses a patch that takes too long to merge: each item of a list is compared with all
// of them.
func mergeable(patch, object map[string]any, of any) error {
	meta, err := strategicpatch.NewPatchMetaFromStruct(of)
	if err != nil {
		return nil // as the merge will say
	}
	if comparisons([]map[string]any{patch}, object, meta) <= maxCompared {
		return nil
	}
	return apierrors.NewRequestEntityTooLargeError(fmt.Sprintf("merging the lists of the patch takes more than %d comparisons of two items: "+
		"change fewer items, or use an update or another type of patch", maxCompared))
}

// comparisons is about how often two items are compared when patches are merged into an object one
// after the other. Lists that are replaced as a whole don't count, nor do those that only one patch
// has.
func comparisons(patches []map[string]any, object map[string]any, meta strategicpatch.LookupPatchMeta) (n int) {
	structs, lists := map[string][]map[string]any{}, map[string][]any{}
	times := map[string]int{}
	for _, patch := range patches {
		for key, value := range patch {
			name := key
			if directive, of, ok := strings.Cut(key, "/"); ok && strings.HasPrefix(directive, "$") {
				name = of // "$setElementOrder/containers" is about containers
			}
			times[name]++
			switch value := value.(type) {
			case map[string]any:
				structs[name] = append(structs[name], value)
			case []any:
				lists[name] = append(lists[name], value...)
			}
		}
	}
	for name, values := range structs {
		have, _ := object[name].(map[string]any)
		if have == nil && len(values) < 2 {
			continue
		}
		if inner, _, err := meta.LookupPatchMetadataForStruct(name); err == nil {
			n += comparisons(values, have, inner)
		}
	}
	for name, items := range lists {
		have, _ := object[name].([]any)
		if have == nil && times[name] < 2 {
			continue
		}
		if inner, list, err := meta.LookupPatchMetadataForSlice(name); err == nil && slices.Contains(list.GetPatchStrategies(), "merge") {
			n += len(items)*(len(items)+len(have)) + comparisonsInside(items, have, list.GetPatchMergeKey(), inner)
		}
	}
	return n
}

// comparisonsInside is about the lists in items that are merged by a key.
func comparisonsInside(items, have []any, key string, meta strategicpatch.LookupPatchMeta) (n int) {
	patches, objects := map[string][]map[string]any{}, map[string]map[string]any{}
	for _, item := range have {
		if object, ok := item.(map[string]any); ok {
			objects[fmt.Sprint(object[key])] = object
		}
	}
	for _, item := range items {
		if patch, ok := item.(map[string]any); ok {
			name := fmt.Sprint(patch[key])
			patches[name] = append(patches[name], patch)
		}
	}
	for name, same := range patches {
		n += comparisons(same, objects[name], meta)
	}
	return n
}
