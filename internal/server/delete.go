package server

import (
	"fmt"
	"net/http"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime/schema"

	"github.com/typeplane/typeplane/runtime/serializer"
)

// delete answers DELETE of one object.
func (s *Server) delete(c *call) error {
	rep, body, err := s.beginWrite(c)
	if err != nil {
		return err
	}
	c.recordBody(body)
	opts, err := s.readDeleteOptions(c, body)
	if err != nil {
		return err
	}
	if err := invalidOptions("DeleteOptions", validateDelete(opts)); err != nil {
		return err
	}
	if ignoresReadErrors(opts) {
		// It passes over finalizers and preconditions: that is another right than to delete.
		if err := s.may(c, "unsafe-delete-ignore-read-errors"); err != nil {
			return err
		}
	}
	view, err := c.resource.Delete.Delete(c.ctx, &c.request, c.name(), opts)
	if err != nil {
		return err
	}
	return c.send(http.StatusOK, view, rep)
}

// ignoresReadErrors says whether a deletion is meant for an object that nobody can read any more.
func ignoresReadErrors(opts metav1.DeleteOptions) bool {
	return opts.IgnoreStoreReadErrorWithClusterBreakingPotential != nil && *opts.IgnoreStoreReadErrorWithClusterBreakingPotential
}

// readDeleteOptions takes the options from the body, or from the query if there is no body. A grace
// period of less than nothing is one second, as clients know it from Kubernetes.
func (s *Server) readDeleteOptions(c *call, body []byte) (metav1.DeleteOptions, error) {
	opts, err := s.sentDeleteOptions(c, body)
	if grace := opts.GracePeriodSeconds; grace != nil && *grace < 0 {
		*grace = 1
	}
	return opts, err
}

func (s *Server) sentDeleteOptions(c *call, body []byte) (metav1.DeleteOptions, error) {
	if len(body) == 0 {
		return deleteOptions(c.info, c.query)
	}
	mediaType, err := c.bodyType()
	if err != nil {
		return metav1.DeleteOptions{}, err
	}
	var opts metav1.DeleteOptions
	gvk, _, err := serializer.DecodeInto(body, serializer.MediaType(mediaType), metav1.SchemeGroupVersion.WithKind("DeleteOptions"), &opts)
	if apierrors.IsRequestEntityTooLargeError(err) {
		return opts, err
	}
	if err != nil {
		return opts, apierrors.NewBadRequest(fmt.Sprintf("the body can't be read as DeleteOptions: %v", err))
	}
	if !s.knowsDeleteOptions(gvk) {
		return opts, apierrors.NewBadRequest(fmt.Sprintf("no kind %q is registered for version %q", gvk.Kind, gvk.GroupVersion()))
	}
	return opts, nil
}

// knowsDeleteOptions: every group version has a kind DeleteOptions, and clients send whichever they
// like.
func (s *Server) knowsDeleteOptions(gvk schema.GroupVersionKind) bool {
	gv := gvk.GroupVersion()
	return gvk.Kind == "DeleteOptions" && (gv == metav1.SchemeGroupVersion || gv == metav1.Unversioned || s.groupVersions[gv])
}
