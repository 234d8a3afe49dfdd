package serve

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"

	"k8s.io/apimachinery/pkg/runtime/schema"

	"github.com/typeplane/typeplane/admission"
	"github.com/typeplane/typeplane/internal/suggest"
	"github.com/typeplane/typeplane/storage"
)

// admissionPlugins are those of the program, in the order in which they are asked: those of the
// APIs, then the program's own, and last those that want to be last, of which the APIs' have the
// very end.
func (s Server) admissionPlugins() (plugins []AdmissionPlugin) {
	var shared []AdmissionPlugin
	for _, a := range s.APIs {
		shared = append(shared, a.Admission...)
	}
	for _, part := range []struct {
		of   []AdmissionPlugin
		last bool
	}{{shared, false}, {s.Admission, false}, {s.Admission, true}, {shared, true}} {
		for _, p := range part.of {
			if p.Last == part.last {
				plugins = append(plugins, p)
			}
		}
	}
	return plugins
}

// chosenPlugins are the ones that the options choose, in the order in which they are asked.
func (s Server) chosenPlugins(o *AdmissionOptions) ([]chosenPlugin, error) {
	all := s.admissionPlugins()
	names := pluginNames(all)
	for i, name := range names {
		if slices.Contains(names[:i], name) {
			return nil, fmt.Errorf("the program has two admission plug-ins called %s", name)
		}
	}
	if err := errors.Join(knownPlugins(flagEnablePlugins, o.Enable, names), knownPlugins(flagDisablePlugins, o.Disable, names),
		knownPlugins(flagAdmissionControl, o.Control, names)); err != nil {
		return nil, err
	}
	var chosen []chosenPlugin
	if len(o.Control) > 0 {
		for _, name := range o.Control {
			chosen = append(chosen, chosenPlugin{all[slices.Index(names, name)], flagAdmissionControl})
		}
		return chosen, nil
	}
	for _, p := range all {
		switch {
		case slices.Contains(o.Enable, p.Name):
			chosen = append(chosen, chosenPlugin{p, flagEnablePlugins})
		case !p.Off && !slices.Contains(o.Disable, p.Name):
			chosen = append(chosen, chosenPlugin{p, ""})
		}
	}
	return chosen, nil
}

// knownPlugins says which of the values of a flag are no plug-ins.
func knownPlugins(flag string, named, known []string) error {
	var errs []error
	for _, name := range named {
		if slices.Contains(known, name) {
			continue
		}
		if near := suggest.Nearest(name, known); near != "" {
			errs = append(errs, fmt.Errorf("--%s: there is no plug-in %q; did you mean %s?", flag, name, near))
			continue
		}
		errs = append(errs, fmt.Errorf("--%s: there is no plug-in %q; choose of %s", flag, name, strings.Join(known, ", ")))
	}
	return errors.Join(errs...)
}

// openAdmission makes the plug-ins that are on. Until then, which is before the first request,
// everything is admitted: what the server makes for itself.
func (i *Instance) openAdmission(ctx context.Context, h *Host) error {
	configs, err := i.options.Admission.configs(i.plugins)
	if err != nil {
		return err
	}
	if len(i.options.Admission.Control) > 0 {
		i.log.Warn("--" + flagAdmissionControl + " is deprecated: name what differs from the default with --" + flagEnablePlugins + " and --" + flagDisablePlugins)
	}
	var plugins []admission.Plugin
	for _, chosen := range i.plugins {
		if missing := h.missing(chosen.Needs); missing != "" {
			if chosen.named != "" {
				return fmt.Errorf("--%s: %s works with %s, which this server does not serve", chosen.named, chosen.Name, missing)
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
	served := &Host{Resources: i.resources}
	for _, chosen := range i.plugins {
		if chosen.Keeps == "" || served.missing(chosen.Needs) != "" {
			continue
		}
		i.db.names[chosen.Keeps] = schema.GroupResource{Resource: strings.Trim(chosen.Keeps, "/")}
		store, err := i.db.store(chosen.Keeps, storage.Form{}, nil)
		if err != nil {
			return fmt.Errorf("admission plug-in %s: %w", chosen.Name, err)
		}
		i.kept[chosen.Keeps] = store
	}
	return nil
}

// missing is the first of the resources that is not served, "" if all are.
func (h *Host) missing(needed []schema.GroupVersionResource) string {
	for _, gvr := range needed {
		if h.Resource(gvr, "") == nil {
			return gvr.GroupResource().String()
		}
	}
	return ""
}
