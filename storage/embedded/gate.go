package embedded

import (
	"context"
	"errors"

	"go.etcd.io/etcd/api/v3/etcdserverpb"
	"go.etcd.io/etcd/server/v3/etcdserver"
	"go.etcd.io/etcd/server/v3/etcdserver/api/v3client"
	"go.etcd.io/etcd/server/v3/etcdserver/api/v3rpc"
	"go.etcd.io/etcd/server/v3/proxy/grpcproxy/adapter"
	"google.golang.org/grpc"
	"google.golang.org/grpc/codes"
	"google.golang.org/grpc/status"
	"google.golang.org/protobuf/proto"

	"github.com/typeplane/typeplane/internal/recovery"
	"github.com/typeplane/typeplane/storage"
	"github.com/typeplane/typeplane/storage/etcd3"
)

// gate stands before etcd: every request of this process comes through it. It sends nothing to an
// etcd that has failed but reads that it can answer. It waits for no answer that will never come,
// and refuses what takes room when there is none.
type gate struct {
	health *health
	disk   *disk
}

var errInFlight = errors.New("etcd failed while it carried this out")

// newClient is v3client.New with the gate before it.
func newClient(s *etcdserver.EtcdServer, g *gate) *etcd3.Client {
	c := v3client.New(s)
	etcd3.SendThrough(c,
		&gatedKV{adapter.KvServerToKvClient(v3rpc.NewQuotaKVServer(s)), g},
		&gatedLeases{adapter.LeaseServerToLeaseClient(v3rpc.NewQuotaLeaseServer(s)), g},
		&gatedMaintenance{adapter.MaintenanceServerToMaintenanceClient(v3rpc.NewMaintenanceServer(s, nil)), g})
	return c
}

// method is one of etcd's.
type method[Req, Resp any] func(context.Context, Req, ...grpc.CallOption) (Resp, error)

// write carries out a request that changes something, and that needs room if it grows the database.
func write[Req, Resp any](ctx context.Context, g *gate, do method[Req, Resp], req Req, grows bool, opts []grpc.CallOption) (resp Resp, err error) {
	if f := g.health.failure.Load(); f != nil {
		return resp, f.refused(true)
	}
	if grows {
		if err := g.disk.refused(); err != nil {
			return resp, err
		}
	}
	resp, err, ended := await(ctx, do, req, opts, g.health.failed)
	if ended {
		err = &storage.Error{Code: storage.CodeUnknown, Err: errInFlight}
	}
	return resp, err
}

// read carries out a request that changes nothing. ifFailed is what it becomes if etcd has failed;
// nil: it is refused then.
func read[Req, Resp any](ctx context.Context, g *gate, do method[Req, Resp], req Req, ifFailed func(Req) Req, opts []grpc.CallOption) (resp Resp, err error) {
	ended := false
	if g.health.failure.Load() == nil {
		if resp, err, ended = await(ctx, do, req, opts, g.health.failed); !ended {
			return resp, err
		}
	}
	if ifFailed != nil && g.health.readable.Load() {
		if resp, err, ended = await(ctx, do, ifFailed(req), opts, g.health.stuck); !ended {
			return resp, err
		}
	}
	return resp, g.health.failure.Load().refused(false)
}

// await returns the results of do, or ended if stop is closed before. A panic of do is an error of
// this request. The goroutine of a do that never returns stays behind.
func await[Req, Resp any](ctx context.Context, do method[Req, Resp], req Req, opts []grpc.CallOption, stop <-chan struct{}) (resp Resp, err error, ended bool) {
	type answer struct {
		resp Resp
		err  error
	}
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	answered := make(chan answer, 1)
	go func() {
		var a answer
		a.err = recovery.Call(nil, "etcd requests", "", func() (err error) {
			a.resp, err = do(ctx, req, opts...)
			return err
		})
		answered <- a
	}()
	select {
	case a := <-answered:
		return a.resp, a.err, false
	case <-stop:
		return resp, nil, true
	}
}

type gatedKV struct {
	etcdserverpb.KVClient
	*gate
}

func (k *gatedKV) Range(ctx context.Context, req *etcdserverpb.RangeRequest, opts ...grpc.CallOption) (*etcdserverpb.RangeResponse, error) {
	return read(ctx, k.gate, k.KVClient.Range, req, fromMemory, opts)
}

// fromMemory asks for what etcd has, without asking who leads. For an etcd of one member that has
// failed that is the newest state. All that was ever acknowledged is applied, and nothing more will
// be.
func fromMemory(req *etcdserverpb.RangeRequest) *etcdserverpb.RangeRequest {
	req = proto.CloneOf(req)
	req.Serializable = true
	return req
}

func (k *gatedKV) Put(ctx context.Context, req *etcdserverpb.PutRequest, opts ...grpc.CallOption) (*etcdserverpb.PutResponse, error) {
	return write(ctx, k.gate, k.KVClient.Put, req, true, opts)
}

func (k *gatedKV) DeleteRange(ctx context.Context, req *etcdserverpb.DeleteRangeRequest, opts ...grpc.CallOption) (*etcdserverpb.DeleteRangeResponse, error) {
	return write(ctx, k.gate, k.KVClient.DeleteRange, req, false, opts)
}

func (k *gatedKV) Txn(ctx context.Context, req *etcdserverpb.TxnRequest, opts ...grpc.CallOption) (*etcdserverpb.TxnResponse, error) {
	return write(ctx, k.gate, k.KVClient.Txn, req, puts(req.Success) || puts(req.Failure), opts)
}

func (k *gatedKV) Compact(ctx context.Context, req *etcdserverpb.CompactionRequest, opts ...grpc.CallOption) (*etcdserverpb.CompactionResponse, error) {
	return write(ctx, k.gate, k.KVClient.Compact, req, false, opts)
}

// puts says whether one of ops may put a value. Nobody here nests transactions.
func puts(ops []*etcdserverpb.RequestOp) bool {
	for _, op := range ops {
		if op.GetRequestPut() != nil || op.GetRequestTxn() != nil {
			return true
		}
	}
	return false
}

type gatedLeases struct {
	etcdserverpb.LeaseClient
	*gate
}

func (l *gatedLeases) LeaseGrant(ctx context.Context, req *etcdserverpb.LeaseGrantRequest, opts ...grpc.CallOption) (*etcdserverpb.LeaseGrantResponse, error) {
	return write(ctx, l.gate, l.LeaseClient.LeaseGrant, req, true, opts)
}

type gatedMaintenance struct {
	etcdserverpb.MaintenanceClient
	*gate
}

func (m *gatedMaintenance) Status(ctx context.Context, req *etcdserverpb.StatusRequest, opts ...grpc.CallOption) (*etcdserverpb.StatusResponse, error) {
	return read(ctx, m.gate, m.MaintenanceClient.Status, req, nil, opts)
}

// unary and stream are the gate before what comes through the socket, where a refusal needs a code
// of gRPC.
func (g *gate) unary(ctx context.Context, req any, _ *grpc.UnaryServerInfo, handler grpc.UnaryHandler) (any, error) {
	if err := g.health.unavailable(); err != nil {
		return nil, err
	}
	return handler(ctx, req)
}

func (g *gate) stream(srv any, stream grpc.ServerStream, _ *grpc.StreamServerInfo, handler grpc.StreamHandler) error {
	if err := g.health.unavailable(); err != nil {
		return err
	}
	return handler(srv, stream)
}

func (h *health) unavailable() error {
	if f := h.failure.Load(); f != nil {
		return status.Error(codes.Unavailable, f.Error())
	}
	return nil
}
