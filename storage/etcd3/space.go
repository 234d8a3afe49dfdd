package etcd3

import (
	"context"
	"fmt"
)

// Space is how large a database is, in bytes: its file, what of it is in use, and the most that it
// may grow to. Quota is 0 where the etcd is too old to tell.
type Space struct{ File, InUse, Quota int64 }

// AskSpace asks one member how large its database is.
func AskSpace(ctx context.Context, client *Client) (Space, error) {
	endpoint := ""
	if endpoints := client.Endpoints(); len(endpoints) > 0 {
		endpoint = endpoints[0]
	}
	status, err := client.Status(ctx, endpoint)
	if err != nil {
		return Space{}, fmt.Errorf("etcd3: status: %w", err)
	}
	return Space{File: status.DbSize, InUse: status.DbSizeInUse, Quota: status.DbSizeQuota}, nil
}
