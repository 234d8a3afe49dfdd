package program

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"

	"k8s.io/apimachinery/pkg/runtime/schema"

	"github.com/typeplane/typeplane/admission"
	"github.com/typeplane/typeplane/internal/suggest"
)

// NamespaceLifecycle is the plug-in that keeps everybody from creating things in a namespace that
// is missing or on its way out.
const NamespaceLifecycle = "NamespaceLifecycle"

// clustersLifecycle stands for it in a program that serves no namespaces. Behind an aggregator they
// are the cluster's, and the server has a plug-in that asks there.
var clustersLifecycle = AdmissionPlugin{
	Name: NamespaceLifecycle, Needs: []schema.GroupVersionResource{{Version: "v1", Resource: "namespaces"}},
	New: func(context.Context, *Host, []byte) (admission.Plugin, error) {
		return admission.Plugin{Wants: func(*admission.Request) bool { return false }}, nil
	},
}

// admissionPlugins are those of the program, in the order in which they are asked. First come those
// of the APIs, then the program's own. Last are those that want to be last, of which the APIs' have
// the very end.
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
	if !slices.Contains(pluginNames(plugins), NamespaceLifecycle) {
		return append([]AdmissionPlugin{clustersLifecycle}, plugins...)
	}
	return plugins
}

// ChoosePlugins returns the plug-ins that the options choose, in the order in which they are asked.
func ChoosePlugins(s Server, o *AdmissionOptions) ([]ChosenPlugin, error) {
	all := s.admissionPlugins()
	names := pluginNames(all)
	for i, name := range names {
		if slices.Contains(names[:i], name) {
			return nil, fmt.Errorf("the program has two admission plug-ins called %s", name)
		}
	}
	if err := errors.Join(knownPlugins(FlagEnablePlugins, o.Enable, names), knownPlugins(FlagDisablePlugins, o.Disable, names),
		knownPlugins(FlagAdmissionControl, o.Control, names)); err != nil {
		return nil, err
	}
	var chosen []ChosenPlugin
	if len(o.Control) > 0 {
		for _, name := range o.Control {
			chosen = append(chosen, ChosenPlugin{all[slices.Index(names, name)], FlagAdmissionControl})
		}
		return chosen, nil
	}
	for _, p := range all {
		switch {
		case slices.Contains(o.Enable, p.Name):
			chosen = append(chosen, ChosenPlugin{p, FlagEnablePlugins})
		case !p.Off && !slices.Contains(o.Disable, p.Name):
			chosen = append(chosen, ChosenPlugin{p, ""})
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

// ChosenPlugin is a plug-in that is on.
type ChosenPlugin struct {
	AdmissionPlugin
	// Named is the flag by which the operator asked for it, "" if it is on by default.
	Named string
}
