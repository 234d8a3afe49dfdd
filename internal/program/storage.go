package program

import (
	"errors"
	"fmt"

	"github.com/spf13/pflag"
)

// StorageName says in the help where the objects are.
func StorageName(s Server) string {
	if s.Storage != nil {
		return "a storage of its own"
	}
	return "etcd"
}

// etcdFlags are those that say something about an etcd only.
var etcdFlags = []string{"etcd-servers", "etcd-servers-overrides", "etcd-cafile", "etcd-certfile", "etcd-keyfile", "etcd-compaction-interval"}

// hideEtcdFlags takes out of the help what a program with a storage of its own refuses.
func (s Server) hideEtcdFlags(fs *pflag.FlagSet) {
	for _, name := range etcdFlags {
		fs.Lookup(name).Hidden = s.Storage != nil
	}
}

// Validate returns every mistake in the options, for this program.
func Validate(s Server, o *Options) error {
	return errors.Join(o.Validate(), s.validateStorage(&o.Store), s.validateControllers(&o.API))
}

// ValidateStore returns every mistake in the options of a command, for this program.
func ValidateStore(s Server, o *StoreOptions) error {
	return errors.Join(o.Validate(), s.validateStorage(o))
}

// validateStorage refuses what would have no effect on a storage of the program's own.
func (s Server) validateStorage(o *StoreOptions) error {
	if s.Storage == nil {
		if o.ClusterSecretFile != "" && len(o.EtcdServers) == 0 {
			return fmt.Errorf("--cluster-secret-file=%s: it is for servers that share an etcd: name that with --etcd-servers, or leave the flag out", o.ClusterSecretFile)
		}
		return nil
	}
	var errs []error
	for _, wrong := range []struct {
		flag string
		set  bool
	}{
		{"--etcd-servers", len(o.EtcdServers) > 0},
		{"--etcd-servers-overrides", len(o.EtcdOverrides) > 0},
		{"--etcd-cafile", o.EtcdCAFile != ""},
		{"--etcd-certfile", o.EtcdCertFile != ""},
		{"--etcd-keyfile", o.EtcdKeyFile != ""},
		{"--etcd-compaction-interval", o.EtcdCompaction != defaultCompaction},
		{"StoreOptions.InMemory", o.InMemory},
	} {
		if wrong.set {
			errs = append(errs, fmt.Errorf("%s: %s keeps its objects in a storage of its own (Server.Storage), and in no etcd; leave it out", wrong.flag, s.Name))
		}
	}
	return errors.Join(errs...)
}
