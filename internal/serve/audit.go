package serve

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"

	"github.com/spf13/pflag"

	"github.com/typeplane/typeplane/internal/diskspace"
	"github.com/typeplane/typeplane/internal/server/audit"
)

// AuditOptions says what is kept of who did what. The zero value keeps nothing.
type AuditOptions struct {
	// LogPath is the file of the audit log; AuditInDataDir is one in the data directory, "-" the
	// standard output, "" none.
	LogPath string
	// PolicyFile says how much of which request is logged; "" logs the metadata of everything that
	// writes, and of what is refused.
	PolicyFile string
	// LogMaxSize is how many megabytes a file has before it is put aside, LogMaxBackups how many
	// old ones are kept, LogMaxAge for how many days. 0 is 100 MB, all of them, and for ever; in
	// the data directory it is 60 MB and 2.
	LogMaxSize, LogMaxBackups, LogMaxAge int
}

// AuditInDataDir is the AuditOptions.LogPath of servers that keep their objects on a disk. In the
// data directory the log has 200 MB at most, and ends before the disk is full.
const AuditInDataDir = "auto"

const (
	auditFolder = "audit"
	// maxAuditSize and maxAuditBackups make less than 200 MB.
	maxAuditSize    = 60 // MiB
	maxAuditBackups = 2
	// auditRoom is how many bytes must be free for the audit log to be written beside the database.
	auditRoom = 512 << 20
)

func (o *AuditOptions) addFlags(fs *pflag.FlagSet) {
	fs.StringVar(&o.LogPath, "audit-log-path", o.LogPath, "`file` of the audit log, one event of audit.k8s.io/v1 in each line; "+AuditInDataDir+" is audit/audit.log in the data directory, with 200 MB at most in all; - is the standard output; empty keeps nothing")
	fs.StringVar(&o.PolicyFile, "audit-policy-file", o.PolicyFile, "`file` with a Policy of audit.k8s.io/v1: how much of which request is logged; without it the metadata of everything that writes, and of what gets 401 or 403")
	fs.IntVar(&o.LogMaxSize, "audit-log-maxsize", o.LogMaxSize, "how many `megabytes` the audit log has before it is put aside; 0 is 100, and 60 in the data directory")
	fs.IntVar(&o.LogMaxBackups, "audit-log-maxbackup", o.LogMaxBackups, "how many old `files` of the audit log are kept; 0 is all of them, and 2 in the data directory")
	fs.IntVar(&o.LogMaxAge, "audit-log-maxage", o.LogMaxAge, "for how many `days` old files of the audit log are kept; 0 is for ever")
}

func (o *AuditOptions) validate() error {
	var errs []error
	if o.PolicyFile != "" && o.LogPath == "" {
		errs = append(errs, errors.New("--audit-policy-file says what goes into --audit-log-path; name that, too"))
	}
	for _, n := range []struct {
		flag  string
		value int
	}{{"maxsize", o.LogMaxSize}, {"maxbackup", o.LogMaxBackups}, {"maxage", o.LogMaxAge}} {
		if n.value < 0 {
			errs = append(errs, fmt.Errorf("--audit-log-%s=%d: want a number from 0", n.flag, n.value))
		}
	}
	return errors.Join(errs...)
}

// openAudit begins the audit log, if there is to be one. It is closed after the last request.
func (i *Instance) openAudit(context.Context) error {
	config, err := i.auditConfig()
	if err != nil || config == nil {
		return err
	}
	if i.options.Audit.PolicyFile != "" {
		if config.Policy, err = audit.ReadPolicy(i.options.Audit.PolicyFile); err != nil {
			return fmt.Errorf("--audit-policy-file: %w", err)
		}
	}
	log, err := audit.Open(*config)
	if err != nil {
		return fmt.Errorf("--audit-log-path: %w", err)
	}
	i.audit, i.auditPath = log, config.Path
	i.onClose(log.Close)
	return nil
}

// auditConfig says where the audit log is, nil for none: a server whose objects are in memory has
// none in its data directory.
func (i *Instance) auditConfig() (*audit.Config, error) {
	o := i.options.Audit
	config := &audit.Config{Path: o.LogPath, MaxSize: o.LogMaxSize, MaxBackups: o.LogMaxBackups, MaxAge: o.LogMaxAge, Registry: i.metrics, Log: i.log}
	switch {
	case o.LogPath == "", o.LogPath == AuditInDataDir && i.options.Store.InMemory:
		return nil, nil
	case o.LogPath != AuditInDataDir:
		return config, nil
	}
	dir := filepath.Join(filepath.Dir(i.access.kubeconfig), auditFolder)
	if err := os.MkdirAll(dir, 0o700); err != nil {
		return nil, fmt.Errorf("--audit-log-path: %w", err)
	}
	config.Path, config.Room = filepath.Join(dir, "audit.log"), func() bool { return auditHasRoom(dir) }
	config.MaxSize, config.MaxBackups = cmp.Or(o.LogMaxSize, maxAuditSize), cmp.Or(o.LogMaxBackups, maxAuditBackups)
	return config, nil
}

// auditHasRoom is true where it is not known.
func auditHasRoom(dir string) bool {
	free, err := diskspace.Free(dir)
	return err != nil || free >= auditRoom
}
