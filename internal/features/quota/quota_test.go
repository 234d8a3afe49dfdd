package quota_test

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"testing"

	corev1 "k8s.io/api/core/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/typeplane/typeplane/internal/features/quota"
	"github.com/typeplane/typeplane/registry/rest"
	"github.com/typeplane/typeplane/storage"
	"github.com/typeplane/typeplane/storage/memory"
)

func TestQuotaIsChargedAndReleased(t *testing.T) {
	s := inMemory(memory.NewDatabase()).start(t)
	s.mustCreate("resourcequotas", quotaOf("q", map[corev1.ResourceName]string{"configmaps": "2", "count/secrets": "5"}))
	s.wantUsed("q", "configmaps=0,count/secrets=0")
	s.mustCreate("configmaps", configMap("a"))
	s.mustCreate("configmaps", configMap("b"))
	s.wantUsed("q", "configmaps=2,count/secrets=0")
	wantForbidden(t, s.create("configmaps", configMap("c")),
		`configmaps "c" is forbidden: exceeded quota: q, requested: configmaps=1, used: configmaps=2, limited: configmaps=2`)

	if err := s.create("configmaps", configMap("a")); !apierrors.IsForbidden(err) {
		t.Errorf("a name that is taken, over the limit: %v", err)
	}
	s.mustDelete("configmaps", "a")
	s.wantUsed("q", "configmaps=1,count/secrets=0")
	if err := s.create("configmaps", configMap("b")); !apierrors.IsAlreadyExists(err) {
		t.Errorf("a name that is taken: %v", err)
	}
	s.wantUsed("q", "configmaps=1,count/secrets=0")

	// Other namespaces are not concerned.
	elsewhere := configMap("c")
	elsewhere.Namespace = "other"
	if _, err := s.verbs["configmaps"].Create.Create(context.Background(), new(rest.Request), rest.Name{Namespace: "other"}, elsewhere, metav1.CreateOptions{}); err != nil {
		t.Fatal(err)
	}
	s.wantUsed("q", "configmaps=1,count/secrets=0")
}

func TestQuotaIsExactFromItsFirstRevisionOn(t *testing.T) {
	s := inMemory(memory.NewDatabase()).start(t)
	for i := range 3 {
		s.mustCreate("configmaps", configMap(fmt.Sprint("c", i)))
	}
	s.mustCreate("resourcequotas", quotaOf("q", map[corev1.ResourceName]string{"configmaps": "2", "resourcequotas": "2"}))
	s.wantUsed("q", "configmaps=3,resourcequotas=1")
	wantForbidden(t, s.create("configmaps", configMap("x")),
		`configmaps "x" is forbidden: exceeded quota: q, requested: configmaps=1, used: configmaps=3, limited: configmaps=2`)

	// A second one is charged to the first; a third is one too many.
	s.mustCreate("resourcequotas", quotaOf("r", map[corev1.ResourceName]string{"count/configmaps": "10"}))
	s.wantUsed("q", "configmaps=3,resourcequotas=2")
	s.wantUsed("r", "count/configmaps=3")
	wantForbidden(t, s.create("resourcequotas", quotaOf("t", nil)),
		`resourcequotas "t" is forbidden: exceeded quota: q, requested: resourcequotas=1, used: resourcequotas=2, limited: resourcequotas=2`)

	// Another spec is counted, too.
	q := s.quota("q")
	q.Spec.Hard = quotaOf("", map[corev1.ResourceName]string{"configmaps": "4", "secrets": "1"}).Spec.Hard
	s.mustUpdate("resourcequotas", q)
	s.wantUsed("q", "configmaps=3,secrets=0")
	s.mustCreate("configmaps", configMap("x"))
	s.wantUsed("q", "configmaps=4,secrets=0")
	s.wantUsed("r", "count/configmaps=4")

	// One goes over: neither is charged.
	if err := s.create("configmaps", configMap("y")); !apierrors.IsForbidden(err) {
		t.Fatal(err)
	}
	s.wantUsed("r", "count/configmaps=4")

	// Without the first, the second still counts.
	s.mustDelete("resourcequotas", "q")
	s.mustCreate("configmaps", configMap("y"))
	s.wantUsed("r", "count/configmaps=5")
}

