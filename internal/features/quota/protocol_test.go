package quota_test

import (
	"context"
	"errors"
	"fmt"
	"testing"
	"time"

	corev1 "k8s.io/api/core/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/typeplane/typeplane/internal/features/quota"
	"github.com/typeplane/typeplane/registry/rest"
	"github.com/typeplane/typeplane/storage"
	"github.com/typeplane/typeplane/storage/memory"
)

// blind is the store of a server whose memory has stood still since it began: nothing had been
// written then.
type blind struct{ storage.Interface }

func (b blind) Get(ctx context.Context, key string, opts storage.GetOptions) (storage.Entry, error) {
	if opts.Any {
		return storage.Entry{}, &storage.Error{Code: storage.CodeNotFound, Op: "get", Key: key}
	}
	return b.Interface.Get(ctx, key, opts)
}

func TestServerThatHasNotHeardOfAQuota(t *testing.T) {
	db := memory.NewDatabase()
	a := inMemory(db).start(t)
	c := inMemory(db)
	c.wrap = func(s storage.Interface) storage.Interface { return blind{s} }
	b := c.start(t)
	b.mustCreate("configmaps", configMap("before"))
	a.mustCreate("resourcequotas", quotaOf("q", map[corev1.ResourceName]string{"configmaps": "2"}))
	b.mustCreate("configmaps", configMap("second"))
	a.wantUsed("q", "configmaps=2")
	wantForbidden(t, b.create("configmaps", configMap("third")),
		`configmaps "third" is forbidden: exceeded quota: q, requested: configmaps=1, used: configmaps=2, limited: configmaps=2`)
	b.mustDelete("configmaps", "before")
	a.wantUsed("q", "configmaps=1")
}

// between does something before a write of a resource is handed to the database.
type between struct {
	storage.Interface
	do *func()
}

func (b between) once() {
	if do := *b.do; do != nil {
		*b.do = nil
		do()
	}
}

func (b between) Create(ctx context.Context, key string, value []byte, with ...storage.Op) (storage.Entry, error) {
	b.once()
	return b.Interface.Create(ctx, key, value, with...)
}

func (b between) Delete(ctx context.Context, key string, check storage.CheckDelete) (storage.Entry, error) {
	return b.Interface.Delete(ctx, key, func(current storage.Entry) ([]storage.Op, error) {
		with, err := check(current)
		b.once()
		return with, err
	})
}

// TestWritesThatCrossAQuota lets a quota come between the decision about a write and the write.
func TestWritesThatCrossAQuota(t *testing.T) {
	db := memory.NewDatabase()
	a := inMemory(db).start(t)
	var do func()
	c := inMemory(db)
	c.wrap = func(s storage.Interface) storage.Interface { return between{s, &do} }
	b := c.start(t)
	b.mustCreate("configmaps", configMap("a"))

	do = func() {
		a.mustCreate("resourcequotas", quotaOf("q", map[corev1.ResourceName]string{"configmaps": "1"}))
	}
	wantForbidden(t, b.create("configmaps", configMap("b")),
		`configmaps "b" is forbidden: exceeded quota: q, requested: configmaps=1, used: configmaps=1, limited: configmaps=1`)
	a.wantUsed("q", "configmaps=1")

	// The one that is removed meanwhile was counted, and is released.
	a.mustDelete("resourcequotas", "q")
	do = func() {
		a.mustCreate("resourcequotas", quotaOf("q", map[corev1.ResourceName]string{"configmaps": "1"}))
	}
	b.mustDelete("configmaps", "a")
	a.wantUsed("q", "configmaps=0")

	// The quota goes between the decision and the write: it is not there to be charged.
	do = func() { a.mustDelete("resourcequotas", "q") }
	b.mustCreate("configmaps", configMap("b"))

	// Another scope of what is limited counts from the same revision on.
	a.mustCreate("resourcequotas", quotaOf("q", map[corev1.ResourceName]string{"secrets": "1"}))
	do = func() {
		q := a.quota("q")
		q.Spec.Hard = quotaOf("", map[corev1.ResourceName]string{"configmaps": "2"}).Spec.Hard
		a.mustUpdate("resourcequotas", q)
	}
	b.mustCreate("configmaps", configMap("c"))
	a.wantUsed("q", "configmaps=2")
}

