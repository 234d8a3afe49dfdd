package etcd3_test

import (
	"context"
	"errors"
	"slices"
	"testing"
	"time"

	"go.etcd.io/etcd/api/v3/v3rpc/rpctypes"
	"google.golang.org/grpc/codes"
	"google.golang.org/grpc/status"

	"github.com/typeplane/typeplane/storage"
	"github.com/typeplane/typeplane/storage/etcd3"
)

func TestErrors(t *testing.T) {
	grpc := status.Error
	for _, tc := range []struct {
		name  string
		err   error
		read  storage.Code
		write storage.Code
		watch storage.Code
	}{
		{"compacted", rpctypes.ErrCompacted, storage.CodeCompacted, storage.CodeCompacted, storage.CodeCompacted},
		{"compacted, from the connection", rpctypes.Error(rpctypes.ErrGRPCCompacted), storage.CodeCompacted, storage.CodeCompacted, storage.CodeCompacted},
		{"future", rpctypes.ErrFutureRev, storage.CodeFuture, storage.CodeFuture, storage.CodeUnavailable},
		{"too large for etcd", rpctypes.ErrRequestTooLarge, storage.CodeTooLarge, storage.CodeTooLarge, storage.CodeUnavailable},
		{"too large to send", grpc(codes.ResourceExhausted, "trying to send message larger than max (3 vs. 2)"), storage.CodeTooLarge, storage.CodeTooLarge, storage.CodeUnavailable},
		{"too large to receive", grpc(codes.ResourceExhausted, "grpc: received message larger than max (3 vs. 2)"), storage.CodeTooLarge, storage.CodeTooLarge, storage.CodeUnavailable},
		{"no space", rpctypes.ErrNoSpace, storage.CodeUnavailable, storage.CodeUnknown, storage.CodeUnavailable},
		{"too many requests", rpctypes.ErrTooManyRequests, storage.CodeUnavailable, storage.CodeUnavailable, storage.CodeUnavailable},
		{"no leader", rpctypes.ErrNoLeader, storage.CodeUnavailable, storage.CodeUnavailable, storage.CodeUnavailable},
		{"leader changed", rpctypes.ErrLeaderChanged, storage.CodeUnavailable, storage.CodeUnknown, storage.CodeUnavailable},
		{"timed out", rpctypes.ErrTimeout, storage.CodeUnavailable, storage.CodeUnknown, storage.CodeUnavailable},
		{"timed out, connection", rpctypes.ErrTimeoutDueToConnectionLost, storage.CodeUnavailable, storage.CodeUnknown, storage.CodeUnavailable},
		{"stopped", rpctypes.ErrStopped, storage.CodeUnavailable, storage.CodeUnknown, storage.CodeUnavailable},
		{"corrupt cluster", rpctypes.ErrCorrupt, storage.CodeUnavailable, storage.CodeUnavailable, storage.CodeUnavailable},
		{"never connected", grpc(codes.Unavailable, `connection error: desc = "transport: Error while dialing: dial tcp 127.0.0.1:1: connect: connection refused"`), storage.CodeUnavailable, storage.CodeUnavailable, storage.CodeUnavailable},
		{"connection lost", grpc(codes.Unavailable, "error reading from server: EOF"), storage.CodeUnavailable, storage.CodeUnknown, storage.CodeUnavailable},
		{"proposal dropped", grpc(codes.Unknown, "raft proposal dropped"), storage.CodeUnavailable, storage.CodeUnavailable, storage.CodeUnavailable},
		{"in-process server stopped", grpc(codes.Unknown, "raft: stopped"), storage.CodeOther, storage.CodeUnknown, storage.CodeUnavailable},
		{"deadline of the server", grpc(codes.DeadlineExceeded, "x"), storage.CodeUnavailable, storage.CodeUnknown, storage.CodeUnavailable},
		{"an answer that can't be read", grpc(codes.Internal, "grpc: failed to unmarshal the received message: x"), storage.CodeOther, storage.CodeUnknown, storage.CodeUnavailable},
		{"a stream that was ended", grpc(codes.Internal, "stream terminated by RST_STREAM with error code: INTERNAL_ERROR"), storage.CodeOther, storage.CodeUnknown, storage.CodeUnavailable},
		{"aborted", grpc(codes.Aborted, "x"), storage.CodeOther, storage.CodeUnknown, storage.CodeUnavailable},
		{"not the client's", errors.New("x"), storage.CodeOther, storage.CodeUnknown, storage.CodeUnavailable},
		{"refused before etcd: full", &storage.Error{Code: storage.CodeNoSpace}, storage.CodeNoSpace, storage.CodeNoSpace, storage.CodeUnavailable},
		{"refused before etcd: failed", &storage.Error{Code: storage.CodeFailed}, storage.CodeFailed, storage.CodeFailed, storage.CodeUnavailable},
		{"given up before etcd", &storage.Error{Code: storage.CodeUnknown}, storage.CodeUnknown, storage.CodeUnknown, storage.CodeUnavailable},
		{"refused as malformed", rpctypes.ErrEmptyKey, storage.CodeOther, storage.CodeOther, storage.CodeUnavailable},
		{"access denied", rpctypes.ErrPermissionDenied, storage.CodeOther, storage.CodeOther, storage.CodeUnavailable},
	} {
		t.Run(tc.name, func(t *testing.T) {
			ctx := context.Background()
			for which, pair := range map[string][2]any{
				"read":  {etcd3.ReadError(ctx, "get", "/a", tc.err), tc.read},
				"write": {etcd3.WriteError(ctx, "create", "/a", tc.err), tc.write},
				"watch": {etcd3.WatchError("/a/", tc.err), tc.watch},
			} {
				if got := storage.CodeOf(pair[0].(error)); got != pair[1] {
					t.Errorf("%s: code %q, want %q", which, got, pair[1])
				}
			}
		})
	}
}

