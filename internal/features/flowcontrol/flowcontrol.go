// Package flowcontrol has flow schemas and priority levels, the objects by which an operator says
// how users share a server.
//
// Start reading at API. The kinds are in the folder below; schema.go and level.go have their rules
// and columns. What they mean is in package fairness, and config.go translates. keeper.go follows
// the objects, hands them to the server's fairness.Controller, and makes those that every server
// has (bootstrap.go).
//
// A server that does not serve the kinds is fair nevertheless, by the same levels.
//
// +typeplane:apiserver
package flowcontrol

import (
	"context"
	"errors"

	flowcontrolv1 "k8s.io/api/flowcontrol/v1"

	"github.com/typeplane/typeplane"
	"github.com/typeplane/typeplane/internal/program"
	"github.com/typeplane/typeplane/internal/server"
	"github.com/typeplane/typeplane/registry/rest"
)

// API returns flow schemas and priority levels for a server that asks for them.
func API() typeplane.API {
	api := newAPI()
	api.Extend = extend
	return api
}

var errHalf = errors.New("--enable-api: flowschemas and prioritylevelconfigurations say together how users share the server: name both, or none")

func extend(_ context.Context, h *typeplane.Host) error {
	resource := func(name, subresource string) *rest.Resource {
		return h.Resource(flowcontrolv1.SchemeGroupVersion.WithResource(name), subresource)
	}
	schemas, levels := resource("flowschemas", ""), resource("prioritylevelconfigurations", "")
	if schemas == nil || levels == nil {
		return errHalf
	}
	controller := program.Fairness(h)
	if controller == nil {
		h.Log.Warn("flow schemas and priority levels have no effect, since fairness is off: see --enable-priority-and-fairness")
		return nil
	}
	k := &keeper{
		schemas: schemas, status: resource("flowschemas", "status"),
		levels: levels, levelStatus: resource("prioritylevelconfigurations", "status"),
		controller: controller, changed: make(chan struct{}, 1), log: h.Log,
	}
	h.Readyz = append(h.Readyz, server.Check{Name: "flowcontrol", Check: k.Ready})
	h.Go(k.run)
	return nil
}
