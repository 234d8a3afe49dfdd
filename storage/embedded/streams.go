package embedded

import (
	"context"
	"sync"
	"time"

	"google.golang.org/grpc"
	"google.golang.org/grpc/codes"
	"google.golang.org/grpc/status"
)

// streamsEndWithin is the longest time that a stop waits for streams. A client that does not read
// can keep a stream from ending.
const streamsEndWithin = 5 * time.Second

// streams are the open streams of etcd's clients, which are watches. They must end before etcd
// does: etcd does not wait for them, and one that reads its closed database panics.
type streams struct {
	ctx    context.Context
	cancel context.CancelFunc
	mu     sync.Mutex // no stream begins while cancel is called
	open   sync.WaitGroup
}

func newStreams() *streams {
	s := new(streams)
	s.ctx, s.cancel = context.WithCancel(context.Background())
	return s
}

// intercept implements grpc.StreamServerInterceptor.
func (s *streams) intercept(srv any, stream grpc.ServerStream, _ *grpc.StreamServerInfo, handler grpc.StreamHandler) error {
	if !s.begin() {
		return status.Error(codes.Unavailable, "etcd is stopping")
	}
	defer s.open.Done()
	own, cancel := context.WithCancel(stream.Context())
	defer cancel()
	defer context.AfterFunc(s.ctx, cancel)()
	return handler(srv, streamWith{stream, own})
}

// begin counts a stream, unless all have been ended.
func (s *streams) begin() bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.ctx.Err() != nil {
		return false
	}
	s.open.Add(1)
	return true
}

// end ends all streams, and waits for them.
func (s *streams) end() {
	s.mu.Lock()
	s.cancel()
	s.mu.Unlock()
	ended := make(chan struct{})
	go func() {
		s.open.Wait()
		close(ended)
	}()
	select {
	case <-ended:
	case <-time.After(streamsEndWithin):
	}
}

type streamWith struct {
	grpc.ServerStream
	ctx context.Context
}

func (s streamWith) Context() context.Context { return s.ctx }
