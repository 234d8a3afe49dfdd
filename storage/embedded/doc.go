// Package embedded runs an etcd of one member inside this process, and tends it: compaction, quota,
// snapshots, a socket for tools.
//
// Start reading at Start. It returns an etcd3.Client that calls the server directly, without a
// connection. Nothing listens on a TCP port: etcdctl and backups come through the unix socket in
// the data directory, which only its owner can enter. Every write is on disk before it is answered,
// so the process may be killed at any time.
//
// It never joins other members: a server that needs more than one disk is pointed at an etcd
// cluster instead.
package embedded
