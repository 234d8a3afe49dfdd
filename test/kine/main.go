// Command kine is the program of github.com/k3s-io/kine, which answers like an etcd and keeps what
// it is given in PostgreSQL. It is built here so that a test can run a server over it, see
// test/cluster. SQLite is left out: that would take a compiler for C.
package main

import (
	"context"
	"errors"
	"fmt"
	"os"

	"github.com/k3s-io/kine/pkg/app"
)

func main() {
	if err := app.New().Run(os.Args); err != nil && !errors.Is(err, context.Canceled) {
		fmt.Fprintln(os.Stderr, "kine:", err)
		os.Exit(1)
	}
}
