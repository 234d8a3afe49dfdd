package tool

import (
	"context"
	"errors"
	"fmt"
	"log/slog"

	"github.com/typeplane/typeplane/internal/database"
	"github.com/typeplane/typeplane/internal/program"
)

// needsEtcd refuses a command that works on an etcd if the program has none.
func needsEtcd(s program.Server, command string) error {
	if s.Storage == nil {
		return nil
	}
	return fmt.Errorf("%s works on an etcd, and %s keeps its objects in a storage of its own: use what that storage has for it, or a client of the server", command, s.Name)
}

func toolLog(c Console) *slog.Logger { return slog.New(slog.NewTextHandler(c.Err, nil)) }

// inDatabases calls use with the databases of a server, in which it can read what is encrypted.
func inDatabases(ctx context.Context, s program.Server, k *database.Kinds, o *program.StoreOptions, c Console, use func(*database.Databases) error) (err error) {
	lock, err := k.Unlock(o, toolLog(c))
	if err != nil {
		return err
	}
	defer lock()
	dbs, err := database.AttachAll(ctx, s, k, o, c.say, toolLog(c))
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, dbs.Close()) }()
	return use(dbs)
}
