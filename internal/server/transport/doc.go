// Package transport answers the connections of a listener, by HTTP/1.1 and over TLS by HTTP/2, and
// bounds what a client may cost that keeps to no rule of its own.
//
// NewServer (transport.go) returns a server of net/http. A connection of HTTP/2 (connection.go)
// gives it one request at a time. It bounds how long headers take (headers.go), and how many
// streams a client resets (resets.go). It joins what several streams send (coalescer.go).
//
// A handler says through the context of its request what it knows of the answer: WritingShort,
// Lasting. It sends a long answer through a FrameWriter (framewriter.go), in whole frames.
package transport
