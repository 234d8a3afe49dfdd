package program

import (
	"slices"

	"github.com/spf13/pflag"
)

// Choices are the values that a flag of the server can have, or the items of its list, where they
// are few; nil where they are not. Shells offer them.
func Choices(s Server, f *pflag.Flag) []string {
	switch f.Name {
	case "storage-media-type":
		return []string{mediaTypeProtobuf, mediaTypeJSON}
	case "garbage-collector":
		return []string{CollectInServer, CollectBeside, CollectNever}
	case "authorization-mode":
		return authorizationModes
	case "logging-format":
		return []string{logText, LogJSON}
	case "oidc-signing-algs":
		return oidcAlgorithms
	case flagDisableControllers:
		return controllersOf(s.APIs)
	case "enable-api":
		return append(choosable(s.APIs), allAPIs, NoAPIs)
	case FlagEnablePlugins, FlagDisablePlugins, FlagAdmissionControl:
		return slices.Sorted(slices.Values(pluginNames(s.admissionPlugins())))
	}
	if f.Value.Type() == "bool" {
		return []string{"true", "false"}
	}
	return nil
}
