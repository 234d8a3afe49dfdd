package clients

import (
	"context"
	"fmt"
	"strings"
	"sync"
	"testing"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"k8s.io/apimachinery/pkg/api/meta"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime"
	ctrl "sigs.k8s.io/controller-runtime"
	"sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/controller-runtime/pkg/controller/controllerutil"
	metricsserver "sigs.k8s.io/controller-runtime/pkg/metrics/server"

	libraryv1 "github.com/typeplane/typeplane/examples/library/api/v1"
)

const finalizer = "test.example.com/shelving"

// shelver is a reconciler of books. It labels each with its room, by a patch, sets a condition, and
// owns an annotation, by apply. It finishes the deletion of those that it has seen.
type shelver struct{ client.Client }

func (r shelver) Reconcile(ctx context.Context, req ctrl.Request) (ctrl.Result, error) {
	var book libraryv1.Book
	if err := r.Get(ctx, req.NamespacedName, &book); err != nil {
		return ctrl.Result{}, client.IgnoreNotFound(err)
	}
	before := book.DeepCopy()
	if !book.DeletionTimestamp.IsZero() {
		controllerutil.RemoveFinalizer(&book, finalizer)
		return ctrl.Result{}, client.IgnoreNotFound(r.Patch(ctx, &book, client.MergeFromWithOptions(before, client.MergeFromWithOptimisticLock{})))
	}
	var shelf libraryv1.Shelf
	if err := r.Get(ctx, client.ObjectKey{Name: book.Spec.Shelf}, &shelf); err != nil {
		return ctrl.Result{}, client.IgnoreNotFound(err)
	}
	controllerutil.AddFinalizer(&book, finalizer)
	metav1.SetMetaDataLabel(&book.ObjectMeta, "room", shelf.Spec.Room)
	meta.SetStatusCondition(&book.Status.Conditions, metav1.Condition{Type: "Ready", Status: metav1.ConditionTrue, Reason: "Shelved"})
	if err := r.Patch(ctx, &book, client.MergeFrom(before)); err != nil {
		return ctrl.Result{}, err
	}
	apply := &unstructured.Unstructured{}
	apply.SetGroupVersionKind(libraryv1.SchemeGroupVersion.WithKind("Book"))
	apply.SetNamespace(book.Namespace)
	apply.SetName(book.Name)
	apply.SetAnnotations(map[string]string{"test.example.com/shelf": string(shelf.UID)})
	return ctrl.Result{}, r.Apply(ctx, client.ApplyConfigurationFromUnstructured(apply), client.FieldOwner("shelver"), client.ForceOwnership)
}

