// Package librarian works with the printed clients of examples/library, against its server and
// against their fakes.
package librarian

import (
	"context"
	"os"
	"testing"
	"time"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/labels"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/client-go/tools/cache"
	"k8s.io/client-go/tools/clientcmd"

	"example.com/librarian/api/v1"
	"example.com/librarian/api/v1alpha1"
	"example.com/librarian/client/applyconfiguration"
	apply "example.com/librarian/client/applyconfiguration/api/v1"
	"example.com/librarian/client/clientset/versioned"
	"example.com/librarian/client/clientset/versioned/fake"
	"example.com/librarian/client/informers/externalversions"
)

// connect makes a clientset for the server that runs.
func connect(t *testing.T) *versioned.Clientset {
	t.Helper()
	config, err := clientcmd.BuildConfigFromFlags("", os.Getenv("KUBECONFIG"))
	if err != nil {
		t.Fatal(err)
	}
	config.QPS, config.Burst = 1000, 1000
	clients, err := versioned.NewForConfig(config)
	if err != nil {
		t.Fatal(err)
	}
	return clients
}

func book(name, title string) *v1.Book {
	return &v1.Book{ObjectMeta: metav1.ObjectMeta{Name: name, Labels: map[string]string{"test": "books"}}, Spec: v1.BookSpec{Title: title}}
}

// TestVerbs takes a book and a shelf through their lives.
func TestVerbs(t *testing.T) {
	ctx, clients := t.Context(), connect(t)
	if version, err := clients.Discovery().ServerVersion(); err != nil || version.Major == "" {
		t.Errorf("version: %v, %v", version, err)
	}
	shelf, err := clients.LibraryV1().Shelves().Create(ctx, &v1.Shelf{ObjectMeta: metav1.ObjectMeta{Name: "north"}, Spec: v1.ShelfSpec{Room: "R1"}}, metav1.CreateOptions{})
	if err != nil || shelf.UID == "" {
		t.Fatalf("create a shelf: %+v, %v", shelf, err)
	}
	books, copies := clients.LibraryV1().Books("default"), int32(3)
	dune := book("dune", "Dune")
	dune.Spec.Copies = &copies
	made, err := books.Create(ctx, dune, metav1.CreateOptions{})
	if err != nil || made.Spec.Genre != v1.Fiction {
		t.Fatalf("create a book: %+v, %v", made, err)
	}
	made.Spec.Shelf = "north"
	if made, err = books.Update(ctx, made, metav1.UpdateOptions{}); err != nil || made.Spec.Shelf != "north" {
		t.Fatalf("update: %+v, %v", made, err)
	}
	if _, err = books.Patch(ctx, "dune", types.MergePatchType, []byte(`{"spec":{"genre":"Science"}}`), metav1.PatchOptions{}); err != nil {
		t.Fatal(err)
	}
	got, err := books.Get(ctx, "dune", metav1.GetOptions{})
	if err != nil || got.Spec.Genre != v1.Science {
		t.Fatalf("get: %+v, %v", got, err)
	}
	older, err := clients.LibraryV1alpha1().Books("default").Get(ctx, "dune", metav1.GetOptions{})
	if err != nil || older.Spec.Title != "Dune" {
		t.Fatalf("get an older version: %+v, %v", older, err)
	}
	var _ *v1alpha1.Book = older
	loan, err := books.Lend(ctx, "dune", &v1.Loan{Reader: "jane"}, metav1.CreateOptions{})
	if err != nil || loan.Left != 2 {
		t.Errorf("lend: %+v, %v", loan, err)
	}
	list, err := books.List(ctx, metav1.ListOptions{LabelSelector: "test=books"})
	if err != nil || len(list.Items) != 1 {
		t.Errorf("list: %+v, %v", list, err)
	}
	if err := books.DeleteCollection(ctx, metav1.DeleteOptions{}, metav1.ListOptions{LabelSelector: "test=books"}); err != nil {
		t.Error(err)
	}
	if _, err := books.Get(ctx, "dune", metav1.GetOptions{}); !apierrors.IsNotFound(err) {
		t.Errorf("get what is gone: %v", err)
	}
}

// TestWatch sees a book come and go.
func TestWatch(t *testing.T) {
	ctx, books := t.Context(), connect(t).LibraryV1().Books("default")
	watch, err := books.Watch(ctx, metav1.ListOptions{LabelSelector: "test=watch"})
	if err != nil {
		t.Fatal(err)
	}
	defer watch.Stop()
	seen := book("emma", "Emma")
	seen.Labels["test"] = "watch"
	if _, err := books.Create(ctx, seen, metav1.CreateOptions{}); err != nil {
		t.Fatal(err)
	}
	if err := books.Delete(ctx, "emma", metav1.DeleteOptions{}); err != nil {
		t.Fatal(err)
	}
	for _, want := range []string{"ADDED", "DELETED"} {
		select {
		case event := <-watch.ResultChan():
			if b, ok := event.Object.(*v1.Book); string(event.Type) != want || !ok || b.Name != "emma" {
				t.Errorf("want %s of emma, got %s of %+v", want, event.Type, event.Object)
			}
		case <-time.After(time.Minute):
			t.Fatalf("no event %s", want)
		}
	}
}

