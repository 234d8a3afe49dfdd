package program

import (
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/spf13/pflag"
)

// AdmissionOptions says which plug-ins of the program see a write before it is stored
// (Server.Admission, API.Admission). Without any the flags are not there.
type AdmissionOptions struct {
	// Enable names plug-ins to have beside those that are on by default, Disable such as are not to
	// be on. Their order has no meaning.
	Enable, Disable []string
	// Control names all that are on, in the order in which they are asked. It is the older way to
	// say it, and excludes both others.
	Control []string
	// ConfigFile is a file with an AdmissionConfiguration of apiserver.config.k8s.io/v1: what
	// plug-ins need to know.
	ConfigFile string
}

const (
	FlagEnablePlugins    = "enable-admission-plugins"
	FlagDisablePlugins   = "disable-admission-plugins"
	FlagAdmissionControl = "admission-control"
	FlagAdmissionConfig  = "admission-control-config-file"
)

func (o *AdmissionOptions) addFlags(fs *pflag.FlagSet, plugins []AdmissionPlugin) {
	on := slices.DeleteFunc(slices.Clone(plugins), func(p AdmissionPlugin) bool { return p.Off })
	fs.StringSliceVar(&o.Enable, FlagEnablePlugins, o.Enable, "comma-separated admission `plug-ins` that are on beside those that are by default ("+strings.Join(pluginNames(on), ", ")+"); there are "+strings.Join(pluginNames(plugins), ", ")+"; the order has no meaning")
	fs.StringSliceVar(&o.Disable, FlagDisablePlugins, o.Disable, "comma-separated admission `plug-ins` that are not on although they are by default")
	fs.StringSliceVar(&o.Control, FlagAdmissionControl, o.Control, "comma-separated admission `plug-ins` that are on and no others, in the order in which they are asked; deprecated, use the two flags before this one")
	fs.StringVar(&o.ConfigFile, FlagAdmissionConfig, o.ConfigFile, "`file` with an AdmissionConfiguration of "+AdmissionConfigVersion+": what admission plug-ins have to know")
}

func (o *AdmissionOptions) validate() error {
	var errs []error
	for _, name := range o.Enable {
		if slices.Contains(o.Disable, name) {
			errs = append(errs, fmt.Errorf("--%s and --%s: both name %s", FlagEnablePlugins, FlagDisablePlugins, name))
		}
	}
	if len(o.Control) > 0 && len(o.Enable)+len(o.Disable) > 0 {
		errs = append(errs, fmt.Errorf("--%s names all plug-ins that are on: leave it out, or --%s and --%s", FlagAdmissionControl, FlagEnablePlugins, FlagDisablePlugins))
	}
	for i, name := range o.Control {
		if slices.Contains(o.Control[:i], name) {
			errs = append(errs, fmt.Errorf("--%s: %s is there twice", FlagAdmissionControl, name))
		}
	}
	return errors.Join(errs...)
}

func pluginNames(plugins []AdmissionPlugin) (names []string) {
	for _, p := range plugins {
		names = append(names, p.Name)
	}
	return names
}

const (
	AdmissionConfigVersion = "apiserver.config.k8s.io/v1"
	AdmissionConfigKind    = "AdmissionConfiguration"
)
