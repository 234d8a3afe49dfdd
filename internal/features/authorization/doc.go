// Package authorization serves the reviews of authorization.k8s.io/v1, which say what a user may
// do. The authorizer of the server answers a review when it is created, and nothing is stored.
// Start reading at API; each review is a function in access.go or rules.go.
package authorization

import (
	"context"
	"errors"

	authorizationv1 "k8s.io/api/authorization/v1"
	"k8s.io/apimachinery/pkg/runtime/schema"

	"github.com/typeplane/typeplane"
	v1 "github.com/typeplane/typeplane/internal/features/authorization/v1"
	"github.com/typeplane/typeplane/internal/features/internal/review"
)

// API returns the reviews for a server that asks for them.
func API() typeplane.API {
	gv := authorizationv1.SchemeGroupVersion
	return typeplane.API{
		Virtual: []string{"subjectaccessreviews", "localsubjectaccessreviews", "selfsubjectaccessreviews", "selfsubjectrulesreviews"},
		OpenAPI: map[schema.GroupVersion]string{gv: v1.OpenAPISchemas},
		Extend: func(_ context.Context, h *typeplane.Host) error {
			a := answers{h.Authorizer}
			return errors.Join(
				review.Add(h, gv, "SubjectAccessReview", false, a.subject),
				review.Add(h, gv, "LocalSubjectAccessReview", true, a.local),
				review.Add(h, gv, "SelfSubjectAccessReview", false, a.self),
				review.Add(h, gv, "SelfSubjectRulesReview", false, a.rules),
			)
		},
	}
}
