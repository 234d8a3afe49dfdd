// Package debug lets a measured server be profiled without a flag or a port of the product:
// net/http/pprof on a unix socket that only the harness knows. While nobody asks it costs one
// sleeping goroutine.
package debug

import (
	"net"
	"net/http"
	"net/http/pprof"
	"runtime"
	runtimedebug "runtime/debug"
)

// Serve answers on the unix socket file for as long as the process lives.
//
// Besides what pprof has, /collect collects garbage once, so that memory is measured at a
// comparable moment. /release also gives back to the system what is free then.
func Serve(socket string) error {
	listener, err := net.Listen("unix", socket)
	if err != nil {
		return err
	}
	mux := http.NewServeMux()
	mux.HandleFunc("/debug/pprof/", pprof.Index)
	mux.HandleFunc("/debug/pprof/profile", pprof.Profile)
	mux.HandleFunc("/collect", func(http.ResponseWriter, *http.Request) { runtime.GC() })
	mux.HandleFunc("/release", func(http.ResponseWriter, *http.Request) { runtimedebug.FreeOSMemory() })
	go http.Serve(listener, mux)
	return nil
}
