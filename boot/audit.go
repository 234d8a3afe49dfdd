package boot

import (
	"context"
	"errors"
	"fmt"

	"github.com/spf13/pflag"

	"github.com/typeplane/typeplane/server/audit"
)

// AuditOptions says what is kept of who did what. The zero value keeps nothing.
type AuditOptions struct {
	// LogPath is the file of the audit log; "-" is the standard output, "" none.
	LogPath string
	// PolicyFile says how much of which request is logged; "" logs the metadata of everything that writes.
	PolicyFile string
	// LogMaxSize is how many megabytes a file has before it is put aside, LogMaxBackups how many old ones are kept, LogMaxAge for
	// how many days. 0 is 100 MB, all of them, and for ever.
	LogMaxSize, LogMaxBackups, LogMaxAge int
}

func (o *AuditOptions) addFlags(fs *pflag.FlagSet) {
	fs.StringVar(&o.LogPath, "audit-log-path", o.LogPath, "`file` of the audit log, one event of audit.k8s.io/v1 in each line; - is the standard output; without it nothing is logged")
	fs.StringVar(&o.PolicyFile, "audit-policy-file", o.PolicyFile, "`file` with a Policy of audit.k8s.io/v1: how much of which request is logged; without it the metadata of everything that writes")
	fs.IntVar(&o.LogMaxSize, "audit-log-maxsize", o.LogMaxSize, "how many `megabytes` the audit log has before it is put aside; 0 is 100")
	fs.IntVar(&o.LogMaxBackups, "audit-log-maxbackup", o.LogMaxBackups, "how many old `files` of the audit log are kept; 0 is all of them")
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
	o := &i.options.Audit
	if o.LogPath == "" {
		return nil
	}
	var policy *audit.Policy
	if o.PolicyFile != "" {
		var err error
		if policy, err = audit.ReadPolicy(o.PolicyFile); err != nil {
			return fmt.Errorf("--audit-policy-file: %w", err)
		}
	}
	log, err := audit.Open(audit.Config{
		Policy: policy, Path: o.LogPath, MaxSize: o.LogMaxSize, MaxBackups: o.LogMaxBackups, MaxAge: o.LogMaxAge,
		Registry: i.metrics, Log: i.log,
	})
	if err != nil {
		return fmt.Errorf("--audit-log-path: %w", err)
	}
	i.audit = log
	i.onClose(log.Close)
	return nil
}
