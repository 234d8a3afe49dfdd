// Package cacher is the watch cache: a storage.Interface that answers reads from memory and passes
// writes on to the store behind it. A cache holds what lies below one prefix. With each write it
// passes on what it knows of the key.
//
// One goroutine follows the source's watch and appends to one log; a tree with the current entries
// is published after each step, and readers take it without a lock. A watcher is a cursor into the
// log, so nobody waits for the slow one. Start reading at Cacher; then
//
//   - feed.go, gap.go, reread.go: how it follows the source, also over gaps
//   - log.go, tree.go, past.go, index.go: what it holds: events, entries, states of the past,
//     indexes
//   - source.go: what it uses of the store behind it, and what it does without
//   - fresh.go: linearizable reads from memory
//   - behind.go: reads that the source answers, as the cache is too far behind
//   - write.go: writes that begin with what is in memory
//   - watch.go, waiters.go: cursors, and where they wait
//   - digest.go: how it finds out that it is wrong
//   - writecache.go: how its source knows canonical values without reading them
//
// It decodes nothing and never answers from a state that it has not seen whole.
package cacher
