package main

import (
	"encoding/json"
	"strconv"
	"strings"
)

// patchType is a way to write down a change.
type patchType string

// Types of patches that are no apply patches.
const (
	mergeType     patchType = "application/merge-patch+json"
	strategicType patchType = "application/strategic-merge-patch+json"
	jsonType      patchType = "application/json-patch+json"
)

// applyType is the type of apply patches.
const applyType = "application/apply-patch+yaml"

// patchBody writes down what a patch changes, and nothing else. Each type has its own way of
// changing finalizers: see changesFinalizers.
func patchBody(op *Op, typ patchType) []byte {
	if typ == jsonType {
		return jsonPatch(op)
	}
	meta := map[string]any{"annotations": map[string]string{tokenAnnotation: op.Sent.Token}}
	if op.Sent.Group != "" {
		meta["labels"] = map[string]string{groupLabel: op.Sent.Group}
	}
	if op.Expect != 0 {
		meta["resourceVersion"] = strconv.FormatInt(op.Expect, 10)
	}
	if how := op.Finalize; how != "" {
		names := finalizerNames(how[1:])
		switch how[0] {
		case '-':
			meta["$deleteFromPrimitiveList/finalizers"] = names
		default:
			meta["finalizers"] = names
		}
	}
	return mustJSON(map[string]any{"metadata": meta, "spec": specOf(op.Sent)})
}

func specOf(c Content) map[string]string {
	spec := map[string]string{}
	if c.Title != "" {
		spec["title"] = c.Title
	}
	if c.Shelf != "" {
		spec["shelf"] = c.Shelf
	}
	return spec
}

func jsonPatch(op *Op) []byte {
	type operation struct {
		Op    string `json:"op"`
		Path  string `json:"path"`
		Value any    `json:"value"`
	}
	var all []operation
	if op.Expect != 0 {
		all = append(all, operation{"test", "/metadata/resourceVersion", strconv.FormatInt(op.Expect, 10)})
	}
	all = append(all, operation{"add", "/metadata/annotations/" + tokenAnnotation, op.Sent.Token})
	if op.Sent.Group != "" {
		all = append(all, operation{"add", "/metadata/labels/" + groupLabel, op.Sent.Group})
	}
	for name, value := range specOf(op.Sent) {
		all = append(all, operation{"add", "/spec/" + name, value})
	}
	if op.Finalize != "" {
		all = append(all, operation{"add", "/metadata/finalizers", finalizerNames(op.Finalize[1:])})
	}
	return mustJSON(all)
}

// applyBody is the content of an apply patch: what c names.
func applyBody(op *Op) []byte {
	namespace, name, _ := strings.Cut(op.Key, "/")
	annotations := map[string]string{}
	for i, token := range op.Sent.Applied {
		if token != "" {
			annotations[appliedToken+strconv.Itoa(i)] = token
		}
	}
	meta := map[string]any{"namespace": namespace, "name": name, "annotations": annotations}
	if op.Sent.Group != "" {
		meta["labels"] = map[string]string{groupLabel: op.Sent.Group}
	}
	if op.Sent.Finalizers != "" {
		meta["finalizers"] = finalizerNames(op.Sent.Finalizers)
	}
	if op.Expect != 0 {
		meta["resourceVersion"] = strconv.FormatInt(op.Expect, 10)
	}
	return mustJSON(map[string]any{"apiVersion": bookGroup + op.Version, "kind": bookKind, "metadata": meta, "spec": specOf(op.Sent)})
}

// mustJSON is for what can be written as JSON.
func mustJSON(v any) []byte {
	data, err := json.Marshal(v)
	if err != nil {
		panic(err)
	}
	return data
}