func TestStatusIsTheServersOwn(t *testing.T) {
	s := inMemory(memory.NewDatabase()).start(t)
	mine := quotaOf("q", map[corev1.ResourceName]string{"configmaps": "2"})
	mine.Status.Used = quotaOf("", map[corev1.ResourceName]string{"configmaps": "1"}).Spec.Hard
	s.mustCreate("resourcequotas", mine)
	s.wantUsed("q", "configmaps=0")
	s.mustCreate("configmaps", configMap("a"))
	lie := s.quota("q")
	lie.Status.Used = quotaOf("", map[corev1.ResourceName]string{"configmaps": "0"}).Spec.Hard
	s.mustUpdate("resourcequotas/status", lie)
	s.wantUsed("q", "configmaps=1")
	s.mustCreate("configmaps", configMap("b")) // the gate is open
	label := s.quota("q")
	label.Labels = map[string]string{"a": "b"}
	s.mustUpdate("resourcequotas", label)
	s.wantUsed("q", "configmaps=2")
}

func TestDryRunWritesNothing(t *testing.T) {
	db := memory.NewDatabase()
	s := inMemory(db).start(t)
	s.mustCreate("configmaps", configMap("a"))
	s.mustCreate("resourcequotas", quotaOf("q", map[corev1.ResourceName]string{"configmaps": "1"}))
	before := db.Revision()
	wantForbidden(t, s.create("configmaps", configMap("b"), "All"),
		`configmaps "b" is forbidden: exceeded quota: q, requested: configmaps=1, used: configmaps=1, limited: configmaps=1`)
	if err := s.delete("configmaps", "a", "All"); err != nil {
		t.Fatal(err)
	}
	if err := s.create("resourcequotas", quotaOf("r", map[corev1.ResourceName]string{"configmaps": "1"}), "All"); err != nil {
		t.Fatal(err)
	}
	if now := db.Revision(); now != before {
		t.Errorf("the database went from revision %d to %d", before, now)
	}
}

func TestTheLastFinalizerReleases(t *testing.T) {
	s := inMemory(memory.NewDatabase()).start(t)
	s.mustCreate("resourcequotas", quotaOf("q", map[corev1.ResourceName]string{"configmaps": "1"}))
	kept := configMap("a")
	kept.Finalizers = []string{"example.com/wait"}
	s.mustCreate("configmaps", kept)
	s.mustDelete("configmaps", "a")
	s.wantUsed("q", "configmaps=1")
	last := get[corev1.ConfigMap](s, "configmaps", "a")
	last.Finalizers = nil
	s.mustUpdate("configmaps", last)
	s.wantUsed("q", "configmaps=0")
	if err := s.delete("configmaps", "a"); !apierrors.IsNotFound(err) {
		t.Errorf("it is still there: %v", err)
	}
}

func TestDeleteCollectionReleases(t *testing.T) {
	s := inMemory(memory.NewDatabase()).start(t)
	s.mustCreate("resourcequotas", quotaOf("q", map[corev1.ResourceName]string{"configmaps": "9"}))
	for i := range 5 {
		s.mustCreate("configmaps", configMap(fmt.Sprint("c", i)))
	}
	s.wantUsed("q", "configmaps=5")
	if _, err := s.verbs["configmaps"].DeleteCollection.DeleteCollection(context.Background(), new(rest.Request), "ns", metav1.DeleteOptions{}, metav1.ListOptions{}); err != nil {
		t.Fatal(err)
	}
	s.wantUsed("q", "configmaps=0")
}

