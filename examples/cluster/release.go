//go:build !earlier && !later

package main

import "github.com/typeplane/typeplane"

// release is the server of this release: all that is in the tree. The build tags earlier and later
// make the program of the release before it and of the one after it, to try an upgrade (see the
// README).
func release(s typeplane.Server) typeplane.Server { return s }
