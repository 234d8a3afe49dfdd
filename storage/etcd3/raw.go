package etcd3

import (
	"context"

	"go.etcd.io/etcd/api/v3/mvccpb"
	clientv3 "go.etcd.io/etcd/client/v3"
)

// Raw is what etcd holds at one key, for tools that look below a Store: no Form applies, and keys
// are whole, with the root.
type Raw struct {
	Key   string
	Value []byte
	// CreateRevision is the revision of the key's first write since it last did not exist, Revision
	// that of its last one, and Version how many there were.
	CreateRevision, Revision, Version int64
	// Lease is the id of the lease that the key is attached to, 0 if there is none.
	Lease int64
}

// GetRaw returns what is at key; ok is false if nothing is.
func GetRaw(ctx context.Context, client *Client, key string) (kv Raw, ok bool, err error) {
	resp, err := client.Get(ctx, key)
	if err != nil {
		return Raw{}, false, readError(ctx, "get", key, err)
	}
	if len(resp.Kvs) == 0 {
		return Raw{}, false, nil
	}
	return rawOf(resp.Kvs[0]), true, nil
}

// EachRaw calls visit for every key that begins with prefix, in order, all of one revision, and
// holds one page of them at a time. It ends with the first error of visit, which it returns as it
// is.
func EachRaw(ctx context.Context, client *Client, prefix string, visit func(Raw) error) error {
	start, end := prefix, clientv3.GetPrefixRangeEnd(prefix)
	revision := int64(0)
	for size := int64(firstPage); ; {
		resp, err := client.Get(ctx, start, clientv3.WithRange(end), clientv3.WithRev(revision), clientv3.WithLimit(size))
		if err != nil {
			return readError(ctx, "list", prefix, err)
		}
		if revision == 0 {
			revision = resp.Header.Revision
		}
		bytes := 0
		for _, kv := range resp.Kvs {
			bytes += len(kv.Key) + len(kv.Value)
			if err := visit(rawOf(kv)); err != nil {
				return err
			}
		}
		if !resp.More || len(resp.Kvs) == 0 {
			return nil
		}
		start = string(resp.Kvs[len(resp.Kvs)-1].Key) + "\x00"
		size = max(1, min(maxPage, pageBytes*int64(len(resp.Kvs))/int64(max(bytes, 1))))
	}
}

func rawOf(kv *mvccpb.KeyValue) Raw {
	return Raw{Key: string(kv.Key), Value: kv.Value, CreateRevision: kv.CreateRevision, Revision: kv.ModRevision, Version: kv.Version, Lease: kv.Lease}
}
