package auth

import "context"

// Masters allows members of system:masters everything and has no opinion about everybody else.
type Masters struct{}

var _ Authorizer = Masters{}

// Authorize never fails.
func (Masters) Authorize(_ context.Context, a Attributes) (Decision, string, error) {
	if a.User.In(GroupMasters) {
		return Allow, "", nil
	}
	return NoOpinion, "", nil
}
