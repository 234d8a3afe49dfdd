package delegated

import (
	"context"
	"fmt"
	"net/http"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"k8s.io/apimachinery/pkg/api/validate/content"
	"k8s.io/apimachinery/pkg/runtime/schema"
)

// Namespaces tells of the namespaces of a cluster. It remembers nothing: what is created in one
// that has gone meanwhile would stay for ever. It is safe for concurrent use.
type Namespaces struct{ client *Client }

// NewNamespaces asks with a client.
func NewNamespaces(client *Client) *Namespaces { return &Namespaces{client} }

// Terminating says whether a namespace is on its way out. It fails with NotFound if there is none.
func (n *Namespaces) Terminating(ctx context.Context, name string) (bool, error) {
	notFound := apierrors.NewNotFound(schema.GroupResource{Resource: "namespaces"}, name)
	if len(content.IsPathSegmentName(name)) > 0 {
		return false, notFound // it would ask for something else
	}
	var got struct {
		Metadata struct {
			DeletionTimestamp string `json:"deletionTimestamp"`
		} `json:"metadata"`
	}
	err := n.client.call(ctx, http.MethodGet, "/api/v1/namespaces/"+name, nil, &got)
	if NotFound(err) {
		return false, notFound
	}
	if err != nil {
		return false, fmt.Errorf("delegated: namespace %s: %w", name, err)
	}
	return got.Metadata.DeletionTimestamp != "", nil
}
