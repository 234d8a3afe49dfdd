// Command library takes the place of examples/library's own main.go when the oracle builds it: it
// has quotas and webhooks too.
package main

import (
	"github.com/typeplane/typeplane"
	"github.com/typeplane/typeplane/features"
)

func main() {
	s := newServer()
	s.APIs = features.All()
	typeplane.Main(s)
}
