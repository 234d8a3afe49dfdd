package garbage

import (
	"hash/maphash"
	"strings"
	"sync"
	"time"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/typeplane/typeplane/registry/rest"
	"github.com/typeplane/typeplane/runtime/wire"
)

// graph is who owns whom. It knows each object by its UID: what matters as a node with links, the
// others by their place alone. It decides nothing: what may have to be done it puts into the queue.
// Its methods may be called from any goroutine.
type graph struct {
	mu    sync.Mutex
	nodes map[uid]*node
	// others have no owners, own nothing and are not being deleted.
	others map[uid]place
	// namespaces are numbered in the order in which they come up.
	namespaces []string
	numbers    map[string]uint32
	seed       maphash.Seed
	queue      queue
	// timers put nodes into the queue at a later time.
	timers map[*node]*time.Timer
}

func newGraph() *graph {
	return &graph{
		nodes: map[uid]*node{}, others: map[uid]place{}, numbers: map[string]uint32{}, timers: map[*node]*time.Timer{}, seed: maphash.MakeSeed(),
		queue: queue{wake: make(chan struct{}, 1)},
	}
}

// place is where an object is: its kind among those that are followed, and its namespace.
type place struct {
	kind      uint16
	namespace uint32
}

// node is an object that has owners, is named as an owner, or is being deleted. The graph's mutex
// guards it. There may be many: its size counts.
type node struct {
	id uid
	// key is the namespace and the name with a slash between. The name is missing while nothing is
	// known that would have to be done to the object.
	key        string
	owners     *link // the first one, in the order of the object
	dependents *link // the last that came
	kind       uint16
	flags      flags
	tries      uint8
	sum        uint32 // of the owner references
}

// flags say what is known of a node.
type flags uint8

const (
	// seen: the object is there. Others are only named as an owner. ends: it ends by itself.
	seen flags = 1 << iota
	ends
	// deleting: it has a deletionTimestamp. foreground and orphan are its finalizers then.
	deleting
	foreground
	orphan
	// queued: it is in the queue, or about to be. working: a worker has it; again: it is to be
	// queued after that.
	queued
	working
	again
)

// link is a reference from a dependent to its owner.
type link struct {
	owner, dependent *node
	nextOwner        *link // of the dependent
	next, prev       *link // among the dependents of the owner
	blocks, reported bool
}

// item is a node as a worker sees it.
type item struct {
	*node
	kind  uint16
	name  rest.Name
	flags flags
}

func (f flags) has(all flags) bool { return f&all == all }

// item returns what is known of a node at this moment.
func (g *graph) item(n *node) item {
	g.mu.Lock()
	defer g.mu.Unlock()
	namespace, name, _ := strings.Cut(n.key, "/")
	return item{n, n.kind, rest.Name{Namespace: namespace, Name: name}, n.flags}
}

// put notes an object as it is now. It ends by itself at a time, unless that is zero.
func (g *graph) put(kind uint16, meta *wire.Meta, end time.Time) {
	id := uidOf(meta.UID)
	g.mu.Lock()
	defer g.mu.Unlock()
	sum := g.sum(meta)
	n := g.nodes[id]
	if n == nil && sum == 0 && !meta.Deleting && end.IsZero() {
		g.others[id] = place{kind, g.number(meta.Namespace)}
		return
	}
	if n == nil {
		n = g.add(id)
	}
	n.kind = kind
	n.flags = n.flags&^ends | seen
	if !end.IsZero() {
		n.flags |= ends
		g.enqueueAt(n, end)
	}
	if n.namedOtherwise(meta) {
		n.key = meta.Namespace + "/" + meta.Name
	}
	if n.sum != sum {
		g.relink(n, meta)
		n.sum = sum
		g.enqueue(n)
	}
	g.mark(n, meta)
	g.forget(n)
}

// add makes a node of an object that is one from now on.
func (g *graph) add(id uid) *node {
	n := &node{id: id}
	if p, ok := g.others[id]; ok {
		n.kind, n.flags, n.key = p.kind, seen, g.namespaces[p.namespace]+"/"
		delete(g.others, id)
	}
	g.nodes[id] = n
	return n
}

func (n *node) namedOtherwise(meta *wire.Meta) bool {
	namespace, name, _ := strings.Cut(n.key, "/")
	return name != meta.Name || namespace != meta.Namespace
}

// mark notes what a deletion wants, and queues whom that concerns.
func (g *graph) mark(n *node, meta *wire.Meta) {
	before := n.flags
	n.flags &^= deleting | foreground | orphan
	if meta.Deleting {
		n.flags |= deleting
		for f := range meta.Finalizers() {
			switch f {
			case metav1.FinalizerDeleteDependents:
				n.flags |= foreground
			case metav1.FinalizerOrphanDependents:
				n.flags |= orphan
			}
		}
	}
	switch now := n.flags; {
	case now.has(orphan) && !before.has(orphan):
		g.enqueue(n)
	case now.has(foreground) && !before.has(foreground):
		g.enqueue(n)
		g.enqueueDependents(n)
	case now.has(deleting) && !meta.HasFinalizers():
		g.enqueueAt(n, time.Unix(meta.DeletionSeconds, 0))
	}
}

