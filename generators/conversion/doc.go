// Package conversion prints zz_generated.conversion.go: for each struct of a version and the struct of the same name in
// its hub, functions Convert_a_To_b both ways.
//
// A version asks with +k8s:conversion-gen=<import path of the hub>; several hubs are searched in order. A hub is a
// package of internal types or another version. Fields meet by name. What the two sides have in common is assigned,
// cast or converted by a function; memory is reinterpreted only where names, types and order of all fields are equal
// at every depth; integers that get narrower are checked. A conversion may share memory with its source.
//
// A hand-written function with the name and signature of a conversion takes the place of the generated one, which
// stays callable as autoConvert_a_To_b. A field that has no counterpart, or one of another type, needs such a function
// or the tag +k8s:conversion-gen=false: otherwise it is a problem, because converting would lose it.
//
// Start reading at newPlan, which decides and returns a tree of steps, and printPlan. Nothing printed depends on packages
// of this module.
package conversion
