package serve

import (
	"cmp"
	"fmt"
	"os"
	"path/filepath"

	"github.com/typeplane/typeplane/internal/diskspace"
	"github.com/typeplane/typeplane/internal/program"
	"github.com/typeplane/typeplane/internal/server/audit"
)

const (
	// maxAuditSize and maxAuditBackups make less than 200 MB.
	maxAuditSize    = 60 // MiB
	maxAuditBackups = 2
	// auditRoom is how many bytes must be free for the audit log to be written beside the database.
	auditRoom = 512 << 20
)

// auditLog is the audit log and its file, "-" for the standard output. Without one both are empty.
type auditLog struct {
	*audit.Log
	path string
}

// openAudit begins the audit log, if there is to be one. It is closed after the last request.
func (p *plan) openAudit(door *door, opened *closers) (*auditLog, error) {
	config, err := p.auditConfig(filepath.Dir(door.kubeconfig))
	if err != nil {
		return nil, err
	}
	if config == nil {
		return new(auditLog), nil
	}
	if p.options.Audit.PolicyFile != "" {
		if config.Policy, err = audit.ReadPolicy(p.options.Audit.PolicyFile); err != nil {
			return nil, fmt.Errorf("--audit-policy-file: %w", err)
		}
	}
	log, err := audit.Open(*config)
	if err != nil {
		return nil, fmt.Errorf("--audit-log-path: %w", err)
	}
	opened.add(log.Close)
	return &auditLog{log, config.Path}, nil
}

// auditConfig says where the audit log is, nil for none: a server whose objects are in memory has
// none in its data directory, dataDir.
func (p *plan) auditConfig(dataDir string) (*audit.Config, error) {
	o := p.options.Audit
	config := &audit.Config{Path: o.LogPath, MaxSize: o.LogMaxSize, MaxBackups: o.LogMaxBackups, MaxAge: o.LogMaxAge, Registry: p.metrics, Log: p.log}
	switch {
	case o.LogPath == "", o.LogPath == program.AuditInDataDir && p.options.Store.InMemory:
		return nil, nil
	case o.LogPath != program.AuditInDataDir:
		return config, nil
	}
	config.Path = program.AuditFile(dataDir)
	dir := filepath.Dir(config.Path)
	if err := os.MkdirAll(dir, 0o700); err != nil {
		return nil, fmt.Errorf("--audit-log-path: %w", err)
	}
	config.Room = func() bool { return auditHasRoom(dir) }
	config.MaxSize, config.MaxBackups = cmp.Or(o.LogMaxSize, maxAuditSize), cmp.Or(o.LogMaxBackups, maxAuditBackups)
	return config, nil
}

// auditHasRoom is true where it is not known.
func auditHasRoom(dir string) bool {
	free, err := diskspace.Free(dir)
	return err != nil || free >= auditRoom
}
