// Package canonical turns objects into the bytes that stores and caches hold, and back.
//
// Start reading at Codec.canonical, in codec.go, which makes one form of all that has ever been
// written to a database. An object of a kind without protobuf is stored as the document that was
// sent (documents.go); its Origin says what a Go value was made of (origin.go). A Version is how
// the objects look in one of their served versions, before anybody asks for a media type.
//
// This package reads and writes no store, and knows no request.
package canonical
