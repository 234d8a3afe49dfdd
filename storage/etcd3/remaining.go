package etcd3

import (
	"context"
	"time"

	clientv3 "go.etcd.io/etcd/client/v3"
)

// Remaining is how long an entry with a lease (storage.Entry.Lease) still has, in whole seconds; 0
// or less if it has ended.
func Remaining(ctx context.Context, client *Client, lease int64) (time.Duration, error) {
	short, cancel := context.WithTimeout(ctx, readWithin)
	defer cancel()
	resp, err := client.TimeToLive(short, clientv3.LeaseID(lease))
	if err != nil {
		return 0, readError(ctx, "lease", "/", err)
	}
	return time.Duration(resp.TTL) * time.Second, nil
}
