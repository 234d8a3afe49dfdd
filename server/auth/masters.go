package auth

import "context"

// Masters allows members of system:masters everything and everybody else nothing.
type Masters struct{}

var _ Authorizer = Masters{}

// Authorize never fails.
func (Masters) Authorize(_ context.Context, a Attributes) (bool, string, error) {
	return a.User.In(GroupMasters), "", nil
}