// TestManager runs a controller of controller-runtime over the Go types that the server is made of.
func TestManager(t *testing.T) {
	s := start(t, "library")
	scheme := runtime.NewScheme()
	must(t, libraryv1.AddToScheme(scheme))
	manager, err := ctrl.NewManager(s.config, ctrl.Options{Scheme: scheme, Metrics: metricsserver.Options{BindAddress: "0"}})
	must(t, err)
	must(t, manager.GetFieldIndexer().IndexField(t.Context(), &libraryv1.Book{}, "spec.shelf", func(obj client.Object) []string {
		return []string{obj.(*libraryv1.Book).Spec.Shelf}
	}))
	must(t, ctrl.NewControllerManagedBy(manager).For(&libraryv1.Book{}).Complete(shelver{manager.GetClient()}))
	ctx, stop := context.WithCancel(t.Context())
	var wg sync.WaitGroup
	wg.Go(func() {
		if err := manager.Start(ctx); err != nil {
			t.Error(err)
		}
	})
	defer wg.Wait()
	defer stop()
	if !manager.GetCache().WaitForCacheSync(ctx) {
		t.Fatal("the cache does not fill")
	}

	direct, err := client.New(s.config, client.Options{Scheme: scheme})
	must(t, err)
	must(t, direct.Create(ctx, &libraryv1.Shelf{ObjectMeta: metav1.ObjectMeta{Name: "top"}, Spec: libraryv1.ShelfSpec{Room: "attic"}}))
	const n = 12
	for i := range n {
		must(t, direct.Create(ctx, &libraryv1.Book{
			ObjectMeta: metav1.ObjectMeta{Name: fmt.Sprintf("b%02d", i), Namespace: "default"},
			Spec:       libraryv1.BookSpec{Title: "T", Shelf: "top"},
		}))
	}
	cached := manager.GetClient()
	eventually(t, "all books are shelved", func() bool {
		var list libraryv1.BookList
		err := cached.List(ctx, &list, client.InNamespace("default"), client.MatchingFields{"spec.shelf": "top"}, client.MatchingLabels{"room": "attic"})
		ready := 0
		for _, b := range list.Items {
			if meta.IsStatusConditionTrue(b.Status.Conditions, "Ready") && b.Annotations["test.example.com/shelf"] != "" {
				ready++
			}
		}
		return err == nil && ready == n
	})
	owners(t, direct)

	// The older version has the same objects, for clients without types.
	partial := &metav1.PartialObjectMetadataList{}
	partial.SetGroupVersionKind(libraryv1.SchemeGroupVersion.WithKind("BookList"))
	must(t, direct.List(ctx, partial, client.MatchingLabels{"room": "attic"}))
	if len(partial.Items) != n {
		t.Errorf("the metadata of %d books", len(partial.Items))
	}

	must(t, direct.DeleteAllOf(ctx, &libraryv1.Book{}, client.InNamespace("default")))
	eventually(t, "all books are gone, from the server and from the cache", func() bool {
		var left, known libraryv1.BookList
		return direct.List(ctx, &left) == nil && cached.List(ctx, &known) == nil && len(left.Items)+len(known.Items) == 0
	})
}

// owners: the field that the reconciler applied is its own, in an entry of its own.
func owners(t *testing.T, direct client.Client) {
	t.Helper()
	var book libraryv1.Book
	must(t, direct.Get(t.Context(), client.ObjectKey{Namespace: "default", Name: "b00"}, &book))
	for _, entry := range book.ManagedFields {
		if entry.Manager == "shelver" && entry.Operation == metav1.ManagedFieldsOperationApply && strings.Contains(string(entry.FieldsV1.GetRawBytes()), "f:test.example.com/shelf") {
			return
		}
	}
	t.Errorf("nobody applied the annotation: %+v", book.ManagedFields)
}

// TestClientErrors: what controller-runtime's client makes of the server's refusals.
func TestClientErrors(t *testing.T) {
	s, ctx := start(t, "library"), t.Context()
	scheme := runtime.NewScheme()
	must(t, libraryv1.AddToScheme(scheme))
	c, err := client.New(s.config, client.Options{Scheme: scheme})
	must(t, err)
	ctx, cancel := context.WithTimeout(ctx, patience)
	defer cancel()
	book := &libraryv1.Book{ObjectMeta: metav1.ObjectMeta{Name: "b", Namespace: "default"}}
	if err := c.Create(ctx, book); !apierrors.IsInvalid(err) || !strings.Contains(err.Error(), "spec.title: Required value") {
		t.Errorf("without a title: %v", err)
	}
	book.Spec.Title = "T"
	must(t, c.Create(ctx, book))
	stale := book.DeepCopy()
	book.Spec.Title = "U"
	must(t, c.Update(ctx, book))
	if err := c.Update(ctx, stale); !apierrors.IsConflict(err) {
		t.Errorf("an old revision: %v", err)
	}
	if err := c.Status().Update(ctx, book); !apierrors.IsNotFound(err) {
		t.Errorf("the status of a kind without that subresource: %v", err)
	}
	result, err := controllerutil.CreateOrUpdate(ctx, c, book, func() error { book.Spec.Genre = libraryv1.Science; return nil })
	if err != nil || result != controllerutil.OperationResultUpdated {
		t.Errorf("CreateOrUpdate: %s %v", result, err)
	}
}
