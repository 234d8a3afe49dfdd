package openapi

import "slices"

// The parameters of the operations, as internal/server/options.go reads them.

func queryParameter(name, kind, description string) parameter {
	return parameter{Name: name, In: "query", Description: description, Schema: parameterSchema{Type: kind, UniqueItems: true}}
}

func pathParameter(name, description string) parameter {
	return parameter{Name: name, In: "path", Description: description, Required: true, Schema: parameterSchema{Type: "string", UniqueItems: true}}
}

var prettyParameter = queryParameter("pretty", "string", "If 'true', the answer is indented.")

var getParameters = []parameter{
	queryParameter("exact", "boolean", "With export: the object keeps its namespace and name in any case."),
	queryParameter("export", "boolean", "The object as it could be created somewhere else: without what the server filled in."),
	queryParameter("resourceVersion", "string", "The answer must not be older than this; unset: it is the latest; 0: any will do."),
}

var listParameters = []parameter{
	queryParameter("allowWatchBookmarks", "boolean", "Asks a watch for events of type BOOKMARK, which carry a resourceVersion only."),
	queryParameter("continue", "string", "The token of the page before this one."),
	queryParameter("fieldSelector", "string", "Restricts the objects to those with these fields."),
	queryParameter("labelSelector", "string", "Restricts the objects to those with these labels."),
	queryParameter("limit", "integer", "How many objects a page has at most; if there are more, the list has a token for the next page."),
	queryParameter("resourceVersion", "string", "Where a watch begins, or which version a list has; see resourceVersionMatch."),
	queryParameter("resourceVersionMatch", "string", "How resourceVersion is meant: Exact or NotOlderThan."),
	queryParameter("sendInitialEvents", "boolean", "Begins a watch with an event for every object that there is and a bookmark; needs resourceVersionMatch=NotOlderThan."),
	queryParameter("timeoutSeconds", "integer", "When a watch ends."),
	queryParameter("watch", "boolean", "Follows changes instead of listing."),
}

var writeParameters = []parameter{
	queryParameter("dryRun", "string", "'All' does everything but store the result."),
	queryParameter("fieldManager", "string", "The name of whoever makes the change, at most 128 characters."),
	queryParameter("fieldValidation", "string", "What unknown and duplicate fields are: Ignore, Warn (the default) or Strict, an error."),
}

var patchParameters = append(writeParameters[:len(writeParameters):len(writeParameters)],
	queryParameter("force", "boolean", "Takes fields over from other managers; for apply patches only."))

// deleteCollectionParameters say which objects are deleted, and how.
var deleteCollectionParameters = append(slices.DeleteFunc(slices.Clone(listParameters), func(p parameter) bool {
	return p.Name == "watch" || p.Name == "allowWatchBookmarks"
}), deleteParameters...)

var deleteParameters = []parameter{
	queryParameter("dryRun", "string", "'All' does everything but delete."),
	queryParameter("gracePeriodSeconds", "integer", "The time before the object is deleted; 0 is at once."),
	queryParameter("orphanDependents", "boolean", "Deprecated: use propagationPolicy."),
	queryParameter("propagationPolicy", "string", "What becomes of dependents: Orphan, Background or Foreground."),
}
