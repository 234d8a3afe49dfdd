// Package fairness keeps one user from starving others: it says which request is answered now,
// which waits, and which is refused.
//
// It does what Kubernetes calls API priority and fairness. A Schema says which requests it is
// about, which Level they belong to, and what tells their flows apart: the user or the namespace. A
// Level has a share of the seats of the server. A request takes one seat or several while it is
// answered. Where the seats of a level are taken, requests wait in its queues. Each flow has a few
// of these queues, chosen by a hash, and the queue that has got least goes next. Levels lend each
// other seats that they don't need.
//
// Start reading at Controller. Begin finds the schema (match.go) and takes the seats (level.go);
// queues are in queue.go, borrowing is in borrow.go, and default.go has what holds where nobody
// says otherwise. Dump tells what there is at one moment, and page.go prints it. The names and
// numbers are those of k8s.io/apiserver/pkg/util/flowcontrol.
//
// This package knows no HTTP and no objects. There is no goroutine and, but for requests that wait,
// no timer.
package fairness
