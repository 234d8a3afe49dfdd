package console

import (
	"context"
	"encoding/json"
	"fmt"
	"net/http"
	"slices"
	"strings"
	"time"

	"github.com/coder/websocket"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
)

// The protocols of kubectl for the streams of a terminal on one WebSocket: each message is binary,
// and its first byte says which stream it is of. The fifth can also say that a stream has ended;
// before, a client could not.
const (
	protocol5 = "v5.channel.k8s.io"
	protocol4 = "v4.channel.k8s.io"
)

// The streams.
const (
	stdin  = 0
	stdout = 1
	failed = 3 // at the end, a Status
	closed = 255
)

// maxMessage bounds what a client may send at once.
const maxMessage = 1 << 20

// channels is a connection with streams. One goroutine may receive while others send.
type channels struct{ conn *websocket.Conn }

// accept makes channels of a request. It has answered if there are none.
func accept(w http.ResponseWriter, r *http.Request) (*channels, bool) {
	if !strings.EqualFold(r.Header.Get("Upgrade"), "websocket") {
		refuse(w, "this is for WebSocket alone: send Upgrade: websocket, with one of the protocols "+protocol5+" and "+protocol4)
		return nil, false
	}
	var offered []string
	for _, list := range r.Header.Values("Sec-WebSocket-Protocol") {
		for protocol := range strings.SplitSeq(list, ",") {
			offered = append(offered, strings.TrimSpace(protocol))
		}
	}
	if !slices.Contains(offered, protocol5) && !slices.Contains(offered, protocol4) {
		refuse(w, fmt.Sprintf("none of the protocols %q is spoken here: want %s or %s", offered, protocol5, protocol4))
		return nil, false
	}
	conn, err := websocket.Accept(w, r, &websocket.AcceptOptions{
		Subprotocols:       []string{protocol5, protocol4},
		InsecureSkipVerify: true, // the server has looked at the Origin, and knows which pages show a token of their own
	})
	if err != nil {
		return nil, false
	}
	conn.SetReadLimit(maxMessage)
	return &channels{conn}, true
}

// refuse answers with a Status, as every other part of the server does.
func refuse(w http.ResponseWriter, message string) {
	body, _ := json.Marshal(metav1.Status{ // it has nothing that can't be JSON
		TypeMeta: metav1.TypeMeta{Kind: "Status", APIVersion: "v1"},
		Status:   metav1.StatusFailure, Message: message, Reason: metav1.StatusReasonBadRequest, Code: http.StatusBadRequest,
	})
	w.Header().Set("Content-Type", "application/json")
	w.WriteHeader(http.StatusBadRequest)
	_, _ = w.Write(body) // who has gone does not need it
}

// receive returns what comes next of the client's input; end says that there is no more of it.
func (c *channels) receive(ctx context.Context) (data []byte, end bool, err error) {
	for {
		_, message, err := c.conn.Read(ctx)
		switch {
		case err != nil:
			return nil, false, err
		case len(message) == 2 && message[0] == closed && message[1] == stdin:
			return nil, true, nil
		case len(message) > 1 && message[0] == stdin:
			return message[1:], false, nil
		}
		// Everything else is of no use here: the size of a window, or the empty messages by which a
		// client opens streams.
	}
}

// send sends a message on a stream.
func (c *channels) send(ctx context.Context, stream byte, data []byte) error {
	ctx, cancel := context.WithTimeout(ctx, patience)
	defer cancel()
	return c.conn.Write(ctx, websocket.MessageBinary, append([]byte{stream}, data...))
}

// finish says that all went well, and closes the connection.
func (c *channels) finish() {
	ctx, cancel := context.WithTimeout(context.Background(), time.Second)
	defer cancel()
	_ = c.send(ctx, failed, []byte(`{"metadata":{},"status":"Success"}`)) // who has gone does not need it
	_ = c.conn.Close(websocket.StatusNormalClosure, "")
}

// giveUp closes the connection of a client that may be gone already, before there was an end.
func (c *channels) giveUp() { _ = c.conn.Close(websocket.StatusGoingAway, "") }
