package serve

import (
	"context"
	"fmt"
	"strings"

	"k8s.io/apimachinery/pkg/runtime/schema"

	"github.com/typeplane/typeplane/admission"
	"github.com/typeplane/typeplane/internal/program"
	"github.com/typeplane/typeplane/storage"
)

// openAdmission makes the plug-ins that are on. Until then, which is before the first request,
// everything is admitted: what the server makes for itself.
func (i *Instance) openAdmission(ctx context.Context, h *program.Host) error {
	configs, err := readConfigs(&i.options.Admission, i.plugins)
	if err != nil {
		return err
	}
	if len(i.options.Admission.Control) > 0 {
		i.log.Warn("--" + program.FlagAdmissionControl + " is deprecated: name what differs from the default with --" + program.FlagEnablePlugins + " and --" + program.FlagDisablePlugins)
	}
	var plugins []admission.Plugin
	for _, chosen := range i.plugins {
		if missing := program.Missing(h, chosen.Needs); missing != "" {
			if chosen.Named != "" {
				return fmt.Errorf("--%s: %s works with %s, which this server does not serve", chosen.Named, chosen.Name, missing)
			}
			i.log.Debug("an admission plug-in is left out, since what it works with is not served", "plugin", chosen.Name, "resource", missing)
			continue
		}
		plugin, err := chosen.New(ctx, h, configs[chosen.Name])
		if err != nil {
			return fmt.Errorf("admission plug-in %s: %w", chosen.Name, err)
		}
		plugin.Name = chosen.Name
		plugins = append(plugins, plugin)
	}
	i.admission.Set(plugins)
	return nil
}

// openKept opens the stores of what the plug-ins that are on keep for themselves.
func (i *Instance) openKept() error {
	i.kept = map[string]storage.Interface{}
	served := &program.Host{Resources: i.resources}
	for _, chosen := range i.plugins {
		if chosen.Keeps == "" || program.Missing(served, chosen.Needs) != "" {
			continue
		}
		store, err := i.db.Store(chosen.Keeps, schema.GroupResource{Resource: strings.Trim(chosen.Keeps, "/")}, storage.Form{}, nil)
		if err != nil {
			return fmt.Errorf("admission plug-in %s: %w", chosen.Name, err)
		}
		i.kept[chosen.Keeps] = store
	}
	return nil
}
