// Package runtimetest checks the generated code of every kind of a Scheme against fuzzed objects:
// encoding and decoding, conversion there and back, and copying lose nothing and share nothing.
//
// RunLossless checks that nothing of a hub object is lost on the way through an older version
// either.
//
// Call Run from a test of your server, with the Scheme that your types declare. It also fails when
// the fuzzing never reached some field, so that a green run means that every field was checked.
package runtimetest
