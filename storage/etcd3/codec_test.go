package etcd3

import (
	"math/rand/v2"
	"testing"

	"github.com/google/go-cmp/cmp"
	"go.etcd.io/etcd/api/v3/etcdserverpb"
	"go.etcd.io/etcd/api/v3/mvccpb"
	"google.golang.org/grpc/mem"
	"google.golang.org/protobuf/encoding/protowire"
	"google.golang.org/protobuf/proto"
	"google.golang.org/protobuf/testing/protocmp"
)

// cut makes pieces of data of random lengths, some of them empty.
func cut(data []byte, random *rand.Rand) (pieces mem.BufferSlice) {
	for len(data) > 0 {
		n := min(random.IntN(1+random.IntN(40)), len(data))
		pieces = append(pieces, mem.SliceBuffer(data[:n:n]))
		data = data[n:]
	}
	return pieces
}

// answers are of all shapes that etcd sends.
func answers() map[string]*etcdserverpb.RangeResponse {
	header := &etcdserverpb.ResponseHeader{ClusterId: 1 << 63, MemberId: 2, Revision: 1 << 40, RaftTerm: 3}
	many := &etcdserverpb.RangeResponse{Header: header, More: true, Count: 1 << 33}
	for i := range 500 {
		many.Kvs = append(many.Kvs, &mvccpb.KeyValue{Key: []byte{'/', byte(i), byte(i >> 8)}, Value: make([]byte, i), ModRevision: int64(i) << 20, Version: int64(i)})
	}
	return map[string]*etcdserverpb.RangeResponse{
		"nothing": {}, "no keys": {Header: header}, "many": many,
		"one":      {Header: header, Count: 1, Kvs: []*mvccpb.KeyValue{{Key: []byte("/a"), Value: []byte("b"), CreateRevision: 4, ModRevision: 5, Version: 6, Lease: -7}}},
		"no value": {Header: header, Count: 1, Kvs: []*mvccpb.KeyValue{{Key: []byte("/a"), ModRevision: 5}}},
	}
}

func TestCodecReadsAsGRPCDoes(t *testing.T) {
	random := rand.New(rand.NewPCG(1, 2))
	for name, want := range answers() {
		data, err := proto.Marshal(want)
		if err != nil {
			t.Fatal(err)
		}
		for range 20 {
			got := &etcdserverpb.RangeResponse{More: true, Count: 99, Kvs: []*mvccpb.KeyValue{{}}}
			if err := newCodec().Unmarshal(cut(data, random), got); err != nil {
				t.Fatalf("%s: %v", name, err)
			}
			if !proto.Equal(want, got) {
				t.Fatalf("%s (-want +got)\n%s", name, cmp.Diff(want, got, protocmp.Transform()))
			}
		}
	}
	// Every other message is gRPC's.
	data, err := proto.Marshal(&etcdserverpb.PutResponse{Header: &etcdserverpb.ResponseHeader{Revision: 8}})
	if err != nil {
		t.Fatal(err)
	}
	var put etcdserverpb.PutResponse
	if err := newCodec().Unmarshal(cut(data, random), &put); err != nil || put.Header.Revision != 8 {
		t.Errorf("%v, %v", &put, err)
	}
	if newCodec().Name() != "proto" {
		t.Errorf("its name is %q, which servers don't know", newCodec().Name())
	}
}

// TestCodecSkipsWhatIsNew: fields that a newer etcd may send, in the answer and in a pair.
func TestCodecSkipsWhatIsNew(t *testing.T) {
	extra := func(dst []byte) []byte {
		dst = protowire.AppendVarint(protowire.AppendTag(dst, 100, protowire.VarintType), 1<<50)
		dst = protowire.AppendFixed32(protowire.AppendTag(dst, 101, protowire.Fixed32Type), 1)
		dst = protowire.AppendFixed64(protowire.AppendTag(dst, 102, protowire.Fixed64Type), 1)
		return protowire.AppendBytes(protowire.AppendTag(dst, 103, protowire.BytesType), []byte("new"))
	}
	pair, err := proto.Marshal(&mvccpb.KeyValue{Key: []byte("/a"), Value: []byte("b"), ModRevision: 5})
	if err != nil {
		t.Fatal(err)
	}
	data := protowire.AppendBytes(protowire.AppendTag(extra(nil), 2, protowire.BytesType), extra(pair))
	data = protowire.AppendVarint(protowire.AppendTag(extra(data), 4, protowire.VarintType), 1)
	var got etcdserverpb.RangeResponse
	if err := newCodec().Unmarshal(cut(data, rand.New(rand.NewPCG(3, 4))), &got); err != nil {
		t.Fatal(err)
	}
	if len(got.Kvs) != 1 || got.Count != 1 || string(got.Kvs[0].Key) != "/a" || string(got.Kvs[0].Value) != "b" || got.Kvs[0].ModRevision != 5 {
		t.Errorf("%v", &got)
	}
}

// FuzzCodec: what gRPC's codec reads, this one reads alike, and what it refuses, too.
func FuzzCodec(f *testing.F) {
	for _, answer := range answers() {
		if data, err := proto.Marshal(answer); err == nil && len(data) < 1000 {
			f.Add(data, uint64(1))
		}
	}
	f.Add([]byte{0x12, 0x03, 0x0a, 0x05, 'a'}, uint64(2))
	f.Add([]byte{0x12, 0x02, 0x0a, 0x05, 'a', 'b', 'c', 'd', 'e'}, uint64(2))
	f.Add([]byte{0x20, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0x02}, uint64(3))
	f.Add([]byte{0x0a, 0x02, 0x08}, uint64(4))
	f.Add([]byte{0x00, 0x00}, uint64(4))
	f.Add([]byte{0x0a, 0x02, 0x30, 0x01}, uint64(5)) // a header with a field that is not known
	f.Fuzz(func(t *testing.T, data []byte, seed uint64) {
		var got, want etcdserverpb.RangeResponse
		err := newCodec().Unmarshal(cut(data, rand.New(rand.NewPCG(seed, 0))), &got)
		wantErr := proto.UnmarshalOptions{DiscardUnknown: true}.Unmarshal(data, &want)
		if err != nil {
			return // it may be stricter, as about groups, which etcd does not send
		}
		if wantErr != nil {
			t.Fatalf("read %v of what can't be read: %v", &got, wantErr)
		}
		if diff := cmp.Diff(&want, &got, protocmp.Transform()); diff != "" {
			t.Fatalf("(-want +got)\n%s", diff)
		}
	})
}
