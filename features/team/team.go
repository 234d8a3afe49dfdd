// Package team lists what a server needs that several people and programs share.
//
// For all there are namespaces, roles, and reviews of who one is and what one may do. Controllers
// get leases and events, programs service accounts and their tokens, and people requests for
// certificates. Operators say how all of these share the server. What has lost its
// owners is collected. A program asks for all that in one line, typeplane.Server{…, APIs:
// team.APIs()}. It is a package of its own because a program that imports features links all of
// them.
package team

import (
	"github.com/typeplane/typeplane"
	"github.com/typeplane/typeplane/internal/features/authentication"
	"github.com/typeplane/typeplane/internal/features/authorization"
	"github.com/typeplane/typeplane/internal/features/certificates"
	"github.com/typeplane/typeplane/internal/features/credential"
	"github.com/typeplane/typeplane/internal/features/events"
	"github.com/typeplane/typeplane/internal/features/flowcontrol"
	"github.com/typeplane/typeplane/internal/features/garbage"
	"github.com/typeplane/typeplane/internal/features/lease"
	"github.com/typeplane/typeplane/internal/features/namespace"
	"github.com/typeplane/typeplane/internal/features/rbac"
	"github.com/typeplane/typeplane/internal/features/serviceaccount"
)

// APIs returns them, in the order in which --enable-api shows them and plug-ins are asked.
func APIs() []typeplane.API {
	return []typeplane.API{
		namespace.API(),
		serviceaccount.API(), // makes accounts in namespaces
		serviceaccount.TokenAPI(),
		events.API(),
		lease.API(),
		credential.API(),
		garbage.API(),
		certificates.API(), // writes down what it signs in credentials
		flowcontrol.API(),
		rbac.API(),
		authorization.API(),
		authentication.API(),
	}
}
