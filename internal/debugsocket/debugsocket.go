// Package debugsocket lets a measured server be profiled without a flag or a port of the product:
// net/http/pprof on a unix socket that only the harness knows. While nobody asks it costs one
// sleeping goroutine.
package debugsocket

import (
	"bytes"
	"net"
	"net/http"
	"net/http/pprof"
	"runtime"
	runtimedebug "runtime/debug"
	runtimepprof "runtime/pprof"
	"sync"
)

// Serve answers on the unix socket file for as long as the process lives.
//
// It has what pprof has. At /cpu a profile ends that began when it was asked the last time, and the
// next begins. At /collect garbage is collected once, so that memory is measured at a comparable
// moment. At /release what is free then goes back to the system, too.
func Serve(socket string) error {
	listener, err := net.Listen("unix", socket)
	if err != nil {
		return err
	}
	mux := http.NewServeMux()
	mux.HandleFunc("/debug/pprof/", pprof.Index)
	mux.HandleFunc("/debug/pprof/profile", pprof.Profile)
	mux.Handle("/cpu", new(turns))
	mux.HandleFunc("/collect", func(http.ResponseWriter, *http.Request) { runtime.GC() })
	mux.HandleFunc("/release", func(http.ResponseWriter, *http.Request) { runtimedebug.FreeOSMemory() })
	go http.Serve(listener, mux)
	return nil
}

// turns are CPU profiles, each of which begins where the one before ends.
type turns struct {
	mu     sync.Mutex
	taking bytes.Buffer
}

func (t *turns) ServeHTTP(w http.ResponseWriter, _ *http.Request) {
	t.mu.Lock()
	defer t.mu.Unlock()
	runtimepprof.StopCPUProfile()
	w.Write(t.taking.Bytes())
	t.taking.Reset()
	if err := runtimepprof.StartCPUProfile(&t.taking); err != nil {
		http.Error(w, err.Error(), http.StatusConflict)
	}
}
