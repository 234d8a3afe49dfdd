package memory

import (
	"fmt"
	"sync"
	"time"

	"github.com/tidwall/btree"

	"github.com/typeplane/typeplane/storage"
)

// maxRequest is the most bytes of keys and values that one transaction may write, as with the
// embedded etcd.
const maxRequest = 4 << 20

// Database is a multi-version map from keys to bytes with one revision counter. Its methods may be
// called from any goroutine; values passed in are kept and values handed out are shared, so neither
// may be modified.
type Database struct {
	mu        sync.RWMutex // guards everything below
	revision  int64
	compacted int64
	keys      btree.Map[string, []version] // ascending revisions, never empty
	oldest    *change                      // the change before the first one that a watch may begin with
	newest    *change
	changed   chan struct{} // closed and replaced when revision or asked moves
	asked     int64         // how often RequestProgress was called
	deadlines map[string]time.Time
}

// version is one value in the history of a key.
type version struct {
	revision int64
	value    []byte
	deleted  bool
}

// change is one step of the history, in a list that watchers walk at their own pace. Compaction
// lets go of the head, and whoever still stands there keeps what it needs.
type change struct {
	key      string
	now, was version // was.revision is 0 if there was no entry
	next     *change // guarded by Database.mu
}

// write is one part of a transaction.
type write struct {
	key      string
	expected int64 // the key's revision; 0: no entry
	act      storage.Act
	value    []byte
	lifetime time.Duration // 0: as it was
}

// NewDatabase returns an empty database at revision 1, where an empty etcd is.
func NewDatabase() *Database {
	start := &change{}
	return &Database{revision: 1, oldest: start, newest: start, changed: make(chan struct{}), deadlines: map[string]time.Time{}}
}

// Put writes value at key, whatever is there, and returns the revision. Keys here are whole: root
// included.
func (d *Database) Put(key string, value []byte) int64 {
	d.mu.Lock()
	defer d.mu.Unlock()
	d.revision++
	d.set(key, version{revision: d.revision, value: value})
	d.wake()
	return d.revision
}

// Get returns the value and the revision of key, or a revision of 0.
func (d *Database) Get(key string) ([]byte, int64) {
	d.mu.RLock()
	defer d.mu.RUnlock()
	v := d.last(key)
	return v.value, v.revision
}

// Revision returns the current revision.
func (d *Database) Revision() int64 {
	d.mu.RLock()
	defer d.mu.RUnlock()
	return d.revision
}

// Compact forgets the history before revision: what was current at revision stays readable, older
// states and the changes up to it do not. Watchers that are open go on.
func (d *Database) Compact(revision int64) error {
	d.mu.Lock()
	defer d.mu.Unlock()
	if revision > d.revision || revision <= d.compacted {
		return fmt.Errorf("memory: compact at %d: compacted is %d, current is %d", revision, d.compacted, d.revision)
	}
	d.compacted = revision
	for d.oldest.next != nil && d.oldest.next.now.revision <= revision {
		d.oldest = d.oldest.next
	}
	var gone []string
	kept := make(map[string][]version)
	d.keys.Scan(func(key string, history []version) bool {
		first := at(history, revision)
		if first < 0 {
			return true
		}
		if history[first].deleted {
			first++
		}
		if first == len(history) {
			gone = append(gone, key)
		} else if first > 0 {
			kept[key] = append([]version(nil), history[first:]...)
		}
		return true
	})
	for _, key := range gone {
		d.keys.Delete(key)
	}
	for key, history := range kept {
		d.keys.Set(key, history)
	}
	return nil
}

// requestProgress makes the watchers that want bookmarks return one now.
func (d *Database) requestProgress() {
	d.mu.Lock()
	defer d.mu.Unlock()
	d.asked++
	d.wake()
}

// commit writes all of writes in one revision if each key is at its expected revision. Else nothing
// is written and the result is 0 and the first write that stood in the way.
func (d *Database) commit(writes []write) (revision int64, conflict int, err error) {
	size := 0
	for _, w := range writes {
		size += len(w.key) + len(w.value)
	}
	if size > maxRequest {
		return 0, 0, &storage.Error{Code: storage.CodeTooLarge, Key: writes[0].key,
			Err: fmt.Errorf("%d bytes, at most %d are possible", size, maxRequest)}
	}
	d.mu.Lock()
	defer d.mu.Unlock()
	for i, w := range writes {
		if d.last(w.key).revision != w.expected {
			return 0, i, nil
		}
	}
	d.revision++
	for _, w := range writes {
		if w.act == storage.Expect {
			continue
		}
		d.set(w.key, version{revision: d.revision, value: w.value, deleted: w.act == storage.Remove})
		if w.lifetime > 0 {
			d.expireIn(w.key, w.lifetime)
		}
	}
	d.wake()
	return d.revision, 0, nil
}

// expireIn deletes key when d is over, unless it was written with another lifetime by then. The
// caller holds mu.
func (d *Database) expireIn(key string, after time.Duration) {
	deadline := time.Now().Add(after)
	d.deadlines[key] = deadline
	time.AfterFunc(after, func() {
		d.mu.Lock()
		defer d.mu.Unlock()
		if d.deadlines[key] != deadline {
			return
		}
		d.revision++
		d.set(key, version{revision: d.revision, deleted: true})
		d.wake()
	})
}

// list calls each with the entries of a selection from start on, as they were at revision, in key
// order.
func (d *Database) list(selection, start string, revision int64, each func(key string, v version)) {
	d.keys.Ascend(max(selection, start), func(key string, history []version) bool {
		if !storage.Selects(selection, key) {
			return false
		}
		if i := at(history, revision); i >= 0 && !history[i].deleted {
			each(key, history[i])
		}
		return true
	})
}

// last returns the live version of key, or a zero one.
func (d *Database) last(key string) version {
	history, _ := d.keys.Get(key)
	if len(history) == 0 || history[len(history)-1].deleted {
		return version{}
	}
	return history[len(history)-1]
}

func (d *Database) set(key string, v version) {
	c := &change{key: key, now: v, was: d.last(key)}
	if v.deleted && c.was.revision == 0 {
		return
	}
	if v.deleted {
		delete(d.deadlines, key)
	}
	history, _ := d.keys.Get(key)
	d.keys.Set(key, append(history, v))
	d.newest.next = c
	d.newest = c
}

func (d *Database) wake() {
	close(d.changed)
	d.changed = make(chan struct{})
}

// at returns the index of the version of history that was current at revision, or -1.
func at(history []version, revision int64) int {
	for i := len(history) - 1; i >= 0; i-- {
		if history[i].revision <= revision {
			return i
		}
	}
	return -1
}
