// Command oracle tests what a server promises about revisions. It drives one server, or several on
// the same etcd, with random operations and watches. Meanwhile processes are killed and frozen, and
// connections are cut. It writes down all that clients saw, and compares it with what etcd itself
// says has happened: a raw watch that has every revision of every key.
//
// Start reading at History (record.go), which is all that is known of a run, and Check (check.go).
// Each property has a file of its own, check_*.go: a pure function over a history, with histories
// written by hand as its test. How a history comes about is in world.go (processes), drive.go
// (requests), follow.go (watches) and fault.go; what a write makes of an object is in model.go.
// README.md says what runs have exposed.
//
// The checks know nothing of how the server works, and the server nothing of the checks. The
// exception are bugs that are planted on purpose (build tag faultinject): oracle_test.go proves
// that each is found.
package main
