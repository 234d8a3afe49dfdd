package registry

import (
	"fmt"
	"time"

	apierrors "k8s.io/apimachinery/pkg/api/errors"

	"github.com/typeplane/typeplane/registry/internal/view"
	"github.com/typeplane/typeplane/registry/rest"
)

// ends says when an object ends by itself. answer is one of a verb of the same kind.
func (e *endpoint) ends(answer rest.View) (at time.Time, ends bool, err error) {
	object, ok := answer.(*view.Object)
	if !ok {
		return at, false, apierrors.NewInternalError(fmt.Errorf("when does a %T end? only an object does", answer))
	}
	hub, err := e.codec.DecodeHub(object.Entry)
	if err != nil {
		return at, false, err
	}
	until := e.def.Strategy.Deletion.Expires(hub)
	if until.IsZero() {
		return at, false, nil
	}
	return until.Time, true, nil
}
