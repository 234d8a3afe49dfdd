package server

import (
	"context"
	"net/http"
	"net/url"
	"sync/atomic"

	"github.com/prometheus/client_golang/prometheus"
	"k8s.io/apimachinery/pkg/runtime/schema"

	"github.com/typeplane/typeplane/auth"
	"github.com/typeplane/typeplane/internal/fairness"
	"github.com/typeplane/typeplane/internal/server/metrics"
	"github.com/typeplane/typeplane/registry/rest"
	"github.com/typeplane/typeplane/trace"
)

// Server answers requests. It is safe for concurrent use, as an http.Handler or by Serve.
type Server struct {
	config Config
	// resources and groupVersions are what route looks things up in; documents are the answers to
	// paths that are no resources. None of them is modified after New.
	resources     map[schema.GroupVersionResource]*rest.Resource
	groupVersions map[schema.GroupVersion]bool
	documents     map[string]func(*call) error

	reading, writing places // for requests that change nothing, and for the others

	requests              *metrics.Requests
	readCount, writeCount place
	events                map[*rest.Resource]prometheus.Counter // of watches

	steps   []step
	console http.Handler // nil if there is none

	stopping   atomic.Bool // makes /readyz fail
	watches    watches
	watching   context.Context
	endWatches context.CancelFunc // ends every watch
	taken      taken
}

var _ http.Handler = (*Server)(nil)

// call is one request on its way through the server. It stays on the goroutine of the request.
type call struct {
	w     *response
	req   *http.Request
	query url.Values
	info  requestInfo
	// badQuery and badPath are what is wrong with the line of the request.
	badQuery, badPath error
	// user is nil on a public path that was asked for without a credential.
	user *auth.User
	// impersonator is who sent the request, where user is somebody else whom they act as.
	impersonator *auth.User
	// ctx is the context of the request with its deadline; it takes the place of req.Context().
	ctx context.Context
	// cancel and release are called when the request is answered: ctx ends, and its place is free.
	// Nil: there is nothing to be done.
	cancel, release func()
	// turn is that of the request, if Config.Fairness is set.
	turn fairness.Turn
	// resource is what the path names. The rest of the server may read it only below route.
	resource *rest.Resource
	// request is what verbs that write are given.
	request rest.Request
	// warnings go into the header of the answer.
	warnings []string
	auditing
	// span is what the Tracer keeps of the request.
	span trace.Step
}
