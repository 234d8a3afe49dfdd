package e2e

import "testing"

// TestUsersPage runs the commands of docs/users.md, which starts its server itself.
func TestUsersPage(t *testing.T) { tellAlone(t, "../../docs/users.md", nil) }
