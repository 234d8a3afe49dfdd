package cacher

import (
	"strings"
	"sync"

	"github.com/typeplane/typeplane/storage"
)

// waiters are the watchers that wait because they have seen everything. Each waits at the place of
// what it watches, and an event wakes those at its places only. So neither the watchers that an
// event does not concern nor those that are still busy cost anything.
//
// Whoever waits is not behind: all that happens in the meantime does not concern it. When it wakes
// up, it goes on at the event that woke it.
type waiters struct {
	shortest int // the length of the cache's prefix

	mu         sync.Mutex // guards what is below, and the watchers' fields that say so; taken after Cacher.mu
	all        int        // watchers
	woken      int64      // how often one of them was
	groups     map[place]*group
	attributes map[string]*attribute
}

// place is what a watcher watches: a selection, or of that what has a value of an attribute.
type place struct{ selection, attribute, value string }

// group is a place with its watchers.
type group struct {
	place    place
	watchers int      // also those that are not waiting
	waiting  *watcher // the first of a list that is linked both ways
}

// attribute is one that watchers name in their Where.
type attribute struct {
	read   func(storage.Entry) (string, bool, error)
	groups int
}

// join gives w its group.
func (p *waiters) join(w *watcher, selection string, where *storage.Where) {
	p.mu.Lock()
	defer p.mu.Unlock()
	at := place{selection: selection}
	if where != nil {
		at.attribute, at.value = where.Attribute, where.Value
	}
	s := p.groups[at]
	if s == nil {
		s = &group{place: at}
		if p.groups == nil {
			p.groups, p.attributes = make(map[place]*group), make(map[string]*attribute)
		}
		p.groups[at] = s
		if where != nil {
			a := p.attributes[at.attribute]
			if a == nil {
				a = &attribute{read: where.Read}
				p.attributes[at.attribute] = a
			}
			a.groups++
		}
	}
	p.all++
	s.watchers++
	w.group, w.from = s, -1
}

// several says whether there is more than one watcher.
func (p *waiters) several() bool {
	p.mu.Lock()
	defer p.mu.Unlock()
	return p.all > 1
}

// leave takes w away for good. It may be called more than once.
func (p *waiters) leave(w *watcher) {
	p.mu.Lock()
	defer p.mu.Unlock()
	if w.left {
		return
	}
	w.left = true
	w.unlink()
	p.all--
	s := w.group
	if s.watchers--; s.watchers > 0 {
		return
	}
	delete(p.groups, s.place)
	if a := p.attributes[s.place.attribute]; a != nil {
		if a.groups--; a.groups == 0 {
			delete(p.attributes, s.place.attribute)
		}
	}
}

// wait lets w wait. The caller holds Cacher.mu, so that nothing happens between the last look and
// this.
func (p *waiters) wait(w *watcher) {
	p.mu.Lock()
	defer p.mu.Unlock()
	if w.left || w.idle {
		return
	}
	w.idle = true
	if w.next = w.group.waiting; w.next != nil {
		w.next.prev = w
	}
	w.group.waiting = w
}

// resume lets w go on, and returns the number of the first event that may concern it: w.number if
// it was not waiting, end if it was and nothing came. The caller holds Cacher.mu.
func (p *waiters) resume(w *watcher, end int64) int64 {
	p.mu.Lock()
	defer p.mu.Unlock()
	if w.idle {
		w.unlink()
		return end
	}
	from := max(w.number, w.from)
	w.from = -1
	return from
}

// unlink takes w out of the list of its group. The caller holds mu.
func (w *watcher) unlink() {
	if !w.idle {
		return
	}
	if w.prev != nil {
		w.prev.next = w.next
	} else {
		w.group.waiting = w.next
	}
	if w.next != nil {
		w.next.prev = w.prev
	}
	w.prev, w.next, w.idle = nil, nil, false
}

// wake wakes whom events concern, the first of which has a number. The caller holds Cacher.mu for
// writing.
func (p *waiters) wake(events []storage.Event, number int64) {
	p.mu.Lock()
	defer p.mu.Unlock()
	if len(p.groups) == 0 {
		return
	}
	for i := range events {
		ev, n := &events[i], number+int64(i)
		p.selecting(ev.Entry.Key, func(selection string) { p.wakeGroup(p.groups[place{selection: selection}], n) })
		for name, a := range p.attributes {
			p.wakeWhere(name, a, ev, n)
		}
	}
}

// wakeWhere wakes those that want a value of an attribute that the entry has or had.
func (p *waiters) wakeWhere(name string, a *attribute, ev *storage.Event, number int64) {
	now, has, known := valueOf(a.read, &ev.Entry)
	was, had, knew := "", false, true
	if ev.Type == storage.Modified {
		was, had, knew = valueOf(a.read, &ev.Prev)
	}
	if !known || !knew {
		for at, s := range p.groups {
			if at.attribute == name {
				p.wakeGroup(s, number)
			}
		}
		return
	}
	p.selecting(ev.Entry.Key, func(selection string) {
		if has {
			p.wakeGroup(p.groups[place{selection, name, now}], number)
		}
		if had && (!has || was != now) {
			p.wakeGroup(p.groups[place{selection, name, was}], number)
		}
	})
}

// selecting calls visit with every selection that has key: the prefixes that it is below, and
// itself.
func (p *waiters) selecting(key string, visit func(selection string)) {
	for end := p.shortest - 1; ; {
		visit(key[:end+1])
		next := strings.IndexByte(key[end+1:], '/')
		if next < 0 {
			visit(key)
			return
		}
		end += 1 + next
	}
}

// wakeAll wakes everyone.
func (p *waiters) wakeAll(number int64) {
	p.mu.Lock()
	defer p.mu.Unlock()
	for _, s := range p.groups {
		p.wakeGroup(s, number)
	}
}

// wakeGroup wakes those who wait at s, which may be nil. The caller holds mu.
func (p *waiters) wakeGroup(s *group, number int64) {
	if s == nil {
		return
	}
	for w := s.waiting; w != nil; {
		next := w.next
		w.prev, w.next, w.idle = nil, nil, false
		w.from = number
		p.woken++
		select {
		case w.news <- struct{}{}:
		default:
		}
		w = next
	}
	s.waiting = nil
}
