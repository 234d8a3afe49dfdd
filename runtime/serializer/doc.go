// Package serializer turns objects into bytes and back: JSON, YAML, and Kubernetes protobuf with its envelope.
//
// Decode makes an object of whatever kind of a Scheme the bytes say they are; DecodeInto fills a given one, which is how
// kinds that are in no Scheme (metav1.DeleteOptions, metav1.Status) are read. Encode and Append write. Types is
// the table that content negotiation works with.
//
// All of it is byte-compatible with Kubernetes' serializers. Nothing here defaults or converts. All functions may be
// called from any goroutine; what they take they do not keep, what they return belongs to the caller.
package serializer