func TestWhatCanNotBeReadIsOneObject(t *testing.T) {
	db := memory.NewDatabase()
	s := inMemory(db).start(t)
	db.Put("/registry/configmaps/ns/broken", []byte("garbage"))
	s.mustCreate("resourcequotas", quotaOf("q", map[corev1.ResourceName]string{"configmaps": "1"}))
	s.wantUsed("q", "configmaps=1")
	yes := true
	if _, err := s.verbs["configmaps"].Delete.Delete(context.Background(), new(rest.Request), rest.Name{Namespace: "ns", Name: "broken"},
		metav1.DeleteOptions{IgnoreStoreReadErrorWithClusterBreakingPotential: &yes}); err != nil {
		t.Fatal(err)
	}
	s.wantUsed("q", "configmaps=0")
}

// TestQuotaThatCanNotBeRead may limit anything, and must not be in the way of who cleans up.
func TestQuotaThatCanNotBeRead(t *testing.T) {
	db := memory.NewDatabase()
	s := inMemory(db).start(t)
	s.mustCreate("resourcequotas", quotaOf("q", map[corev1.ResourceName]string{"configmaps": "5"}))
	s.mustCreate("configmaps", configMap("a"))
	s.mustCreate("configmaps", configMap("b"))
	db.Put("/registry/resourcequotas/ns/q", []byte("garbage"))
	wantForbidden(t, s.create("configmaps", configMap("c")),
		`configmaps "c" is forbidden: quota q can't be read, and may limit this: delete it, or see to it that it can be read`)
	s.mustDelete("configmaps", "a")
	yes := true
	if _, err := s.verbs["resourcequotas"].Delete.Delete(context.Background(), new(rest.Request), rest.Name{Namespace: "ns", Name: "q"},
		metav1.DeleteOptions{IgnoreStoreReadErrorWithClusterBreakingPotential: &yes}); err != nil {
		t.Fatal(err)
	}
	if gate, _ := db.Get("/registry" + quota.GatePrefix + "ns"); gate != nil {
		t.Errorf("the gate is %q without a quota", gate)
	}
	s.mustCreate("configmaps", configMap("c"))
}

func TestQuotaThatNobodyCounted(t *testing.T) {
	db := memory.NewDatabase()
	s := inMemory(db).start(t)
	s.mustCreate("configmaps", configMap("old"))
	s.mustCreate("resourcequotas", quotaOf("q", map[corev1.ResourceName]string{"configmaps": "5"}))
	// As a server without the plug-in would have written it.
	bare := quotaOf("q", map[corev1.ResourceName]string{"configmaps": "5"})
	op, err := s.objects["resourcequotas"].Replace(bare, 1)
	if err != nil {
		t.Fatal(err)
	}
	db.Put("/registry"+op.Key, op.Value)
	wantForbidden(t, s.create("configmaps", configMap("a")), `configmaps "a" is forbidden: status unknown for quota: q, resources: configmaps`)
	s.mustDelete("configmaps", "old")
	s.mustCreate("secrets", &corev1.Secret{ObjectMeta: metav1.ObjectMeta{Namespace: "ns", Name: "s"}})
	s.mustUpdate("resourcequotas/status", s.quota("q"))
	s.wantUsed("q", "configmaps=0")
	s.mustCreate("configmaps", configMap("a"))
	s.wantUsed("q", "configmaps=1")
}

// TestReleaseOfWhatWasNotCharged: a server without the plug-in has written an object. Its deletion
// leaves a quota without a used amount, never with a negative one, and the next write of the status
// counts.
func TestReleaseOfWhatWasNotCharged(t *testing.T) {
	db := memory.NewDatabase()
	s := inMemory(db).start(t)
	s.mustCreate("configmaps", configMap("first"))
	value, _ := db.Get("/registry/configmaps/ns/first")
	s.mustCreate("resourcequotas", quotaOf("q", map[corev1.ResourceName]string{"configmaps": "2", "count/configmaps": "2"}))
	db.Put("/registry/configmaps/ns/other", bytes.Replace(value, []byte("first"), []byte("other"), 1))
	s.mustDelete("configmaps", "first")
	s.wantUsed("q", "configmaps=0,count/configmaps=0")
	s.mustDelete("configmaps", "other")
	s.wantUsed("q", "")
	wantForbidden(t, s.create("configmaps", configMap("c")), `configmaps "c" is forbidden: status unknown for quota: q, resources: configmaps,count/configmaps`)
	s.mustUpdate("resourcequotas/status", s.quota("q"))
	s.wantUsed("q", "configmaps=0,count/configmaps=0")
}