func TestErrorsOfTheContext(t *testing.T) {
	ctx, cancel := context.WithCancel(context.Background())
	cancel()
	if err := etcd3.ReadError(ctx, "get", "/a", rpctypes.ErrTimeout); err != context.Canceled {
		t.Errorf("read: %v", err)
	}
	for _, cause := range []error{context.Canceled, rpctypes.ErrTimeout, status.Error(codes.Canceled, "x")} {
		err := etcd3.WriteError(ctx, "create", "/a", cause)
		if !errors.Is(err, context.Canceled) || storage.CodeOf(err) != storage.CodeUnknown {
			t.Errorf("write: %v", err)
		}
	}
	if err := etcd3.WriteError(ctx, "create", "/a", rpctypes.ErrNoLeader); storage.CodeOf(err) != storage.CodeUnavailable {
		t.Errorf("a write that was refused: %v", err)
	}
}

func TestVersions(t *testing.T) {
	for version, ok := range map[string]bool{
		"3.4.44": false, "2.3.8": false, "3.3.1": false,
		"3.5.27": false, "3.5.28": true, "3.5.28-rc.1": false, "3.5.100": true,
		"3.6.0": false, "3.6.8": false, "3.6.9": true, "3.6.9-alpha.0": false, "3.6.10": true,
		"3.7.0": true, "3.7.0-rc.0": true, "3.8.1": true, "4.0.0": true, "3.7.3+git": true,
		"": false, "3.7": false, "x.y.z": false, "3.-7.1": false,
	} {
		if err := etcd3.CheckVersion(version); (err == nil) != ok {
			t.Errorf("%q: %v", version, err)
		}
	}
}

// Those who try again do so less and less often, and not together.
func TestPausesAreSpread(t *testing.T) {
	const n = 8
	first, limits := etcd3.Pauses(n)
	if limits[0] != 20*time.Millisecond || limits[1] != 40*time.Millisecond || limits[n-1] != 500*time.Millisecond {
		t.Errorf("limits of the pauses: %v", limits)
	}
	second, _ := etcd3.Pauses(n)
	if slices.Equal(first, second) {
		t.Errorf("two that try again do so together: %v", first)
	}
	for i, pause := range append(first, second...) {
		if pause < 0 || pause >= limits[i%n] {
			t.Errorf("pause %d is %v, want one below %v", i, pause, limits[i%n])
		}
	}
}
