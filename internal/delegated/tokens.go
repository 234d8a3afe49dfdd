package delegated

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"slices"
	"time"

	authenticationv1 "k8s.io/api/authentication/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/typeplane/typeplane/auth"
)

// maxToken is the longest token that is sent anywhere, in bytes: the headers of a request can have
// more.
const maxToken = 64 << 10

// Tokens knows bearer tokens by asking for a TokenReview. It is safe for concurrent use.
type Tokens struct {
	client *Client
	path   string
	// audiences are this server's own names.
	audiences []string
	cache     *cache[authenticationv1.TokenReviewStatus]
}

var _ auth.TokenAuthenticator = (*Tokens)(nil)

// NewTokens asks the cluster that client reaches. With audiences a token must be meant for one of
// them that the caller asks for too. Without audiences it must be meant for the cluster itself,
// whatever the caller asks for. Answers of either kind are good for ttl.
func NewTokens(client *Client, audiences []string, ttl time.Duration) *Tokens {
	return newTokens(client, "/apis/authentication.k8s.io/v1/tokenreviews", audiences, ttl)
}

// NewTokenWebhook is NewTokens for a webhook at the client's URL.
func NewTokenWebhook(client *Client, audiences []string, ttl time.Duration) *Tokens {
	return newTokens(client, "", audiences, ttl)
}

func newTokens(client *Client, path string, audiences []string, ttl time.Duration) *Tokens {
	always := func(authenticationv1.TokenReviewStatus) time.Duration { return ttl }
	return &Tokens{client: client, path: path, audiences: audiences, cache: newCache(always)}
}

// AuthenticateToken returns an error if there was no answer, or one that gives a reason why the
// token is not good.
func (t *Tokens) AuthenticateToken(ctx context.Context, token string, audiences []string) (*auth.Token, error) {
	if len(token) > maxToken {
		return nil, errors.New("delegated: the token is too long for a review")
	}
	spec := authenticationv1.TokenReviewSpec{Token: token}
	if len(t.audiences) > 0 {
		spec.Audiences = audiences
	}
	status, err := t.cache.get(ctx, spec, func(ctx context.Context) (authenticationv1.TokenReviewStatus, error) {
		return t.review(ctx, spec)
	})
	if err != nil {
		return nil, fmt.Errorf("delegated: TokenReview: %w", err)
	}
	if !status.Authenticated {
		if status.Error != "" {
			return nil, fmt.Errorf("delegated: TokenReview: %s", status.Error)
		}
		return nil, nil
	}
	if status.User.Username == "" {
		return nil, errors.New("delegated: TokenReview: the token is good, and the user has no name")
	}
	meant, ok := t.meant(spec.Audiences, status.Audiences)
	if !ok {
		return nil, nil
	}
	if len(spec.Audiences) == 0 {
		meant = audiences
	}
	return &auth.Token{User: userOf(status.User), Audiences: meant}, nil
}

// meant returns those of the audiences asked for that the token is meant for. A reviewer that names
// none knows of none: the token is meant for itself, and for us if that is one of our own names.
func (t *Tokens) meant(asked, got []string) (both []string, ok bool) {
	if len(asked) == 0 {
		return nil, true
	}
	if len(got) == 0 {
		got = t.audiences
	}
	for _, a := range asked {
		if slices.Contains(got, a) {
			both = append(both, a)
		}
	}
	return both, len(both) > 0
}

func (t *Tokens) review(ctx context.Context, spec authenticationv1.TokenReviewSpec) (authenticationv1.TokenReviewStatus, error) {
	in := authenticationv1.TokenReview{
		TypeMeta: metav1.TypeMeta{APIVersion: "authentication.k8s.io/v1", Kind: "TokenReview"},
		Spec:     spec,
	}
	var out authenticationv1.TokenReview
	if err := t.client.call(ctx, http.MethodPost, t.path, in, &out); err != nil {
		return out.Status, err
	}
	return out.Status, checkAnswer(in.TypeMeta, out.TypeMeta)
}

// checkAnswer refuses what is no review: an empty one would be a no that nobody said.
func checkAnswer(want, got metav1.TypeMeta) error {
	if got != want {
		return fmt.Errorf("the answer is of kind %q in %q, not %s in %s", got.Kind, got.APIVersion, want.Kind, want.APIVersion)
	}
	return nil
}

// userOf copies: what is in a cache is everybody's.
func userOf(info authenticationv1.UserInfo) *auth.User {
	out := &auth.User{Name: info.Username, UID: info.UID, Groups: slices.Clone(info.Groups)}
	for key, values := range info.Extra {
		if out.Extra == nil {
			out.Extra = map[string][]string{}
		}
		out.Extra[key] = slices.Clone(values)
	}
	return out
}
