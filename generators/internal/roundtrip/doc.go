// Package roundtrip writes zz_generated.roundtrip_test.go: a test of the code that the other
// plug-ins print for the kinds of a package.
//
// A package asks for it with +typeplane:roundtrip-gen=true. The test fills each kind, and each list
// of kinds, with random values. It wants a deep copy to be equal and to share no memory. It wants
// protobuf and JSON to give back what was encoded, and defaults to change nothing when they are set
// again. Nothing may be lost on the way to the hub and back. It checks what there is, printed or
// written by hand. Values that follow a rule which random ones break come from functions for
// randfill: +typeplane:roundtrip-gen:fill=fillers names the variable, a []any in a test file.
//
// What is checked is written in the runtime, in package runtimetest; the file names the functions
// only. So a module whose packages ask for this test requires ours, for its tests; no code that is
// not a test does. The test sees fields that came with a newer version of another module, which the
// guard leaves out.
//
// The file says what all generators print, so it is only written by a run of all of them.
//
// Start reading at plan.
package roundtrip