// remove notes that an object is gone.
func (g *graph) remove(id uid) {
	g.mu.Lock()
	defer g.mu.Unlock()
	delete(g.others, id)
	n := g.nodes[id]
	if n == nil {
		return
	}
	g.unlink(n)
	n.sum = 0
	n.flags &^= seen | ends | deleting | foreground | orphan
	g.enqueueDependents(n)
	g.forget(n)
}

// relink gives a node the owners that its object names.
func (g *graph) relink(n *node, meta *wire.Meta) {
	g.unlink(n)
	last := &n.owners
	for ref := range meta.OwnerReferences() {
		id := uidOf(ref.UID)
		owner := g.nodes[id]
		if owner == nil {
			owner = g.add(id)
		}
		l := &link{owner: owner, dependent: n, blocks: ref.BlockOwnerDeletion, next: owner.dependents}
		if l.next != nil {
			l.next.prev = l
		}
		owner.dependents = l
		*last = l
		last = &l.nextOwner
	}
}

// unlink takes all owners of a node away. Those that waited for it look again.
func (g *graph) unlink(n *node) {
	for l := n.owners; l != nil; l = l.nextOwner {
		if l.prev != nil {
			l.prev.next = l.next
		} else {
			l.owner.dependents = l.next
		}
		if l.next != nil {
			l.next.prev = l.prev
		}
		if l.owner.flags.has(foreground) {
			g.enqueue(l.owner)
		}
		if l.owner != n {
			g.forget(l.owner)
		}
	}
	n.owners = nil
}

// forget makes a node that does not matter any more one of the others.
func (g *graph) forget(n *node) {
	if n.owners != nil || n.dependents != nil || n.flags.has(deleting) || n.flags.has(ends) {
		return
	}
	delete(g.nodes, n.id)
	g.stopTimer(n)
	if n.flags.has(seen) {
		namespace, _, _ := strings.Cut(n.key, "/")
		g.others[n.id] = place{n.kind, g.number(namespace)}
	}
}

// number returns that of a namespace. The caller holds mu.
func (g *graph) number(namespace string) uint32 {
	n, ok := g.numbers[namespace]
	if !ok {
		namespace = strings.Clone(namespace)
		n = uint32(len(g.namespaces))
		g.namespaces = append(g.namespaces, namespace)
		g.numbers[namespace] = n
	}
	return n
}

// sum is a number that changes when the owners of an object do; 0 is for none.
func (g *graph) sum(meta *wire.Meta) uint32 {
	var h maphash.Hash
	h.SetSeed(g.seed)
	any := uint32(0)
	for ref := range meta.OwnerReferences() {
		any = 1
		for _, s := range [...]string{ref.APIVersion, ref.Kind, ref.Name, ref.UID} {
			h.WriteString(s)
			h.WriteByte(0)
		}
		if ref.BlockOwnerDeletion {
			h.WriteByte(1)
		}
	}
	if any == 0 {
		return 0
	}
	return uint32(h.Sum64()) | any
}

// dependents returns those of a node that are there. blocking says that only those count that keep
// it from going in the foreground. A reference of an object to itself does not.
func (g *graph) dependents(n *node, blocking bool) (items []*node) {
	g.mu.Lock()
	defer g.mu.Unlock()
	for l := n.dependents; l != nil; l = l.next {
		if !blocking || l.blocks && l.dependent != n {
			items = append(items, l.dependent)
		}
	}
	return items
}

// anyInForeground says whether one of some nodes waits for its dependents.
func (g *graph) anyInForeground(nodes []*node) bool {
	g.mu.Lock()
	defer g.mu.Unlock()
	for _, n := range nodes {
		if n.flags.has(foreground) {
			return true
		}
	}
	return false
}

// namespaceOf says where an object with this UID is, if there is one.
func (g *graph) namespaceOf(id uid) (namespace string, ok bool) {
	g.mu.Lock()
	defer g.mu.Unlock()
	if p, ok := g.others[id]; ok {
		return g.namespaces[p.namespace], true
	}
	if n := g.nodes[id]; n != nil && n.flags.has(seen) {
		namespace, _, _ = strings.Cut(n.key, "/")
		return namespace, true
	}
	return "", false
}

// report says whether it is the first time that somebody is told of the reference from n to an
// owner.
func (g *graph) report(n *node, owner uid) (first bool) {
	g.mu.Lock()
	defer g.mu.Unlock()
	for l := n.owners; l != nil; l = l.nextOwner {
		if l.owner.id == owner && !l.reported {
			l.reported, first = true, true
		}
	}
	return first
}

// keep removes all objects of a kind that are not among those that there are.
func (g *graph) keep(kind uint16, there map[uid]struct{}) {
	var gone []uid
	g.mu.Lock()
	for id, p := range g.others {
		if _, ok := there[id]; !ok && p.kind == kind {
			gone = append(gone, id)
		}
	}
	for id, n := range g.nodes {
		if _, ok := there[id]; !ok && n.kind == kind && n.flags.has(seen) {
			gone = append(gone, id)
		}
	}
	g.mu.Unlock()
	for _, id := range gone {
		g.remove(id)
	}
}

// sizes are how many objects there are, and how many of them wait for a worker.
func (g *graph) sizes() (objects, depth int) {
	g.mu.Lock()
	defer g.mu.Unlock()
	return len(g.nodes) + len(g.others), len(g.queue.nodes)
}
