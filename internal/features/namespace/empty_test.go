package namespace

import (
	"context"
	"io"
	"log/slog"
	"strings"
	"testing"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/typeplane/typeplane/registry/rest"
)

// lister calls a function for each list, and has no objects.
type lister func()

func (l lister) List(context.Context, string, metav1.ListOptions) (rest.View, error) {
	l()
	return nothing{}, nil
}

type nothing struct{}

func (nothing) WriteTo(w io.Writer, _ rest.Representation) error {
	_, err := io.WriteString(w, `{"metadata":{"resourceVersion":"7"}}`)
	return err
}

// TestPanicOfResource: after a resource that panics the next one is emptied, and the conditions of
// the namespace have the panic.
func TestPanicOfResource(t *testing.T) {
	c := &controller{log: slog.New(slog.DiscardHandler)}
	lists := 0
	left, err := c.empty(t.Context(), "a", []rest.Resource{
		{List: lister(func() { panic("the object is hostile") })},
		{List: lister(func() { lists++ })},
	})
	if len(left) != 0 || lists != 1 || err == nil {
		t.Fatal(left, lists, err)
	}
	failure := conditionsOf(left, err)[0]
	if failure.Status != corev1.ConditionTrue || !strings.Contains(failure.Message, "the server panicked: the object is hostile") {
		t.Errorf("%+v", failure)
	}
}
