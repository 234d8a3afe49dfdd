// Package wire works on the bytes of Kubernetes protobuf without knowing any Go type.
//
// A stored object is an envelope around the message of its kind. The envelope is the four bytes
// "k8s\0" and a message with apiVersion, kind and the raw object. Field 1 of the kind's message is
// always the same ObjectMeta. That is enough to put a resourceVersion in, to read names, labels and
// finalizers, and to frame lists, all without decoding. Start reading at Envelope, then Meta and
// AppendWithRevision; StringAt and its like read single fields of any message.
//
// Every function takes bytes from anywhere: none panics, recurses as deep as they say or allocates
// more than a small multiple of its input. Nothing here modifies its input; what points into it is
// said so. It depends on protowire and nothing else.
package wire
