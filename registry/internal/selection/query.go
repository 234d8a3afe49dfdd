package selection

import (
	"fmt"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/typeplane/typeplane/storage"
)

// NewQuery is the table of what resourceVersion, resourceVersionMatch, limit and continue mean
// together.
func NewQuery(opts metav1.ListOptions, prefix string) (storage.ListOptions, error) {
	q := storage.ListOptions{Limit: max(opts.Limit, 0)}
	revision, err := Revision(opts.ResourceVersion)
	if err != nil {
		return q, err
	}
	if opts.Continue != "" {
		if revision != 0 {
			return q, apierrors.NewBadRequest("specifying resource version is not allowed when using continue")
		}
		if q.Start, q.Revision, err = decodeContinue(opts.Continue, prefix); err != nil {
			return q, err
		}
		q.Match = storage.Exact
		if q.Revision < 0 {
			q.Match, q.Revision = storage.Latest, 0
		}
		return q, nil
	}
	q.Revision = revision
	switch {
	case opts.ResourceVersion == "":
		q.Match = storage.Latest
	case revision == 0:
		// Whatever is at hand, and then all of it: a page of "any" state could not be continued.
		q.Match, q.Limit = storage.Any, 0
	case opts.ResourceVersionMatch == metav1.ResourceVersionMatchExact,
		opts.ResourceVersionMatch == "" && q.Limit > 0: // so it was before there was a resourceVersionMatch
		q.Match = storage.Exact
	default:
		q.Match = storage.NotOlderThan
	}
	return q, nil
}

// Revision reads a resourceVersion that a client sent; "" and "0" are 0.
func Revision(resourceVersion string) (int64, error) {
	revision, err := storage.ParseRevision(resourceVersion)
	if err != nil {
		return 0, apierrors.NewBadRequest(fmt.Sprintf("invalid resourceVersion %q: want one that the server gave, or nothing", resourceVersion))
	}
	return revision, nil
}
