package serviceaccount

import (
	"context"
	"encoding/json"
	"errors"
	"io"
	"log/slog"
	"testing"
	"testing/synctest"
	"time"

	corev1 "k8s.io/api/core/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime/schema"

	"github.com/typeplane/typeplane/registry/rest"
)

// getter finds what it says, and nothing if that is nil.
type getter struct{ found any }

func (g getter) Get(_ context.Context, name rest.Name, _ metav1.GetOptions) (rest.View, error) {
	if g.found == nil {
		return nil, apierrors.NewNotFound(schema.GroupResource{}, name.Name)
	}
	return g, nil
}

func (g getter) WriteTo(w io.Writer, _ rest.Representation) error {
	return json.NewEncoder(w).Encode(g.found)
}

// creator is told of creates, and refuses those in a namespace called full.
type creator map[string]int

func (c creator) Create(_ context.Context, _ *rest.Request, name rest.Name, _ rest.Body, _ metav1.CreateOptions) (rest.View, error) {
	c[name.Namespace]++
	if name.Namespace == "full" {
		return nil, errors.New("exceeded quota")
	}
	return nil, nil
}

// A namespace in which nothing can be made is tried again, at longer and longer intervals, and
// keeps no other waiting.
func TestOneFailureKeepsNoOtherWaiting(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		made := creator{}
		e := &everywhere[corev1.ServiceAccount]{
			namespaces: rest.Resource{Get: getter{&corev1.Namespace{}}},
			objects:    rest.Resource{Get: getter{}, Create: made},
			create:     func(string) rest.Body { return new(corev1.ServiceAccount) },
			log:        slog.New(slog.DiscardHandler),
			doubt:      map[string]bool{}, wake: make(chan struct{}, 1),
		}
		ctx, cancel := context.WithCancel(t.Context())
		defer cancel()
		go e.keepDoubtful(ctx)
		e.lookAt("full")
		time.Sleep(time.Minute)
		if n := made["full"]; n < 8 || n > 16 {
			t.Errorf("it was tried %d times in a minute", n)
		}
		e.lookAt("new")
		synctest.Wait()
		if made["new"] != 1 {
			t.Error("a new namespace waits for one that fails")
		}
	})
}
