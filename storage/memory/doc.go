// Package memory is a store that lives in memory: the twin of etcd for tests and for users' test
// servers.
//
// A Database is what an etcd cluster is elsewhere: one line of revisions, the history of every key
// since the last compaction, nothing on disk. A Store is a storage.Interface on a Database, with a
// root and a Form of its own, so several stores share one revision line as they would in etcd.
// Start reading at Database, then Store.
//
// It keeps all history until Compact is called, and never writes anything anywhere.
package memory