// TestApply shares a book between two managers.
func TestApply(t *testing.T) {
	ctx, books := t.Context(), connect(t).LibraryV1().Books("default")
	catalogue := apply.Book("ulysses", "default").WithLabels(map[string]string{"a": "b"}).
		WithSpec(apply.BookSpec().WithTitle("Ulysses").WithAuthors("James Joyce"))
	applied, err := books.Apply(ctx, catalogue, metav1.ApplyOptions{FieldManager: "catalogue"})
	if err != nil || applied.Spec.Authors[0] != "James Joyce" {
		t.Fatalf("apply: %+v, %v", applied, err)
	}
	other := apply.Book("ulysses", "default").WithSpec(apply.BookSpec().WithTitle("Odyssey"))
	if _, err := books.Apply(ctx, other, metav1.ApplyOptions{FieldManager: "other"}); !apierrors.IsConflict(err) {
		t.Errorf("a title of somebody else's: %v", err)
	}
	stock := apply.Book("ulysses", "default").WithSpec(apply.BookSpec().WithCopies(7))
	if applied, err = books.Apply(ctx, stock, metav1.ApplyOptions{FieldManager: "stock"}); err != nil {
		t.Fatal(err)
	}
	mine, err := apply.ExtractBook(applied, "stock")
	if err != nil || mine.Spec == nil || mine.Spec.Copies == nil || *mine.Spec.Copies != 7 || mine.Spec.Title != nil {
		t.Fatalf("extract: %+v, %v", mine, err)
	}
	mine.Spec.WithCopies(8)
	if applied, err = books.Apply(ctx, mine, metav1.ApplyOptions{FieldManager: "stock"}); err != nil || *applied.Spec.Copies != 8 || applied.Spec.Title != "Ulysses" {
		t.Errorf("apply again: %+v, %v", applied, err)
	}
	if _, err := books.Apply(ctx, nil, metav1.ApplyOptions{FieldManager: "stock"}); err == nil {
		t.Error("nothing was applied, and there is no error")
	}
	if kind := applyconfiguration.ForKind(v1.SchemeGroupVersion.WithKind("Book")); kind == nil {
		t.Error("no apply configuration for Book")
	}
}

// TestInformers follows books and shelves in caches.
func TestInformers(t *testing.T) {
	ctx, cancel := context.WithTimeout(t.Context(), 2*time.Minute)
	defer cancel()
	clients := connect(t)
	factory := externalversions.NewSharedInformerFactoryWithOptions(clients, 0, externalversions.WithNamespace("default"))
	defer factory.Shutdown()
	defer cancel()
	books := factory.Library().V1().Books()
	added := make(chan *v1.Book, 100)
	if _, err := books.Informer().AddEventHandler(cache.ResourceEventHandlerFuncs{AddFunc: func(obj any) { added <- obj.(*v1.Book) }}); err != nil {
		t.Fatal(err)
	}
	generic, err := factory.ForResource(v1.SchemeGroupVersion.WithResource("shelves"))
	if err != nil {
		t.Fatal(err)
	}
	factory.StartWithContext(ctx)
	if err := factory.WaitForCacheSyncWithContext(ctx).AsError(); err != nil {
		t.Fatal(err)
	}
	if _, err := clients.LibraryV1().Books("default").Create(ctx, book("solaris", "Solaris"), metav1.CreateOptions{}); err != nil {
		t.Fatal(err)
	}
	for b := (*v1.Book)(nil); b == nil || b.Name != "solaris"; {
		select {
		case b = <-added:
		case <-ctx.Done():
			t.Fatal("the informer does not tell of a book")
		}
	}
	if b, err := books.Lister().Books("default").Get("solaris"); err != nil || b.Spec.Title != "Solaris" {
		t.Errorf("lister: %+v, %v", b, err)
	}
	if _, err := books.Lister().Books("default").Get("nothing"); !apierrors.IsNotFound(err) {
		t.Errorf("lister, of what is not there: %v", err)
	}
	if all, err := generic.Lister().List(labels.Everything()); err != nil {
		t.Errorf("generic lister: %v, %v", all, err)
	}
}

// TestFake does without a server.
func TestFake(t *testing.T) {
	ctx, clients := t.Context(), fake.NewClientset(&v1.Book{ObjectMeta: metav1.ObjectMeta{Name: "emma", Namespace: "default"}})
	books := clients.LibraryV1().Books("default")
	if emma, err := books.Get(ctx, "emma", metav1.GetOptions{}); err != nil || emma.Name != "emma" {
		t.Fatalf("get: %+v, %v", emma, err)
	}
	b, err := books.Apply(ctx, apply.Book("dune", "default").WithSpec(apply.BookSpec().WithTitle("Dune")), metav1.ApplyOptions{FieldManager: "a"})
	if err != nil || b.Spec.Title != "Dune" {
		t.Fatalf("apply: %+v, %v", b, err)
	}
	if _, err := books.Apply(ctx, apply.Book("dune", "default").WithSpec(apply.BookSpec().WithTitle("Doon")), metav1.ApplyOptions{FieldManager: "b"}); !apierrors.IsConflict(err) {
		t.Errorf("a title of somebody else's: %v", err)
	}
	if _, err := books.Lend(ctx, "dune", &v1.Loan{Reader: "jane"}, metav1.CreateOptions{}); err != nil {
		t.Errorf("lend: %v", err)
	}
	actions := clients.Actions()
	if last := actions[len(actions)-1]; last.GetVerb() != "create" || last.GetSubresource() != "lend" || last.GetResource().Resource != "books" {
		t.Errorf("lend was taken for %+v", last)
	}
}
