// Package fieldset finds out which fields two objects differ in: what managedFields are made of.
//
// Functions that gen prints (zz_generated.fieldset.go) lead a Comparison through two objects of one
// Go type, field by field as JSON shows them. The Comparison collects what was added or changed and
// what was removed. What counts as one field is what structured-merge-diff makes of the kind's
// OpenAPI schema. It is a scalar, or an atomic list, map or struct. It is each key of a granular
// map, each item of a list that is a map, by its keys, and each value of a set. So there is neither
// reflection over whole objects nor a schema at run time.
//
// A Set is written as FieldsV1 (AppendJSON), and becomes a fieldpath.Set for what changes the
// fields of others. Count looks for a Set in FieldsV1 as they are. So managers that neither gain
// nor lose a field are never decoded.
//
// Start reading at Comparison. The functions below Field are for printed code. Each gets pointers
// to two values after the Comparison has entered the path. One of them may be nil, for a value that
// JSON does not show. Nothing here modifies what it compares, or knows managers, versions and
// requests: that is registry's.
package fieldset
