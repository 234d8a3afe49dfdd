// Package json supports generated JSON code: functions that append values as encoding/json
// writes them, and a Reader that is as strict as sigs.k8s.io/json. Nothing in it reflects,
// except where a value's type is known at run time only.
//
// The functions that gen prints are
//
//	AppendJSON_Book(dst []byte, in *Book) ([]byte, error)
//	ReadJSON_Book(r *json.Reader, out *Book)
//
// and are used like this:
//
//	data, err := AppendJSON_Book(buffer[:0], book)
//
//	r := json.NewReader(data)
//	var book Book
//	ReadJSON_Book(r, &book)
//	if err := r.Err(); err != nil { … }   // not JSON, followed by something, or of another type somewhere
//	for _, err := range r.Strict() { … }  // unknown field "spec.foo", duplicate field "spec.bar"
//
// # Writing
//
// The bytes are those of encoding/json.Marshal(in), where in is a pointer: keys in the order of the
// struct, map keys sorted, HTML signs escaped. in is not nil. After an error what stands behind
// len(dst) is of no use. A value that contains itself is never written to its end; encoding/json
// has an error for that.
//
// # Reading
//
// out is empty. The object, the strict errors, the error and its text are those of
// sigs.k8s.io/json.UnmarshalStrict. That holds also where fields are there twice, are null or of
// another type. There are two exceptions. After a syntax error out holds what came before it. A
// value behind an interface is replaced, not read into. At most 10,000 objects and arrays may be
// inside each other.
//
// Strings are copied out of data, several short ones into one piece of memory of at most 1 KiB. A
// string that outlives its object keeps no more than that alive, and the data can be overwritten
// after Err. With Shared nothing is copied, which saves up to a tenth of the time (test/codebench).
// Then data must never change, and one label that is kept somewhere keeps the whole request in
// memory. The server shares when what it decodes lives no longer than the request.
//
// Start reading at Reader and AppendString. The package imports nothing of this module.
package json
