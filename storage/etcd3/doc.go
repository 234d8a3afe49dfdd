// Package etcd3 is the store on etcd: an external cluster (Dial) or the embedded one (package
// embedded), through the same client.
//
// A Store is a root, a Form and a client that it shares with every other store. It has no
// goroutines, and no state but the leases that it can use again. A Compactor is one per process.
//
// Start reading at Store; errors.go is the one border where etcd's errors become storage codes, and
// settle.go says what happens to a write whose answer was lost. This is the only package that
// imports etcd's client. It never uses etcd's own access control, or reads that are not
// linearizable.
package etcd3
