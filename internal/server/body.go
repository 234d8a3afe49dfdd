package server

import (
	"encoding/hex"
	"errors"
	"fmt"
	"io"
	"os"
	"time"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/typeplane/typeplane/internal/server/pacing"
	"github.com/typeplane/typeplane/registry/rest"
	"github.com/typeplane/typeplane/runtime"
	"github.com/typeplane/typeplane/runtime/serializer"
)

// largeBody is from where on a body waits for memory. What is made of it takes several times as
// much.
const largeBody = 64 << 10

// waitMemory is what it waits by, another in a test.
var waitMemory = pacing.WaitMemory

// readBody reads all of the body, or answers 413.
func (s *Server) readBody(c *call) ([]byte, error) {
	limit, length := s.config.MaxBody, c.req.ContentLength
	if length > limit {
		return nil, tooLarge(limit)
	}
	if until, ok := c.ctx.Deadline(); ok && !time.Now().Before(until) {
		return nil, errNoTime // the body has had no chance
	}
	if length < 0 || length > largeBody {
		waitMemory()
	}
	if length >= 0 {
		body := make([]byte, length)
		_, err := io.ReadFull(c.req.Body, body)
		return body, bodyError(err)
	}
	body, err := io.ReadAll(io.LimitReader(c.req.Body, limit+1))
	if err == nil && int64(len(body)) > limit {
		return nil, tooLarge(limit)
	}
	return body, bodyError(err)
}

func tooLarge(limit int64) error {
	return apierrors.NewRequestEntityTooLargeError(fmt.Sprintf("limit is %d", limit))
}

var (
	errSlowBody = apierrors.NewTimeoutError("the body of the request did not arrive in time", 0)
	errNoTime   = apierrors.NewTimeoutError("request did not complete within the allotted timeout", 0)
)

func bodyError(err error) error {
	switch {
	case err == nil:
		return nil
	case errors.Is(err, os.ErrDeadlineExceeded):
		return errSlowBody
	}
	return apierrors.NewBadRequest(fmt.Sprintf("the body of the request could not be read: %v", err))
}

// decode makes an object of the body. It has to be of the kind and version that the path is about.
// Fields that are unknown or there twice are an error, a warning or nothing, as the client wants
// it.
func (s *Server) decode(c *call, body []byte, fieldValidation string) (runtime.Object, error) {
	mediaType, err := c.objectType()
	if err != nil {
		return nil, err
	}
	want := c.resource.SentKind()
	decoded, err := s.decodeBody(c.resource, body, serializer.MediaType(mediaType))
	got := decoded.GroupVersionKind
	switch {
	case apierrors.IsRequestEntityTooLargeError(err):
		return nil, err
	case err != nil && got.Kind == "":
		return nil, apierrors.NewBadRequest(fmt.Sprintf("the object provided is unrecognized (must be of type %s): %v (%s)", want.Kind, err, excerpt(body)))
	case err == nil && got.GroupVersion() != want.GroupVersion():
		return nil, apierrors.NewBadRequest(fmt.Sprintf("the API version in the data (%s) does not match the expected API version (%s)", got.GroupVersion(), want.GroupVersion()))
	case err == nil && got.Kind != want.Kind:
		err = fmt.Errorf("the path %s takes objects of kind %s only", c.info.Path, want.Kind)
		fallthrough
	case err != nil:
		if c.resource.Documents && got == want {
			if status := c.resource.Misread(decoded.JSON, fieldValidation == metav1.FieldValidationStrict); status != nil {
				return nil, status
			}
		}
		return nil, cannotHandle(got.Kind, got.Version, want.Kind, err)
	}
	c.recordObject(decoded.Object)
	c.request.Sent = rest.Sent{Bytes: body, MediaType: mediaType}
	obj := decoded.Object
	if decoded.JSON != nil && c.resource.Texts {
		obj = rest.Document{Body: obj, JSON: decoded.JSON}
	}
	if len(decoded.Strict) == 0 {
		return obj, nil
	}
	switch fieldValidation {
	case metav1.FieldValidationStrict:
		return nil, cannotHandle(got.Kind, got.Version, want.Kind, decoded.StrictError())
	case metav1.FieldValidationIgnore:
	default:
		for _, err := range decoded.Strict {
			c.warn(err.Error())
		}
	}
	return obj, nil
}

// decodeBody reads what the resource takes: a kind of the Scheme, or its own. body never changes
// again: strings of the object may be parts of it.
func (s *Server) decodeBody(r *rest.Resource, body []byte, mediaType serializer.MediaType) (serializer.Decoded, error) {
	want := r.SentKind()
	if r.NewBody == nil {
		return serializer.DecodeBody(s.config.Scheme, body, mediaType, want)
	}
	obj := r.NewBody()
	got, strict, err := serializer.DecodeInto(body, mediaType, want, obj)
	return serializer.Decoded{Object: obj, GroupVersionKind: got, Strict: strict}, err
}

func cannotHandle(kind, version, want string, err error) error {
	return apierrors.NewBadRequest(fmt.Sprintf("%s in version %q cannot be handled as a %s: %v", kind, version, want, err))
}

// excerpt shows the beginning of a body: as text if it looks like JSON, else in hexadecimal.
func excerpt(body []byte) string {
	const length = 30
	switch {
	case len(body) == 0:
		return "<empty>"
	case body[0] == '{' && len(body) > length:
		return string(body[:length]) + " ..."
	case body[0] == '{':
		return string(body)
	case len(body) > length:
		return hex.EncodeToString(body[:length]) + " ..."
	}
	return hex.EncodeToString(body)
}
