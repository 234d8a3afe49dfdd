package server

import (
	"fmt"
	"net/http"
	"slices"
	"strings"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
)

// mostNamed is how many subresources an answer names.
const mostNamed = 20

// unknown answers a path in a group that is served, where nothing is. A resource that lacks a
// subresource says which it has: people ask for those of Kubernetes, like exec, and should not
// wonder whether the object is missing.
func (s *Server) unknown(i requestInfo) error {
	gv := i.groupVersion()
	of := s.resources[gv.WithResource(i.Resource)]
	if i.Subresource == "" || of == nil {
		return notFound()
	}
	var names []string
	for gvr, r := range s.resources {
		if gvr.GroupVersion() == gv && r.Name == of.Name && r.Subresource != "" {
			names = append(names, r.Subresource)
		}
	}
	return &apierrors.StatusError{ErrStatus: metav1.Status{
		Status: metav1.StatusFailure, Code: http.StatusNotFound, Reason: metav1.StatusReasonNotFound,
		Message: fmt.Sprintf("this server has no %s: %s", shortened(i.fullName()), offered(of.Name, names)),
		Details: &metav1.StatusDetails{Group: i.Group, Kind: i.Resource, Name: i.Name},
	}}
}

// offered says which subresources there are.
func offered(resource string, names []string) string {
	slices.Sort(names)
	switch n := len(names); {
	case n == 0:
		return resource + " have no subresources here"
	case n == 1:
		return "the only subresource of " + resource + " here is " + names[0]
	case n > mostNamed:
		return fmt.Sprintf("the subresources of %s here are %s and %d more", resource, strings.Join(names[:mostNamed], ", "), n-mostNamed)
	default:
		return fmt.Sprintf("the subresources of %s here are %s and %s", resource, strings.Join(names[:n-1], ", "), names[n-1])
	}
}

// shortened is what a client wrote, without what would fill a screen.
func shortened(text string) string {
	const most = 100
	if len(text) <= most {
		return text
	}
	return strings.ToValidUTF8(text[:most], "") + "…"
}
