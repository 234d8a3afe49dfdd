package etcd3

import (
	"time"

	"go.etcd.io/etcd/api/v3/etcdserverpb"
	clientv3 "go.etcd.io/etcd/client/v3"
)

// SendThrough makes client send its requests, but not its watches, through what the caller has put
// before an etcd. An error of that may be a *storage.Error: stores return it with the operation and
// the key that it was about. It is called before client is used.
func SendThrough(client *Client, kv etcdserverpb.KVClient, leases etcdserverpb.LeaseClient, maintenance etcdserverpb.MaintenanceClient) {
	client.KV = clientv3.NewKVFromKVClient(kv, client)
	client.Lease = clientv3.NewLeaseFromLeaseClient(leases, client, time.Second)
	client.Maintenance = clientv3.NewMaintenanceFromMaintenanceClient(maintenance, client)
}
