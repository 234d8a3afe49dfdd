package server

import (
	"net/http"
	"slices"
	"strconv"
	"strings"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/typeplane/typeplane/internal/server/negotiate"
	"github.com/typeplane/typeplane/registry/rest"
	"github.com/typeplane/typeplane/runtime/serializer"
)

// form is how the client wants its answer: one of the types on offer, or a 406. Only objects and
// lists of them are turned into something else, see transformed.
func (c *call) representation(offers []rest.MediaType) (rest.Representation, error) {
	if c.resource == nil {
		return c.plainForm(offers)
	}
	mediaType, w, ok := negotiate.Find(c.req.Header["Accept"], offers, c.writable)
	if !ok {
		return rest.Representation{}, notAcceptable(negotiate.ObjectTypes(c.resource, offers))
	}
	return c.transformed(rest.Representation{MediaType: mediaType, Pretty: c.pretty(w)}, w.Transform)
}

// plainForm is form for what is never turned into something else, like an error.
func (c *call) plainForm(offers []rest.MediaType) (rest.Representation, error) {
	mediaType, w, ok := negotiate.Find(c.req.Header["Accept"], offers, negotiate.Plain)
	if !ok {
		return rest.Representation{}, notAcceptable(offers)
	}
	return rest.Representation{MediaType: mediaType, Pretty: c.pretty(w)}, nil
}

// streamForm is form for a watch, which is never indented.
func (c *call) streamRepresentation() (rest.Representation, error) {
	mediaType, w, ok := negotiate.Find(c.req.Header["Accept"], negotiate.StreamTypes, c.writable)
	if !ok {
		var offers []rest.MediaType
		for _, t := range negotiate.ObjectTypes(c.resource, negotiate.StreamTypes) {
			offers = append(offers, t+";stream=watch")
		}
		return rest.Representation{}, notAcceptable(offers)
	}
	return c.transformed(rest.Representation{MediaType: mediaType}, w.Transform)
}

// writable is negotiate.Transformable for the objects of the resource, which may have no protobuf,
// while their metadata always has, and the Status of a deletion. What nobody can read is in no
// table: a review, or a binding.
func (c *call) writable(offer rest.MediaType, w negotiate.Wish) bool {
	if w.Transform == negotiate.Steps && !c.writes() {
		return false
	}
	if w.Transform.Kind == negotiate.Table && c.resource.Get == nil && c.resource.List == nil && c.resource.Delete == nil {
		return false
	}
	if c.resource.Documents && offer == rest.Protobuf && w.Transform == (negotiate.Transform{}) && c.info.Verb != "delete" {
		return false
	}
	return negotiate.Transformable(offer, w)
}

// pretty says whether a person reads the answer. An explicit ?pretty= has the last word.
func (c *call) pretty(w negotiate.Wish) bool {
	if text := c.query.Get("pretty"); text != "" {
		wanted, _ := strconv.ParseBool(text)
		return wanted
	}
	agent := c.req.UserAgent()
	return w.Pretty || strings.HasPrefix(agent, "curl") || strings.HasPrefix(agent, "Wget") || strings.HasPrefix(agent, "Mozilla/5.0")
}

// bodyType is the form of the body. A body without a type is JSON: kubectl scale sends such.
func (c *call) bodyType() (rest.MediaType, error) {
	if t, ok := serializer.TypeOf(c.req.Header.Get("Content-Type")); ok {
		return rest.MediaType(t.MediaType), nil
	}
	return "", unsupportedMediaType(negotiate.Join(negotiate.MediaTypes))
}

// objectType is bodyType for an object of the resource.
func (c *call) objectType() (rest.MediaType, error) {
	mediaType, err := c.bodyType()
	if types := negotiate.ObjectTypes(c.resource, negotiate.MediaTypes); err == nil && !slices.Contains(types, mediaType) {
		err = unsupportedMediaType(negotiate.Join(types))
	}
	return mediaType, err
}

func unsupportedMediaType(accepted string) error {
	return statusError(http.StatusUnsupportedMediaType, metav1.StatusReasonUnsupportedMediaType,
		"the body of the request was in an unknown format - accepted media types include: "+accepted)
}

func notAcceptable(offers []rest.MediaType) error {
	return statusError(http.StatusNotAcceptable, metav1.StatusReasonNotAcceptable,
		"only the following media types are accepted: "+negotiate.Join(offers))
}

func statusError(code int32, reason metav1.StatusReason, message string) error {
	return &apierrors.StatusError{ErrStatus: metav1.Status{Status: metav1.StatusFailure, Code: code, Reason: reason, Message: message}}
}
