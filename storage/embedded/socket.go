package embedded

import (
	"context"
	"net"
	"os"
	"path/filepath"
)

// FindSocket returns the path of the socket of the server that runs on a data directory; ok is
// false if none does.
func FindSocket(ctx context.Context, dir string) (path string, ok bool, err error) {
	if path, err = socketPath(dir); err != nil {
		return "", false, err
	}
	conn, err := new(net.Dialer).DialContext(ctx, "unix", path)
	if err != nil {
		return path, false, ctx.Err()
	}
	return path, true, conn.Close()
}

// HasDatabase says whether a server has run on a data directory before.
func HasDatabase(dir string) bool {
	_, err := os.Stat(filepath.Join(dir, "member"))
	return err == nil
}
