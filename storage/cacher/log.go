package cacher

import (
	"sort"
	"time"

	"github.com/tidwall/btree"

	"github.com/typeplane/typeplane/storage"
)

// eventLog is the events of the prefix in order, each under a number that only grows. It is guarded
// by Cacher.mu.
type eventLog struct {
	events  []logged
	first   int64 // the number of events[0]
	floor   int64 // every event after this revision is in the log
	bytes   int   // what the events hold beside the current entries
	early   int64 // how many events went before their time, to stay within the bytes
	room    room  // of the encodings of events
	encoded int64 // the number of the first event that may have encodings
}

// firstNumber is that of the first event of a new log. There is room for those from before it.
const firstNumber = 1 << 40

type logged struct {
	event storage.Event
	at    time.Time
	bytes int
}

// eventBytes is what an event holds beside its values.
const eventBytes = 240

func (l *eventLog) len() int { return len(l.events) }

// end is the number of the next event.
func (l *eventLog) end() int64 { return l.first + int64(len(l.events)) }

// add appends ev. Only the replaced value is counted: the new one is held by the tree, until the
// event that replaces it counts it.
func (l *eventLog) add(ev storage.Event, now time.Time) {
	n := eventBytes + len(ev.Prev.Value)
	l.events = append(l.events, logged{event: ev, at: now, bytes: n})
	l.bytes += n
}

// encodingShare is the part of the log's bytes that is for encodings: an eighth.
const encodingShare = 8

// trim drops the oldest events: those from before since, and those that make more than most bytes,
// of which encodings have their share.
func (l *eventLog) trim(since time.Time, most int) {
	l.room.most.Store(int64(most / encodingShare))
	defer l.trimEncodings()
	most -= most / encodingShare
	n := 0
	for n < len(l.events) && (l.bytes > most || l.events[n].at.Before(since)) {
		if !l.events[n].at.Before(since) {
			l.early++
		}
		l.bytes -= l.events[n].bytes
		l.floor = max(l.floor, l.events[n].event.Entry.Revision)
		n++
	}
	// What is left of the same transaction would look like all of it.
	for n > 0 && n < len(l.events) && l.events[n].event.Entry.Revision == l.floor {
		l.bytes -= l.events[n].bytes
		n++
	}
	l.drop(n)
}

// trimEncodings drops the encodings of the oldest events until half of their room is free, for
// those of the newest.
func (l *eventLog) trimEncodings() {
	most := l.room.most.Load() / 2
	for l.encoded = max(l.encoded, l.first); l.encoded < l.end() && l.room.used.Load() > most; l.encoded++ {
		l.events[l.encoded-l.first].dropEncodings()
	}
}

func (e *logged) dropEncodings() {
	if f, ok := e.event.Encodings.(*encodings); ok {
		f.drop()
	}
}

// prepend puts events before those that are there. They end where the log begins.
func (l *eventLog) prepend(earlier *eventLog) {
	l.events = append(earlier.events, l.events...)
	l.first -= int64(len(earlier.events))
	l.bytes += earlier.bytes
	l.floor = earlier.floor
}

// reset forgets everything. It passes over one number, so that a cursor at the end of the log is
// behind it now.
func (l *eventLog) reset(floor int64) {
	l.drop(len(l.events))
	l.first++
	l.bytes, l.floor = 0, floor
}

func (l *eventLog) drop(n int) {
	if n == 0 {
		return
	}
	for i := range l.events[:n] {
		l.events[i].dropEncodings()
	}
	clear(l.events[:n])
	l.events = l.events[n:]
	l.first += int64(n)
}

// reread puts the entries of tree into the events that made them, which held what was read before.
func (l *eventLog) reread(tree *btree.Map[string, *storage.Entry]) {
	for i := range l.events {
		ev := &l.events[i].event
		if e, ok := tree.Get(ev.Entry.Key); ok && e.Revision == ev.Entry.Revision {
			ev.Entry = *e
			l.events[i].dropEncodings()
		}
	}
}

// after returns the number of the first event after revision.
func (l *eventLog) after(revision int64) int64 {
	return l.first + int64(sort.Search(len(l.events), func(i int) bool { return l.events[i].event.Entry.Revision > revision }))
}

// between returns the events after from, up to to.
func (l *eventLog) between(from, to int64) []logged {
	return l.events[l.after(from)-l.first : l.after(to)-l.first]
}

// from returns the events from number on.
func (l *eventLog) from(number int64) []logged { return l.events[number-l.first:] }
