package etcd3

import (
	"context"
	"fmt"
	"io"

	clientv3 "go.etcd.io/etcd/client/v3"
)

// Snapshot writes the whole database of the one member that client talks to into w, as it is at one
// moment: the database file, with its SHA-256 behind it. The revision that it returns is that of
// the cluster just before, which a member that keeps up has reached. The function progress may be
// nil. It is told, from the calling goroutine, how many bytes are written and how many there will
// be about.
func Snapshot(ctx context.Context, client *Client, w io.Writer, progress func(done, total int64)) (revision int64, err error) {
	endpoint := "" // a client without a connection has no endpoint
	switch list := client.Endpoints(); len(list) {
	case 0:
	case 1:
		endpoint = list[0]
	default:
		return 0, fmt.Errorf("etcd3: snapshot: it is of one member, and the client has %d endpoints", len(list))
	}
	now, err := client.Get(ctx, "/", clientv3.WithCountOnly())
	if err != nil {
		return 0, readError(ctx, "snapshot", "/", err)
	}
	status, err := client.Status(ctx, endpoint)
	if err != nil {
		return 0, readError(ctx, "snapshot", "/", err)
	}
	stream, err := client.SnapshotWithVersion(ctx)
	if err != nil {
		return 0, readError(ctx, "snapshot", "/", err)
	}
	defer stream.Snapshot.Close()
	out := &meter{w: w, total: status.DbSize, report: progress}
	switch _, err := io.Copy(out, stream.Snapshot); {
	case out.failed != nil:
		return 0, out.failed
	case err != nil:
		return 0, readError(ctx, "snapshot", "/", err)
	}
	return now.Header.Revision, nil
}

// meter counts what goes through it, and keeps the error of its writer apart from those of the
// reader.
type meter struct {
	w           io.Writer
	done, total int64
	report      func(done, total int64)
	failed      error
}

func (m *meter) Write(p []byte) (int, error) {
	n, err := m.w.Write(p)
	m.done += int64(n)
	m.failed = err
	if m.report != nil && err == nil {
		m.report(m.done, max(m.done, m.total))
	}
	return n, err
}