func TestGateOfAServerThatDied(t *testing.T) {
	db := memory.NewDatabase()
	key := "/registry" + quota.GatePrefix + "ns"
	db.Put(key, []byte("closed 1"))
	c := inMemory(db)
	c.patience = 50 * time.Millisecond
	s := c.start(t)
	s.mustCreate("configmaps", configMap("a"))
	if value, _ := db.Get(key); string(value) != "open" {
		t.Errorf("the gate is %q", value)
	}
	db.Put(key, []byte("closed 1"))
	s.mustCreate("resourcequotas", quotaOf("q", map[corev1.ResourceName]string{"configmaps": "1"}))
	s.wantUsed("q", "configmaps=1")
}

// TestWhoCountsSlowlyIsWaitedFor: the gate moves as long as somebody counts, and when it does not,
// and is opened, the count is not used.
func TestWhoCountsSlowlyIsWaitedFor(t *testing.T) {
	t.Run("the first quota", func(t *testing.T) { countSlowly(t, false) })
	t.Run("another quota", func(t *testing.T) { countSlowly(t, true) })
}

func countSlowly(t *testing.T, another bool) {
	db := memory.NewDatabase()
	a := inMemory(db).start(t)
	for i := range 3 {
		a.mustCreate("configmaps", configMap(fmt.Sprint("c", i)))
	}
	if another {
		a.mustCreate("resourcequotas", quotaOf("first", map[corev1.ResourceName]string{"secrets": "1"}))
	}
	key := "/registry" + quota.GatePrefix + "ns"
	c := inMemory(db)
	var opened bool
	c.wrap = func(s storage.Interface) storage.Interface {
		return listing{s, func(selection string) {
			if value, _ := db.Get(key); selection == "/configmaps/ns/" && !opened {
				if string(value) == "open" || value == nil {
					t.Error("it counts before an open gate")
				}
				// Somebody thinks that we have died, and goes in.
				opened = true
				db.Put(key, []byte("open"))
				a.mustCreate("configmaps", configMap("late"))
			}
		}}
	}
	b := c.start(t)
	b.mustCreate("resourcequotas", quotaOf("q", map[corev1.ResourceName]string{"configmaps": "9"}))
	a.wantUsed("q", "configmaps=4")
}

type listing struct {
	storage.Interface
	after func(selection string)
}

func (l listing) List(ctx context.Context, selection string, opts storage.ListOptions) (storage.Page, error) {
	page, err := l.Interface.List(ctx, selection, opts)
	l.after(selection)
	return page, err
}

// TestWhoWaitsAtAClosedGateGivesUpInTime: a context that ends ends the waiting, and leaves the
// queue to others.
func TestWhoWaitsAtAClosedGateGivesUpInTime(t *testing.T) {
	db := memory.NewDatabase()
	c := inMemory(db)
	c.patience = time.Hour
	s := c.start(t)
	s.mustCreate("resourcequotas", quotaOf("q", map[corev1.ResourceName]string{"configmaps": "1"}))
	key := "/registry" + quota.GatePrefix + "ns"
	db.Put(key, []byte("closed 1"))
	ctx, cancel := context.WithTimeout(context.Background(), 50*time.Millisecond)
	defer cancel()
	_, err := s.verbs["configmaps"].Create.Create(ctx, new(rest.Request), rest.Name{Namespace: "ns"}, configMap("a"), metav1.CreateOptions{})
	if !errors.Is(err, context.DeadlineExceeded) {
		t.Fatalf("got %v", err)
	}
	db.Put(key, []byte("open"))
	s.mustCreate("configmaps", configMap("a"))
	if err := s.create("configmaps", configMap("b")); !apierrors.IsForbidden(err) {
		t.Fatal(err)
	}
}
