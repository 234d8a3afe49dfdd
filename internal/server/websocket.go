package server

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/url"
	"strings"

	"github.com/coder/websocket"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"k8s.io/apimachinery/pkg/runtime/schema"

	"github.com/typeplane/typeplane/auth"
	"github.com/typeplane/typeplane/internal/recovery"
	"github.com/typeplane/typeplane/registry/rest"
)

// checkOrigin refuses the WebSockets of pages that have another origin than this server and are not
// in Config.CORSOrigins: a browser lets every page open one, and adds its user's certificate. A
// page with a credential of its own needs none of that.
func (s *Server) checkOrigin(c *call) error {
	origin := c.req.Header.Get("Origin")
	switch {
	case origin == "" || !auth.IsWebSocket(c.req):
		return nil
	case c.user != nil && c.user.Deliberate:
		return nil
	case sameHost(origin, c.req.Host) || matchesAny(s.config.CORSOrigins, origin):
		return nil
	}
	return apierrors.NewForbidden(schema.GroupResource{Group: c.info.Group, Resource: c.info.Resource}, c.info.Name, fmt.Errorf(
		"a page of %s may open no WebSocket with a credential that its browser adds: let the page send a token, as the subprotocol %s<token> beside another one, "+
			"or allow its origin (--cors-allowed-origins)", firstBytes(origin, maxAuditText), auth.TokenProtocol))
}

// sameHost says whether a page is of the host, and port, that it sent a request to.
func sameHost(origin, host string) bool {
	u, err := url.Parse(origin)
	return err == nil && u.Host != "" && strings.EqualFold(u.Host, host)
}

// watchSocket sends a watch over a WebSocket. An event is a message, of text where it is JSON, else
// of bytes, without the length that is before it in a stream. What the client sends is read, so
// that its end is noticed, and thrown away. cancel ends ctx.
func (s *Server) watchSocket(ctx context.Context, cancel context.CancelFunc, c *call, w watching) error {
	taken := &connectWriter{call: c}
	defer s.taken.add(taken)()
	conn, err := websocket.Accept(taken.as(c.w.ResponseWriter), c.req, &websocket.AcceptOptions{
		Subprotocols:       firstProtocol(c.req),
		InsecureSkipVerify: true, // checkOrigin has looked at the Origin, and knows who needs none
	})
	if err != nil {
		return nil // it has answered
	}
	gone := make(chan struct{})
	go func() {
		defer close(gone)
		defer cancel()
		_ = recovery.Object(s.config.Log, "websocket", "", func() { discard(conn) })
	}()
	err = sendMessages(ctx, conn, w)
	code, reason := closing(s, err)
	_ = conn.Close(code, reason) // who has gone does not need it
	<-gone
	if err != nil && !errors.Is(err, errNotSent) {
		return err
	}
	return nil
}

// closing is how a watch says that it ends.
func closing(s *Server, err error) (websocket.StatusCode, string) {
	switch {
	case err != nil:
		return websocket.StatusInternalError, "an event could not be written"
	case s.watching.Err() != nil:
		return websocket.StatusGoingAway, "the server stops"
	}
	return websocket.StatusNormalClosure, ""
}

// errNotSent says that the client did not take a message.
var errNotSent = errors.New("the message was not sent")

func sendMessages(ctx context.Context, conn *websocket.Conn, w watching) error {
	// Its end cuts the connection, so it is that of the deadline, and not of the watch.
	sending, stop := context.WithDeadline(context.WithoutCancel(ctx), w.deadline)
	defer stop()
	messageType, head := websocket.MessageText, 0
	if w.rep.MediaType == rest.Protobuf {
		messageType, head = websocket.MessageBinary, lengthPrefix
	}
	frames := newFramer(w.rep)
	return w.follow(ctx, func(events []rest.Event) error {
		b := framings.Get().(*framing)
		defer b.release()
		for _, event := range events {
			frame, err := frames.frame(b, event)
			if err != nil {
				return err
			}
			if err := conn.Write(sending, messageType, frame[head:]); err != nil {
				return fmt.Errorf("%w: %w", errNotSent, err)
			}
		}
		return nil
	})
}

// discard reads until the connection is closed, by either side.
func discard(conn *websocket.Conn) {
	for {
		_, message, err := conn.Reader(context.Background())
		if err != nil {
			return
		}
		if _, err := io.Copy(io.Discard, message); err != nil {
			return
		}
	}
}

// firstProtocol is the subprotocol that the client likes best. What events look like does not
// depend on it, but a browser that names some wants one of them back.
func firstProtocol(req *http.Request) []string {
	for _, header := range req.Header.Values("Sec-WebSocket-Protocol") {
		for protocol := range strings.SplitSeq(header, ",") {
			if protocol = strings.TrimSpace(protocol); protocol != "" {
				return []string{protocol}
			}
		}
	}
	return nil
}
