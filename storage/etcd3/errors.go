package etcd3

import (
	"context"
	"errors"
	"strings"

	"go.etcd.io/etcd/api/v3/v3rpc/rpctypes"
	"google.golang.org/grpc/codes"
	"google.golang.org/grpc/status"

	"github.com/typeplane/typeplane/storage"
)

var (
	errNoSpace = errors.New("etcd has reached its space quota: free space (compact, defragment), then disarm the NOSPACE alarm")
	errNoPrev  = errors.New("etcd no longer has the value before a change")
	errEnded   = errors.New("etcd ended the watch")
)

// notSent are the errors after which a write has certainly not happened: etcd refused it, or it was
// not sent.
var notSent = []error{
	rpctypes.ErrNoLeader, rpctypes.ErrNotLeader, rpctypes.ErrNotCapable, rpctypes.ErrTooManyRequests, rpctypes.ErrUnhealthy, rpctypes.ErrCorrupt,
}

// gated returns what stands before an embedded etcd has refused, or given up, in words of this
// package already.
func gated(op, key string, err error) (*storage.Error, bool) {
	var e *storage.Error
	if !errors.As(err, &e) {
		return nil, false
	}
	own := *e
	own.Op, own.Key = op, key
	return &own, true
}

// readError translates what a request that changes nothing came back with.
func readError(ctx context.Context, op, key string, err error) error {
	if e, ok := gated(op, key, err); ok {
		return e
	}
	code := codeOf(err)
	if ctx.Err() != nil && code != storage.CodeCompacted && code != storage.CodeFuture {
		return ctx.Err()
	}
	return &storage.Error{Code: code, Op: op, Key: key, Err: err}
}

// watchError translates what ended a watch. All but a compaction may be over when the caller tries
// again.
func watchError(prefix string, err error) *storage.Error {
	code := codeOf(err)
	if code != storage.CodeCompacted {
		code = storage.CodeUnavailable
	}
	return &storage.Error{Code: code, Op: "watch", Key: prefix, Err: err}
}

// writeError translates what a transaction came back with. Where it is not certain that nothing was
// written, the code is CodeUnknown.
func writeError(ctx context.Context, op, key string, err error) error {
	if e, ok := gated(op, key, err); ok {
		return e
	}
	e := &storage.Error{Code: codeOf(err), Op: op, Key: key, Err: err}
	if e.Code == storage.CodeTooLarge || e.Code == storage.CodeUnavailable && certain(err) {
		return e
	}
	if ctx.Err() != nil {
		e.Code, e.Err = storage.CodeUnknown, ctx.Err()
		return e
	}
	if !refused(err) {
		e.Code = storage.CodeUnknown
	}
	return e
}

// refused says that etcd, or what stands before it, looked at a request and did not want it.
// Whatever is not known to mean that, like an answer that can't be read (codes.Internal), may come
// after the request was carried out.
func refused(err error) bool {
	switch grpcCode(err) {
	case codes.InvalidArgument, codes.NotFound, codes.FailedPrecondition, codes.OutOfRange, codes.Unimplemented,
		codes.PermissionDenied, codes.Unauthenticated:
		return true
	}
	return certain(err)
}

// codeOf is the table from etcd's errors, and those of the connection to it, to codes. It does not
// ask whether a write may have happened.
func codeOf(err error) storage.Code {
	switch {
	case errors.Is(err, rpctypes.ErrCompacted):
		return storage.CodeCompacted
	case errors.Is(err, rpctypes.ErrFutureRev):
		return storage.CodeFuture
	case errors.Is(err, rpctypes.ErrRequestTooLarge):
		return storage.CodeTooLarge
	}
	switch grpcCode(err) {
	case codes.ResourceExhausted:
		// The connection refuses a message over its own limit, on either side, before etcd can look
		// at it.
		if strings.Contains(status.Convert(err).Message(), "larger than max") {
			return storage.CodeTooLarge
		}
		return storage.CodeUnavailable
	case codes.Unavailable, codes.DataLoss, codes.DeadlineExceeded:
		return storage.CodeUnavailable
	}
	if certain(err) || errors.Is(err, storage.ErrNoAnswer) {
		return storage.CodeUnavailable
	}
	return storage.CodeOther
}

// certain says that the request can't have changed anything.
func certain(err error) bool {
	if errors.Is(err, storage.ErrNoQuorum) {
		return true
	}
	for _, e := range notSent {
		if errors.Is(err, e) {
			return true
		}
	}
	msg := err.Error()
	// The connection was never there; and a leader may drop a proposal instead of taking it.
	return strings.Contains(msg, "connection refused") || strings.Contains(msg, "no such file or directory") ||
		strings.Contains(msg, "raft proposal dropped")
}

func grpcCode(err error) codes.Code {
	var e rpctypes.EtcdError
	if errors.As(err, &e) {
		return e.Code()
	}
	return status.Code(err)
}
