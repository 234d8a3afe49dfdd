package program

import (
	"errors"
	"fmt"
	"path/filepath"

	"github.com/spf13/pflag"
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

// AuditFile is the file that AuditInDataDir means.
func AuditFile(dataDir string) string { return filepath.Join(dataDir, "audit", "audit.log") }

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
