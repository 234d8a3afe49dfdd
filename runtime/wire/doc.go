// Package wire works on the bytes of Kubernetes protobuf without knowing any Go type.
//
// A stored object is an envelope around the message of its kind. The envelope is the four bytes
// "k8s\0" and a message with apiVersion, kind and the raw object. Field 1 of the kind's message is
// always the same ObjectMeta. That is enough to put a resourceVersion in, to read names, labels and
// finalizers, and to frame lists, all without decoding. Start reading at Envelope, then Meta and
// AppendWithRevision; StringAt and its like read single fields of any message.
//
// Every function takes bytes from anywhere. None panics, recurses as deeply as the bytes say, or
// allocates more than a small multiple of its input. None modifies its input, and the comment says
// so where a result points into it. It depends on protowire and nothing else.
package wire
