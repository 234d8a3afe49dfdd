package auth

import (
	"context"
	"errors"
	"strings"
)

// Authorizers asks one after the other: the first that allows or denies decides. An error of one
// does not keep the next from being asked; when all are without an opinion, their reasons and
// errors come together.
type Authorizers []Authorizer

var _ Authorizer = Authorizers(nil)

// Authorize is safe for concurrent use as long as the list is not modified.
func (list Authorizers) Authorize(ctx context.Context, a Attributes) (Decision, string, error) {
	var reasons []string
	var errs []error
	for _, next := range list {
		decision, reason, err := next.Authorize(ctx, a)
		if decision != NoOpinion {
			return decision, reason, err
		}
		if reason != "" {
			reasons = append(reasons, reason)
		}
		errs = append(errs, err)
	}
	return NoOpinion, strings.Join(reasons, "\n"), errors.Join(errs...)
}

// Everybody allows everything. It is for a server behind another one that has decided already, and
// for experiments.
type Everybody struct{}

// Authorize never fails.
func (Everybody) Authorize(context.Context, Attributes) (Decision, string, error) {
	return Allow, "", nil
}
