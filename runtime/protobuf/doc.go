// Package protobuf reads and writes the messages of generated code in the wire format of
// Kubernetes. Fields ascend by number. A value is written even if it is zero, a pointer only if
// it is not nil. Nothing is packed, and maps are sorted.
//
// Generated code (generated.pb.go) shows each field of a message once to a Type, with the function
// that fits its Go type: Text(t, 1, &m.Name). So the compiler checks that each field fits the way
// it is read, and the distance of two pointers is the field's place in all other values. One loop
// reads all messages by such tables (Reader.message in read.go). A Writer writes a message from its
// last field to its first, so that the length of each part is known when it is to be written.
//
// What is read allocates together what objects have many of (slab.go); a Recycler reads one object
// after the other into the same memory (arena.go).
//
// Nobody calls this package by hand: the functions of generated code do, and their contracts are
// documented there. A Type may be used by any number of goroutines, a Reader, a Writer and a
// Recycler's function by one at a time.
//
// Start reading at Type, then Reader.message.
package protobuf

import "embed"

// Source is what generated code leans on, as text: gen prints it beside the code of modules that
// can't import this package. A program that does not name it does not have it.
//
//go:embed arena.go fields.go layout.go maps.go read.go scan.go slab.go text.go varint.go write.go
var Source embed.FS
