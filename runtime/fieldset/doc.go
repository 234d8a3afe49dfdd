// Package fieldset finds out which fields two objects differ in: what managedFields are made of.
//
// A Comparison is led through two objects of one Go type by functions that gen prints
// (zz_generated.fieldset.go), field by field as JSON shows them, and collects what was added or
// changed and what was removed. What counts as one field is what structured-merge-diff makes of the
// kind's OpenAPI schema: a scalar, an atomic list, map or struct; of a granular map each key, of a
// list that is a map each item by its keys, of a set each value. So there is neither reflection
// over whole objects nor a schema at run time.
//
// A Set is written as FieldsV1 (AppendJSON), becomes a fieldpath.Set for what changes the fields of
// others, and is looked for in FieldsV1 as they are (Count), so that managers who neither gain nor
// lose a field are never decoded.
//
// Start reading at Comparison. The functions below Field are for printed code: each is handed
// pointers to two values of which one may be nil, for a value that JSON does not show, after the
// Comparison has entered the path. Nothing here modifies what it compares, or knows managers,
// versions and requests: that is registry's.
package fieldset
