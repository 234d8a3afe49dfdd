// Package storage says what a store of objects must do, and nothing about how.
//
// A store keeps bytes under keys. What goes in and what comes out is canonical. It is the object's
// Kubernetes protobuf, with its envelope, in the storage version of its kind. It has the defaults
// of that version, no unknown fields and no resourceVersion. How a value lies in the backing
// database (older version, JSON, encrypted) is the business of a Form. The store gets it when it is
// made, and readers see canonical values only.
//
// Start reading at Interface, in storage.go: it is the contract, method by method. Then
//
//   - entry.go: what is stored, and who may touch it
//   - read.go, watch.go, write.go: the options and results of the methods that read, follow and
//     write
//   - errors.go: what can go wrong, and what that says about a write
//   - keys.go: keys, prefixes, and selections, which are either
//   - revision.go: how revisions are compared, parsed and printed
//   - form.go: how canonical values lie in a database
//   - capability.go: what a store may have beside, which a watch cache uses
//   - backend.go: a database of one's own, as a server is handed it
//
// Readers who know Kubernetes' interface of that name find what its Versioner does in revision.go,
// Stats in Count, and GetCurrentResourceVersion in Revision. Sizes are in cacher.Stats.
// Preconditions are in the functions that updates and deletions take. ReadinessCheck is
// cacher.Cacher.WaitReady, RequestWatchProgress is ProgressRequester; CompactRevision is in package
// etcd3. There are no suggestions: what is current, a cache knows better than its callers.
//
// The implementations are the folders below: etcd3 (a real etcd, embedded or a cluster), memory
// (the twin for tests), cacher (a watch cache in front of another store). Package storagetest is
// the suite that each of them passes; where words leave a doubt, it decides.
//
// This package knows no Scheme, no HTTP and no etcd.
package storage
