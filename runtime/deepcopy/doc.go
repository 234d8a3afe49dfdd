// Package deepcopy copies metadata and the other types of apimachinery that kinds are made of.
// Generated copies (zz_generated.deepcopy.go) take their memory from it.
//
// A copy is made in two steps. Count<Type> counts what the copy will take from a Memory, and
// Copy<Type> copies. So all values of one type are allocated at once. Whoever keeps a pointer or a
// list of a copy keeps those of its object; a list has no room for more, so what is appended to it
// goes elsewhere. Memory is never shared by two objects. It is for one goroutine.
//
// The functions know the fields that the types had when they were written. A type that has grown
// since is of another size: they compare sizes, which costs nothing when they run, and leave the
// rest to the type's own method.
//
// Generated code calls this package where its module requires the runtime; elsewhere it has the
// same in each file.
package deepcopy

import "embed"

// Source is what has to do with memory for any type, as text: gen prints it beside the code of
// modules that don't require this one. A program that does not name it does not have it.
//
//go:embed slab.go
var Source embed.FS
