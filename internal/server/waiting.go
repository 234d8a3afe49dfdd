package server

import (
	"context"
	"crypto/tls"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"net"
	"net/http"
	"sync"
	"sync/atomic"
	"time"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/typeplane/typeplane/internal/server/transport"
)

// Waiting answers requests while there is no Server yet. Everything but /livez gets 503 with a
// Status that says why. So nobody hangs, and nobody kills a process that waits. Its methods may be
// called from any goroutine.
type Waiting struct {
	reason   atomic.Pointer[string]
	srv      *http.Server
	listener *borrowed
	served   chan struct{}
	ended    sync.Once
	endErr   error
}

// Wait begins to answer what comes in through the listener. End must follow; then the listener is
// as it was, and may be given to Serve. The tls.Config is as for Serve.
func Wait(listener net.Listener, config *tls.Config, reason string, log *slog.Logger) (*Waiting, error) {
	deadlines, ok := listener.(deadliner)
	if !ok {
		return nil, fmt.Errorf("server: a %T can't be lent: it has no SetDeadline", listener)
	}
	w := &Waiting{listener: &borrowed{Listener: listener, deadliner: deadlines}, served: make(chan struct{})}
	w.Say(reason)
	var err error
	if w.srv, err = transport.NewServer(w, config, 0, slog.NewLogLogger(log.Handler(), slog.LevelDebug)); err != nil {
		return nil, err
	}
	go func() {
		defer close(w.served)
		if config == nil {
			w.srv.Serve(w.listener) // its error is that it was ended
			return
		}
		w.srv.ServeTLS(w.listener, "", "")
	}()
	return w, nil
}

// Say changes the reason. It is told to everybody.
func (w *Waiting) Say(reason string) { w.reason.Store(&reason) }

// endWithin is how long connections have to get the answers that they wait for.
const endWithin = 100 * time.Millisecond

// End stops answering. Connections that come now wait until somebody else takes them. An error
// means that the listener is of no use any more, as one that was closed. It may be called more than
// once.
func (w *Waiting) End() error {
	w.ended.Do(func() { w.endErr = w.end() })
	return w.endErr
}

func (w *Waiting) end() error {
	if err := w.listener.giveBack(); err != nil {
		return errors.Join(err, w.srv.Close())
	}
	<-w.served
	ctx, cancel := context.WithTimeout(context.Background(), endWithin)
	defer cancel()
	if w.srv.Shutdown(ctx) != nil {
		w.srv.Close()
	}
	return w.listener.release()
}

// ServeHTTP implements http.Handler.
func (w *Waiting) ServeHTTP(out http.ResponseWriter, req *http.Request) {
	header := out.Header()
	header.Set("Cache-Control", defaultCacheControl)
	if req.URL.Path == "/livez" || req.URL.Path == "/livez/ping" {
		header.Set("Content-Type", plainText)
		io.WriteString(out, "ok")
		return
	}
	header.Set("Content-Type", "application/json")
	header.Set("Retry-After", retryWhenBusy)
	header.Set("Connection", "close") // what comes next is for the server
	out.WriteHeader(http.StatusServiceUnavailable)
	out.Write(encodeJSON(metav1.Status{
		TypeMeta: metav1.TypeMeta{Kind: "Status", APIVersion: "v1"},
		Status:   metav1.StatusFailure,
		Message:  fmt.Sprintf("the server is starting: %s", *w.reason.Load()),
		Reason:   metav1.StatusReasonServiceUnavailable,
		Details:  &metav1.StatusDetails{RetryAfterSeconds: 1},
		Code:     http.StatusServiceUnavailable,
	}, ""))
}

// deadliner is what the listeners of package net can.
type deadliner interface{ SetDeadline(time.Time) error }

// borrowed is a listener that its borrower does not close, and that can be taken back.
type borrowed struct {
	net.Listener
	deadliner
	wanted atomic.Bool // back
}

// Accept implements net.Listener. net/http would try again after an error that is only a matter of
// time.
func (b *borrowed) Accept() (net.Conn, error) {
	conn, err := b.Listener.Accept()
	if err != nil && b.wanted.Load() {
		return nil, net.ErrClosed
	}
	return conn, err
}

// Close implements net.Listener.
func (b *borrowed) Close() error { return nil }

// giveBack ends Accept, and release lets somebody else accept.
func (b *borrowed) giveBack() error {
	b.wanted.Store(true)
	return b.SetDeadline(time.Unix(1, 0))
}

func (b *borrowed) release() error { return b.SetDeadline(time.Time{}) }
