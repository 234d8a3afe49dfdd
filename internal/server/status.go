package server

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"slices"
	"strconv"
	"strings"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime/schema"

	"github.com/typeplane/typeplane/internal/server/negotiate"
	"github.com/typeplane/typeplane/registry/rest"
)

// errPageNotFound is the answer to a path that belongs to nothing we serve.
var errPageNotFound = errors.New("404 page not found")

func notFound() error {
	return apierrors.NewGenericServerResponse(http.StatusNotFound, "", schema.GroupResource{}, "", "", 0, false)
}

func methodNotAllowed() error {
	return apierrors.NewGenericServerResponse(http.StatusMethodNotAllowed, "", schema.GroupResource{}, "", "", 0, false)
}

// fail answers with an error, as a Status in the form that the client asked for, or in JSON if that
// is impossible. If an answer has begun, the connection is cut: half an answer must not look like a
// whole one.
func (s *Server) fail(c *call, err error) {
	if c.w.begun {
		if c.ctx.Err() == nil {
			s.config.Log.Error("an answer broke off", "error", err, "method", c.req.Method, "path", c.req.URL.Path)
		}
		panic(http.ErrAbortHandler)
	}
	switch {
	case errors.Is(err, errPageNotFound):
		http.Error(c.w, errPageNotFound.Error(), http.StatusNotFound)
		return
	case errors.Is(err, errTooManyRequests):
		refuse(c.w, err)
		return
	}
	status := statusOf(err)
	c.failure = status
	header := c.w.Header()
	if status.Details != nil && status.Details.RetryAfterSeconds > 0 {
		header.Set("Retry-After", strconv.Itoa(int(status.Details.RetryAfterSeconds)))
	}
	if status.Code == http.StatusForbidden {
		header.Set("X-Content-Type-Options", "nosniff")
	}
	if atFault(c, err, status) {
		s.config.Log.Error("a request failed", "error", err, "method", c.req.Method, "path", c.req.URL.Path, "auditID", header.Get(headerAuditID))
	}
	rep, negotiateErr := c.plainForm(negotiate.MediaTypes)
	if negotiateErr != nil {
		rep = rest.Representation{MediaType: rest.JSON}
	}
	if err := c.send(int(status.Code), structView{status}, rep); err != nil {
		s.config.Log.Debug("a status could not be sent", "error", err)
		panic(http.ErrAbortHandler)
	}
}

// atFault says whether an error tells of a problem that whoever runs the server should know of. It
// does not when the client sends too slowly, gives no time, has left, or asks for a revision to
// come.
func atFault(c *call, err error, status *metav1.Status) bool {
	if status.Code < http.StatusInternalServerError || c.req.Context().Err() != nil || errors.Is(err, errSlowBody) || errors.Is(err, errNoTime) {
		return false
	}
	return status.Details == nil || !slices.ContainsFunc(status.Details.Causes, func(cause metav1.StatusCause) bool {
		return cause.Type == metav1.CauseTypeResourceVersionTooLarge
	})
}

// statusOf is the one place where errors become statuses. An error that nobody gave a status is a
// 500 with its text.
func statusOf(err error) *metav1.Status {
	var withStatus apierrors.APIStatus
	var status metav1.Status
	switch {
	case errors.As(err, &withStatus):
		status = withStatus.Status()
	case errors.Is(err, context.DeadlineExceeded), errors.Is(err, context.Canceled):
		status = errNoTime.ErrStatus
	default:
		status = metav1.Status{Reason: metav1.StatusReasonUnknown, Message: err.Error()}
	}
	status.TypeMeta = metav1.TypeMeta{Kind: "Status", APIVersion: "v1"}
	setDefault(&status.Status, metav1.StatusFailure)
	setDefault(&status.Code, http.StatusInternalServerError)
	shorten(&status)
	return &status
}

// maxStatusText is how much of a text in a Status is sent. What a client sent can be in several of
// them, so that without a bound the answer could have many times the bytes of the request.
const maxStatusText = 8 << 10

// shorten cuts the texts. The details belong to the error and are copied before they change.
func shorten(status *metav1.Status) {
	status.Message = firstBytes(status.Message, maxStatusText)
	if status.Details == nil {
		return
	}
	details := *status.Details
	details.Name = firstBytes(details.Name, maxStatusText)
	details.Causes = slices.Clone(details.Causes)
	for i := range details.Causes {
		details.Causes[i].Message = firstBytes(details.Causes[i].Message, maxStatusText)
	}
	status.Details = &details
}

// firstBytes says how much it left out, and cuts no character in two.
func firstBytes(text string, n int) string {
	if len(text) <= n {
		return text
	}
	head := strings.ToValidUTF8(text[:n], "")
	return fmt.Sprintf("%s... (%d more bytes)", head, len(text)-len(head))
}
