package embedded

import (
	"log/slog"
	"maps"
	"slices"
	"sync"
	"time"
)

// repeatsEvery is how often the log gets the count of a warning that etcd repeats.
const repeatsEvery = time.Minute

// maxRepeats bounds how many different warnings are counted. Others are logged one by one.
const maxRepeats = 1000

// repeats counts warnings that etcd repeats, because it logs each retry: a start after many writes
// had 159 equal lines in 4 ms. Methods may be called from any goroutine.
type repeats struct {
	mu     sync.Mutex // guards counts
	counts map[string]*repeat
}

// repeat is a warning since its last line in the log.
type repeat struct {
	last  record
	count int
}

// first reports whether r has to be logged at once. Otherwise it was counted. Warnings are equal if
// they have the same message and error; other attributes, like durations, differ each time.
func (r *repeats) first(rec record, err error) bool {
	key := rec.message
	if err != nil {
		key += "\n" + err.Error()
	}
	r.mu.Lock()
	defer r.mu.Unlock()
	if known := r.counts[key]; known != nil {
		known.last = rec
		known.count++
		return false
	}
	if len(r.counts) < maxRepeats {
		r.counts[key] = &repeat{}
	}
	return true
}

// take returns a record with the count of each warning that was repeated since the last call. One
// that was not repeated is forgotten, so its next occurrence is logged at once.
func (r *repeats) take() []record {
	r.mu.Lock()
	defer r.mu.Unlock()
	var counted []record
	for _, key := range slices.Sorted(maps.Keys(r.counts)) {
		known := r.counts[key]
		if known.count == 0 {
			delete(r.counts, key)
			continue
		}
		known.last.attrs = append(known.last.attrs, slog.Int("repeated", known.count))
		counted = append(counted, known.last)
		*known = repeat{}
	}
	return counted
}
