package embedded

import (
	"errors"
	"net"
	"slices"
	"strings"
	"time"

	"go.uber.org/zap/zapcore"
)

// phase is a part of the life of an etcd.
type phase int32

const (
	starting phase = iota // until settleTime after it answers
	running
	closing // from our own Close on
	hasty   // closing, but from a Close before it had settled: what belongs to a start may still be said
)

// settleTime is less than the 4 s after which etcd looks at its storage version again.
const settleTime = 3 * time.Second

// harmless are the records that every normal start and stop brings about. Each is left out in its
// phase only, and only with the errors that it has there: the same words at another time are news.
var harmless = []struct {
	phase   phase
	message string           // a part of it
	because func(error) bool // nil: the record has no error
	reason  string
}{
	{starting, "Running http and grpc server on single port", nil,
		"the advice is for ports that many clients share; this is a unix socket for tools"},
	{starting, "simple token is not cryptographically signed", nil,
		"it is about the tokens of etcd's own users, of which there are none: the mode of the socket says who gets in"},
	{starting, "Failed to detect schema version", noTermYet,
		"the database learns of its term with the first commit, some milliseconds after this look; etcd looks again"},
	{starting, "failed to update storage version", noTermYet,
		"as above: it is said once more by the caller"},
	{starting, "since there are still pending configuration changes to apply", nil,
		"the one member wants to be elected before it has read that it is a member; it tries again at the next tick"},
	{closing, "setting up serving from embedded etcd failed.", closed,
		"the listener and its servers end because we end them"},
	{closing, "stopping insecure grpc server due to error", closed,
		"as above; insecure is the socket, which has no TLS"},
	{closing, "stopped insecure grpc server due to error", closed,
		"as above"},
}

// has says whether what belongs to a phase is said in p.
func (p phase) has(other phase) bool {
	return p == other || p == hasty && (other == starting || other == closing)
}

func isHarmless(in phase, message string, fields []zapcore.Field) bool {
	for _, h := range harmless {
		if !in.has(h.phase) || !strings.Contains(message, h.message) {
			continue
		}
		err := errorOf(fields)
		return h.because == nil && err == nil || h.because != nil && err != nil && h.because(err)
	}
	return false
}

func errorOf(fields []zapcore.Field) error {
	i := slices.IndexFunc(fields, func(f zapcore.Field) bool { return f.Type == zapcore.ErrorType })
	if i < 0 {
		return nil
	}
	err, _ := fields[i].Interface.(error)
	return err
}

// noTermYet knows the error by its words, since etcd has no value for it.
func noTermYet(err error) bool { return strings.HasSuffix(err.Error(), "missing term information") }

// closed says that somebody has closed what was in use; in the phase closing that is us.
func closed(err error) bool {
	return errors.Is(err, net.ErrClosed) || slices.Contains([]string{"http: Server closed", "mux: server closed", "mux: listener closed", "grpc: the server has been stopped"}, err.Error())
}
