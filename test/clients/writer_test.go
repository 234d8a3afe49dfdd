package clients

import (
	"context"
	"fmt"
	"math/rand/v2"
	"slices"
	"strconv"
	"testing"
	"time"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/apimachinery/pkg/util/wait"
	"k8s.io/client-go/dynamic"
)

// gone is the value of a book that is not there.
const gone = "gone"

// known is what a writer knows of one of its books: what it was told last, and what it asked for
// since without an answer.
type known struct {
	told    string
	perhaps []string
}

func (k *known) may(value string) bool { return value == k.told || slices.Contains(k.perhaps, value) }

// writer creates, changes and deletes books that nobody else writes to, one request after the
// other.
type writer struct {
	t            *testing.T
	name         string
	books        dynamic.ResourceInterface
	known        map[string]*known
	acknowledged int
	values       int
}

// run writes until ctx ends; a request that is under way then is finished.
func (w *writer) run(ctx context.Context) {
	for ctx.Err() == nil {
		name := fmt.Sprintf("%s-%d", w.name, rand.IntN(12))
		if w.known[name] == nil {
			w.known[name] = &known{told: gone}
		}
		if w.step(name, w.known[name]) {
			continue
		}
		// The server is down: ask until it is not.
		wait.PollUntilContextCancel(ctx, 10*time.Millisecond, true, func(ctx context.Context) (bool, error) {
			_, err := w.books.List(ctx, metav1.ListOptions{Limit: 1})
			return err == nil, nil
		})
	}
}

// step sends one request and says whether it was answered.
func (w *writer) step(name string, k *known) bool {
	ctx, cancel := context.WithTimeout(context.Background(), patience)
	defer cancel()
	if len(k.perhaps) > 0 {
		return w.ask(ctx, name, k)
	}
	w.values++
	value := strconv.Itoa(w.values)
	parity := []string{"even", "odd"}[w.values%2]
	var err error
	switch {
	case k.told == gone:
		b := book(name)
		b.SetAnnotations(map[string]string{"value": value})
		b.SetLabels(map[string]string{"parity": parity})
		_, err = w.books.Create(ctx, b, metav1.CreateOptions{})
	case rand.IntN(5) == 0:
		value = gone
		err = w.books.Delete(ctx, name, metav1.DeleteOptions{})
	default:
		patch := fmt.Appendf(nil, `{"metadata":{"annotations":{"value":%q},"labels":{"parity":%q}}}`, value, parity)
		_, err = w.books.Patch(ctx, name, types.MergePatchType, patch, metav1.PatchOptions{})
	}
	switch {
	case err == nil:
		w.acknowledged++
		k.told = value
		return true
	case apierrors.IsNotFound(err), apierrors.IsAlreadyExists(err), apierrors.IsConflict(err), apierrors.IsInvalid(err):
		w.t.Errorf("%s was %s, and now: %v", name, k.told, err)
		return true
	default:
		k.perhaps = append(k.perhaps, value)
		return false
	}
}

// ask finds out what became of a request that was not answered.
func (w *writer) ask(ctx context.Context, name string, k *known) bool {
	b, err := w.books.Get(ctx, name, metav1.GetOptions{})
	if err != nil && !apierrors.IsNotFound(err) {
		return false
	}
	value := gone
	if err == nil {
		value = b.GetAnnotations()["value"]
	}
	if !k.may(value) {
		w.t.Errorf("%s is %s; it was acknowledged as %s, perhaps it became one of %v", name, value, k.told, k.perhaps)
	}
	k.told, k.perhaps = value, nil
	return true
}

// check compares the books of this writer with a list that was read after its last request.
func (w *writer) check(list *unstructured.UnstructuredList) {
	stored := map[string]string{}
	for _, b := range list.Items {
		stored[b.GetName()] = b.GetAnnotations()["value"]
	}
	for name, k := range w.known {
		value, ok := stored[name]
		if !ok {
			value = gone
		}
		if !k.may(value) {
			w.t.Errorf("%s is %s; it was acknowledged as %s, perhaps it became one of %v", name, value, k.told, k.perhaps)
		}
	}
}
