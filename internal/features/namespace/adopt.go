package namespace

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"maps"
	"slices"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime/schema"

	"github.com/typeplane/typeplane/registry/rest"
	"github.com/typeplane/typeplane/runtime"
)

// adoptPage is how many objects are read at once.
const adoptPage = 500

// adopt makes the namespaces of the objects that are there when namespaces are served for the first
// time: nothing could be created in them, and nobody could delete them. It is the first time while
// there is no namespace default, which is made after it, so that a start that ends early goes on.
func (c *controller) adopt(ctx context.Context, scheme *runtime.Scheme, resources []rest.Resource) error {
	_, err := c.namespaces.Get.Get(ctx, rest.Name{Name: metav1.NamespaceDefault}, metav1.GetOptions{})
	if !apierrors.IsNotFound(err) {
		return err
	}
	counts, err := inhabited(ctx, resources)
	if err != nil {
		return err
	}
	for _, name := range slices.Sorted(maps.Keys(counts)) {
		if slices.Contains(Standing, name) {
			continue
		}
		err := c.makeNamespace(ctx, scheme, rest.Name{Name: name})
		switch {
		case apierrors.IsInvalid(err):
			c.log.Warn("there are objects in a namespace that can't be made", "namespace", name, "objects", counts[name], "error", err)
		case err != nil:
			return fmt.Errorf("create the namespace %q of %d objects: %w", name, counts[name], err)
		default:
			c.log.Info("namespaces are served for the first time: made that of the objects which are there", "namespace", name, "objects", counts[name])
		}
	}
	return nil
}

// inhabited counts the objects in each namespace.
func inhabited(ctx context.Context, resources []rest.Resource) (map[string]int, error) {
	counts, seen := map[string]int{}, map[schema.GroupResource]bool{}
	for i := range resources {
		r := &resources[i]
		gr := schema.GroupResource{Group: r.GroupVersion.Group, Resource: r.Name}
		if !r.Namespaced || r.List == nil || r.Watch == nil || r.Subresource != "" || seen[gr] {
			continue
		}
		seen[gr] = true // another version has the same objects
		if err := count(ctx, r, counts); err != nil {
			return nil, fmt.Errorf("look for the namespaces of %s: %w", gr, err)
		}
	}
	return counts, nil
}

// count adds the objects of a resource, page by page.
func count(ctx context.Context, r *rest.Resource, counts map[string]int) error {
	for opts := (metav1.ListOptions{Limit: adoptPage}); ; {
		view, err := r.List.List(ctx, "", opts)
		if err != nil {
			return err
		}
		var b bytes.Buffer
		if err := view.WriteTo(&b, rest.Representation{MediaType: rest.JSON, As: rest.AsPartialObjectMetadata}); err != nil {
			return err
		}
		var page metav1.PartialObjectMetadataList
		if err := json.Unmarshal(b.Bytes(), &page); err != nil {
			return err
		}
		for i := range page.Items {
			counts[page.Items[i].Namespace]++
		}
		if opts.Continue = page.Continue; opts.Continue == "" {
			return nil
		}
	}
}
