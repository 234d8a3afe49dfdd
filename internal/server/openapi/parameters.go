package openapi

import (
	"slices"

	"k8s.io/apimachinery/pkg/types"

	"github.com/typeplane/typeplane/registry/rest"
)

// The parameters of the operations, as internal/server/options.go reads them.

func queryParameter(name, kind, description string) parameter {
	return parameter{Name: name, In: "query", Description: description, Schema: parameterSchema{Type: kind, UniqueItems: true}}
}

func pathParameter(name, description string) parameter {
	return parameter{Name: name, In: "path", Description: description, Required: true, Schema: parameterSchema{Type: "string", UniqueItems: true}}
}

var prettyParameter = queryParameter("pretty", "string", "If 'true', the answer is indented.")

var getParameters = []parameter{
	queryParameter("resourceVersion", "string", "The answer must not be older than this; unset: it is the latest; 0: any will do."),
}

// collectionParameter is a parameter of lists, of watches, or of both.
type collectionParameter struct {
	parameter
	list, watch bool
}

var collectionParameters = []collectionParameter{
	{queryParameter("allowWatchBookmarks", "boolean", "Asks a watch for events of type BOOKMARK, which carry a resourceVersion only."), false, true},
	{queryParameter("continue", "string", "The token of the page before this one."), true, false},
	{queryParameter("fieldSelector", "string", "Restricts the objects to those with these fields."), true, true},
	{queryParameter("labelSelector", "string", "Restricts the objects to those with these labels."), true, true},
	{queryParameter("limit", "integer", "How many objects a page has at most; if there are more, the list has a token for the next page."), true, false},
	{queryParameter("resourceVersion", "string", "Where a watch begins, or which version a list has; see resourceVersionMatch."), true, true},
	{queryParameter("resourceVersionMatch", "string", "How resourceVersion is meant: Exact or NotOlderThan."), true, true},
	{queryParameter("sendInitialEvents", "boolean", "Begins a watch with an event for every object that there is and a bookmark; needs resourceVersionMatch=NotOlderThan."), false, true},
	{queryParameter("timeoutSeconds", "integer", "When a watch ends."), false, true},
}

var watchParameter = queryParameter("watch", "boolean", "Follows changes instead of listing.")

// parametersOf returns the parameters of collections that lists or watches read.
func parametersOf(list, watch bool) (out []parameter) {
	for _, p := range collectionParameters {
		if list && p.list || watch && p.watch {
			out = append(out, p.parameter)
		}
	}
	return out
}

// listParameters are those of a GET of a collection.
func listParameters(r *rest.Resource) []parameter {
	if r.Watch == nil {
		return parametersOf(true, false)
	}
	return append(parametersOf(r.List != nil, true), watchParameter)
}

var writeParameters = []parameter{
	queryParameter("dryRun", "string", "'All' does everything but store the result."),
	queryParameter("fieldManager", "string", "The name of whoever makes the change, at most 128 characters."),
	queryParameter("fieldValidation", "string", "What unknown and duplicate fields are: Ignore, Warn (the default) or Strict, an error."),
}

var forceParameter = queryParameter("force", "boolean", "Takes fields over from other managers; for apply patches only.")

func patchParameters(r *rest.Resource) []parameter {
	if !slices.Contains(r.PatchTypes, types.ApplyYAMLPatchType) {
		return writeParameters
	}
	return append(slices.Clone(writeParameters), forceParameter)
}

// deleteCollectionParameters say which objects are deleted, and how.
var deleteCollectionParameters = append(parametersOf(true, false), deleteParameters...)

var deleteParameters = []parameter{
	queryParameter("dryRun", "string", "'All' does everything but delete."),
	queryParameter("gracePeriodSeconds", "integer", "The time before the object is deleted; 0 is at once."),
	queryParameter("orphanDependents", "boolean", "Deprecated: use propagationPolicy."),
	queryParameter("propagationPolicy", "string", "What becomes of dependents: Orphan, Background or Foreground."),
}
