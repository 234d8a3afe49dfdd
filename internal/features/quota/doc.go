// Package quota has resource quotas, as Kubernetes has them, and the admission plug-in
// ResourceQuota, which charges them: what the objects of a namespace may use together. What an
// object uses is charged to every quota that is concerned, in the transaction that writes the
// object. It is given back in the transaction that removes the object. So status.used is exact at
// every revision, no revision has more than status.hard allows, and a process that dies at any
// point leaves nothing to repair.
//
// The protocol has three rules; etcd's transactions do the rest, and no server has to know of
// another.
//
//  1. A charge is a compare-and-put. The transaction of the object replaces the quota object that
//     the decision was made on (storage.Op with its revision). If another writer was faster,
//     nothing is written, and it is decided anew.
//  2. Each namespace that has quotas has a gate: one small key. Every write that a quota could
//     concern expects the gate to be at the revision at which the writer knows the namespace's
//     quotas. That is storage.Expect, which writes nothing, so that writers are not in each
//     other's way. Where there never was a quota there is no gate, and that is expected, too: so
//     whoever reads quotas from a cache that lags is found out by the transaction. In the usual
//     case nothing is read from etcd.
//  3. A new quota, or one with another spec, begins with a count. For that the gate is closed: a
//     write of its own, which defeats every writer that knows only of the open gate. They wait.
//     What is counted then can't change, and the quota is written with its status, in the
//     transaction that opens the gate. The first revision of a quota is exact.
//
// A server that counts moves the gate as it goes. When it dies, a server that waits opens the gate
// again as soon as it has not moved for a while (Patience). If it was slow and not dead, its
// transaction fails, for the gate is not where it left it, and it counts again. The last quota of a
// namespace takes the gate with it.
//
// The alternatives were worse. One counter for each namespace that all writers write makes them
// wait for each other where no quota is. A quota that begins without a status and is activated
// later, as in Kubernetes, has a time in which writes are refused with "status unknown", or pass.
//
// Writers of one process queue for a namespace (queue.go), as each charge moves the quota that the
// next one is decided on. Between servers the second writer tries again.
//
// It never charges what expires by itself (kinds with a lifetime, like events): no transaction
// of ours removes it. It knows pods, services, claims of volumes and claims of devices by the Go
// types of k8s.io/api, and counts everything else. All servers on one etcd must have the
// plug-in. What was written while one had not is counted when the status of a quota is written,
// which always means that (counter.go does it).
//
// Start reading at quotas.charge, in charge.go. The kind is in the folder below, its rules are in
// strategy.go.
//
// +typeplane:apiserver
package quota
