package embedded

import (
	"context"
	"testing"

	"google.golang.org/grpc"
	"google.golang.org/grpc/codes"
	"google.golang.org/grpc/status"
)

type openStream struct{ grpc.ServerStream }

func (openStream) Context() context.Context { return context.Background() }

// TestStreamsEnd ends a stream whose handler is still reading, as etcd's watches are.
func TestStreamsEnd(t *testing.T) {
	s := newStreams()
	began, reads := make(chan struct{}), 0
	go s.intercept(nil, openStream{}, nil, func(_ any, stream grpc.ServerStream) error {
		close(began)
		<-stream.Context().Done()
		for range 1000 {
			reads++
		}
		return stream.Context().Err()
	})
	<-began
	s.end()
	if reads != 1000 {
		t.Errorf("the stop continued after %d of 1000 reads of the stream", reads)
	}
	err := s.intercept(nil, openStream{}, nil, func(any, grpc.ServerStream) error {
		t.Error("a stream began after the end")
		return nil
	})
	if status.Code(err) != codes.Unavailable {
		t.Errorf("a stream after the end: %v, want Unavailable", err)
	}
}
