package policy

import (
	"context"

	apierrors "k8s.io/apimachinery/pkg/api/errors"

	"github.com/typeplane/typeplane/admission"
	"github.com/typeplane/typeplane/auth"
	"github.com/typeplane/typeplane/internal/features/webhook/review"
	"github.com/typeplane/typeplane/policy/expression"
)

// inputs are a request as expressions see it, in the versions in which policies ask for it. It is
// for one goroutine.
type inputs struct {
	of       *enforcer
	r        *admission.Request
	question *review.Question
	known    map[admission.Version]*expression.Input
}

func newInputs(e *enforcer, r *admission.Request) *inputs {
	return &inputs{of: e, r: r, known: map[admission.Version]*expression.Input{}}
}

// input is the request in a version. The error is an API status.
func (i *inputs) input(ctx context.Context, version admission.Version) (*expression.Input, error) {
	if in := i.known[version]; in != nil {
		return in, nil
	}
	if i.question == nil {
		question, err := review.New(i.r, auth.UserFrom(ctx))
		if err != nil {
			return nil, apierrors.NewInternalError(err)
		}
		i.question = question
	}
	request, err := i.question.In(version)
	if err != nil {
		return nil, apierrors.NewInternalError(err)
	}
	in, err := expression.NewInput(request)
	if err != nil {
		return nil, apierrors.NewInternalError(err)
	}
	in.Authorizer = i.of.authorizer
	if i.r.Namespace != "" && i.r.Resource.GroupResource() != namespacesResource.GroupResource() {
		namespace, err := i.of.reader.namespace(ctx, i.r.Namespace)
		if err != nil {
			return nil, err
		}
		in.Namespace = namespace
	}
	i.known[version] = in
	return in, nil
}

// replace puts another object, JSON of a version, into the request, and says whether it differs
// from the one before. Inputs that were asked for stay as they are.
func (i *inputs) replace(version admission.Version, object []byte) (changed bool, err error) {
	changed, err = i.question.Replace(version, object)
	clear(i.known)
	return changed, err
}
