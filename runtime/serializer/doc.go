// Package serializer turns objects into bytes and back: JSON, YAML, and Kubernetes protobuf with
// its envelope.
//
// Decode makes an object of the kind that the bytes name, if a Scheme has it. DecodeInto fills a
// given object. Kinds that are in no Scheme (metav1.DeleteOptions, metav1.Status) are read that
// way. Encode and Append write, AppendKind by the functions that gen prints for a kind. Types is
// the table that content negotiation works with.
//
// All of it is byte-compatible with Kubernetes' serializers. Nothing here defaults or converts. All
// functions may be called from any goroutine. They keep nothing that they take, and what they
// return belongs to the caller. DecodeShared is the exception: strings of its object are parts of
// the data. It is for stored values, which never change and are hardly larger than their object.
// Strings are copied out of the body of a request. It may be 3 MiB, and one label that a strategy
// remembers would keep all of it.
package serializer
