//go:build profiled

package main

import (
	"log"
	"os"

	"github.com/typeplane/typeplane/internal/debugsocket"
)

// A server that is built with the tag profiled has profiles on a unix socket. No other has any.
func init() {
	if err := debugsocket.Serve(os.Getenv("DEBUG_SOCKET")); err != nil {
		log.Fatal("DEBUG_SOCKET: ", err)
	}
}
