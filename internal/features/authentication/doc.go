// Package authentication serves the reviews of authentication.k8s.io/v1, which say who sends a
// request. The authenticators of the server answer a review when it is created, and nothing is
// stored. Start reading at API.
package authentication

import (
	"context"
	"errors"

	authenticationv1 "k8s.io/api/authentication/v1"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/apimachinery/pkg/util/validation/field"

	"github.com/typeplane/typeplane"
	"github.com/typeplane/typeplane/auth"
	v1 "github.com/typeplane/typeplane/internal/features/authentication/v1"
	"github.com/typeplane/typeplane/internal/features/internal/review"
	"github.com/typeplane/typeplane/registry/rest"
)

var gv = authenticationv1.SchemeGroupVersion

// API returns the reviews for a server that asks for them.
func API() typeplane.API {
	return typeplane.API{
		Virtual: []string{"tokenreviews", "selfsubjectreviews"},
		OpenAPI: map[schema.GroupVersion]string{gv: v1.OpenAPISchemas},
		Extend: func(_ context.Context, h *typeplane.Host) error {
			return errors.Join(
				review.Add(h, gv, "TokenReview", false, tokens{h.Tokens, h.Audiences}.whose),
				review.Add(h, gv, "SelfSubjectReview", false, self),
			)
		},
	}
}

// tokens answers whose a token is.
type tokens struct {
	known     auth.TokenAuthenticator
	audiences []string // of this server
}

func (t tokens) whose(ctx context.Context, _ rest.Name, r *authenticationv1.TokenReview) error {
	errs := review.NoMetadata(r.ObjectMeta)
	if r.Spec.Token == "" {
		errs = append(errs, field.Invalid(field.NewPath("spec", "token"), "", "token is required for TokenReview in authentication"))
	}
	if err := review.Invalid(gv.WithKind("TokenReview").GroupKind(), errs); err != nil {
		return err
	}
	audiences := r.Spec.Audiences
	if len(audiences) == 0 {
		audiences = t.audiences
	}
	r.Status = authenticationv1.TokenReviewStatus{}
	found, err := t.known.AuthenticateToken(ctx, r.Spec.Token, audiences)
	if err != nil {
		r.Status.Error = err.Error()
	}
	if found != nil {
		r.Status.Authenticated, r.Status.User, r.Status.Audiences = true, userInfo(found.User), found.Audiences
	}
	return nil
}

// self answers who asks: with impersonation, whom they act as.
func self(ctx context.Context, _ rest.Name, r *authenticationv1.SelfSubjectReview) error {
	if err := review.Invalid(gv.WithKind("SelfSubjectReview").GroupKind(), review.NoMetadata(r.ObjectMeta)); err != nil {
		return err
	}
	r.Status.UserInfo = userInfo(auth.UserFrom(ctx))
	return nil
}

func userInfo(u *auth.User) authenticationv1.UserInfo {
	info := authenticationv1.UserInfo{Username: u.Name, UID: u.UID, Groups: u.Groups}
	for key, values := range u.Extra {
		if info.Extra == nil {
			info.Extra = map[string]authenticationv1.ExtraValue{}
		}
		info.Extra[key] = values
	}
	return info
}
