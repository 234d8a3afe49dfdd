package etcd3

import (
	"runtime"
	"sync"

	"go.etcd.io/etcd/api/v3/mvccpb"

	"github.com/typeplane/typeplane/storage"
)

// readAtOnce is how many entries one goroutine reads. A list of no more than that is read by its
// caller.
const readAtOnce = 250

// reader makes entries of what etcd answers, with as many goroutines as there are processors, while
// the next page of the list is on its way.
type reader struct {
	store *Store
	busy  chan struct{} // holds a token for each goroutine
	done  sync.WaitGroup
}

// read fills the first of entries, which nobody may touch before done is.
func (r *reader) read(entries []*storage.Entry, kvs []*mvccpb.KeyValue) {
	if len(kvs) <= readAtOnce {
		r.part(entries, kvs)
		return
	}
	if r.busy == nil {
		r.busy = make(chan struct{}, runtime.GOMAXPROCS(0))
	}
	for len(kvs) > 0 {
		n := min(len(kvs), readAtOnce)
		into, from := entries[:n], kvs[:n]
		entries, kvs = entries[n:], kvs[n:]
		r.busy <- struct{}{}
		r.done.Go(func() {
			r.part(into, from)
			<-r.busy
		})
	}
}

func (r *reader) part(entries []*storage.Entry, kvs []*mvccpb.KeyValue) {
	s := r.store
	for i, kv := range kvs {
		e := s.entry(string(kv.Key[len(s.root):]), kv)
		entries[i] = &e
	}
}
