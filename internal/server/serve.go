package server

import (
	"context"
	"crypto/tls"
	"errors"
	"fmt"
	"log"
	"log/slog"
	"net"
	"net/http"
	"time"

	"github.com/typeplane/typeplane/internal/server/transport"
)

// Serve answers requests that come in through the listener until ctx ends, and then stops in good
// order. /readyz fails at once. After Config.ShutdownDelay no more connections are taken and
// watches end, see Config.WatchDrain. Requests in flight finish, for at most
// Config.ShutdownTimeout. The listener is closed when Serve returns. Serve may be called for
// several listeners at once; it returns nil after an orderly stop. The context of a request has the
// values of ctx.
//
// The tls.Config needs certificates only. Serve fills in HTTP/2, TLS 1.2 as the lowest version, its
// cipher suites but those with CBC, and asking for a client certificate. GetConfigForClient has to
// do this for itself. Nil means no TLS, over which kubectl sends no credentials.
func (s *Server) Serve(ctx context.Context, listener net.Listener, tlsConfig *tls.Config) error {
	srv, err := transport.NewServer(s, tlsConfig, s.config.MaxStreams, s.errorLog())
	if err != nil {
		return fmt.Errorf("server: %w", err)
	}
	srv.BaseContext = func(net.Listener) context.Context { return context.WithoutCancel(ctx) }
	failed := make(chan error, 1)
	go func() {
		if tlsConfig == nil {
			failed <- srv.Serve(listener)
			return
		}
		failed <- srv.ServeTLS(listener, "", "")
	}()

	select {
	case err := <-failed:
		return fmt.Errorf("server: serve on %s: %w", listener.Addr(), err)
	case <-ctx.Done():
	}
	s.stopping.Store(true)
	select {
	case err := <-failed:
		return fmt.Errorf("server: serve on %s: %w", listener.Addr(), err)
	case <-time.After(s.config.ShutdownDelay):
	}
	s.endWatches()
	return s.drain(srv)
}

// drain waits for requests in flight and cuts off those that take too long.
func (s *Server) drain(srv *http.Server) error {
	ctx, cancel := context.WithTimeout(context.Background(), s.config.ShutdownTimeout)
	defer cancel()
	err := errors.Join(srv.Shutdown(ctx), s.taken.drain(ctx))
	if errors.Is(err, context.DeadlineExceeded) {
		closeErr := srv.Close()
		return errors.Join(fmt.Errorf("server: requests were still in flight %s after the stop and have been cut off", s.config.ShutdownTimeout), closeErr)
	}
	return err
}

// errorLog gives net/http's own complaints (bad TLS handshakes) to our log.
func (s *Server) errorLog() *log.Logger {
	return slog.NewLogLogger(s.config.Log.Handler(), slog.LevelDebug)
}
