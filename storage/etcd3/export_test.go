package etcd3

import "github.com/typeplane/typeplane/storage"

var (
	CheckVersion = checkVersion
	ReadError    = readError
	WriteError   = writeError
	WatchError   = watchError
)

// Paused says whether w has given up its watch because too much is pending.
func Paused(w storage.Watcher) bool {
	s := w.(*watcher)
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.paused
}