// TestTheGate is about what lies in the database beside the objects.
func TestTheGate(t *testing.T) {
	db := memory.NewDatabase()
	s := inMemory(db).start(t)
	gate := func() string {
		value, _ := db.Get("/registry" + quota.GatePrefix + "ns")
		return string(value)
	}
	s.mustCreate("configmaps", configMap("a"))
	if got := gate(); got != "" {
		t.Fatalf("there is a gate %q without a quota", got)
	}
	s.mustCreate("resourcequotas", quotaOf("q", map[corev1.ResourceName]string{"configmaps": "5"}))
	s.mustCreate("resourcequotas", quotaOf("r", nil))
	if got := gate(); got != "open" {
		t.Fatalf("the gate is %q", got)
	}
	if err := s.create("resourcequotas", quotaOf("r", nil)); !apierrors.IsAlreadyExists(err) {
		t.Fatal(err)
	}
	if got := gate(); got != "open" {
		t.Fatalf("the gate is %q after a quota was refused", got)
	}
	s.mustDelete("resourcequotas", "q")
	if got := gate(); got != "open" {
		t.Fatalf("the gate is %q with one quota left", got)
	}
	s.mustDelete("resourcequotas", "r")
	if got := gate(); got != "" {
		t.Fatalf("there is a gate %q without a quota", got)
	}
	s.mustCreate("configmaps", configMap("b"))
}

func TestQuotaIsStoredInItsOwnForm(t *testing.T) {
	db := memory.NewDatabase()
	c := inMemory(db)
	c.mediaType = rest.JSON
	s := c.start(t)
	s.mustCreate("resourcequotas", quotaOf("q", map[corev1.ResourceName]string{"configmaps": "5"}))
	s.mustCreate("configmaps", configMap("a"))
	raw, revision := db.Get("/registry/resourcequotas/ns/q")
	if len(raw) == 0 || raw[0] != '{' {
		t.Errorf("stored as %q", raw)
	}
	page, err := s.objects["resourcequotas"].List(context.Background(), "ns", storage.ListOptions{})
	if err != nil || len(page.Entries) != 1 || page.Entries[0].Stale || page.Entries[0].Revision != revision {
		t.Errorf("%+v, %v", page, err)
	}
}

// TestErrorsOfTheStoreAreNotForbidden: a database that is away says nothing about quotas.
func TestErrorsOfTheStoreAreNotForbidden(t *testing.T) {
	c := inMemory(memory.NewDatabase())
	var down error
	c.wrap = func(s storage.Interface) storage.Interface { return failing{s, &down} }
	s := c.start(t)
	s.mustCreate("resourcequotas", quotaOf("q", map[corev1.ResourceName]string{"configmaps": "5"}))
	down = &storage.Error{Code: storage.CodeUnavailable, Op: "list", Key: "/", Err: errors.New("down")}
	if err := s.create("configmaps", configMap("a")); !apierrors.IsServerTimeout(err) {
		t.Errorf("got %v", err)
	}
	down = nil
	s.mustCreate("configmaps", configMap("a"))
	s.wantUsed("q", "configmaps=1")
}

type failing struct {
	storage.Interface
	err *error
}

func (f failing) List(ctx context.Context, selection string, opts storage.ListOptions) (storage.Page, error) {
	if *f.err != nil {
		return storage.Page{}, *f.err
	}
	return f.Interface.List(ctx, selection, opts)
}
