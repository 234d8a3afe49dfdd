package program

import (
	"errors"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/spf13/pflag"

	"github.com/typeplane/typeplane/internal/suggest"
)

// APIOptions is what an operator may set of the APIs that a program can serve beside its own kinds
// (Server.APIs). Without any the flags are not there.
type APIOptions struct {
	// Enable names what is served, in the plural; "all" is everything, "none" alone nothing.
	// Without a name it is everything, but nothing behind an aggregator, as the cluster has it all.
	Enable []string
	// EventTTL is how long events are kept after their last write.
	EventTTL time.Duration
	// DisableControllers names loops that the server leaves to a program beside it
	// (API.Controllers).
	DisableControllers []string
}

const flagDisableControllers = "disable-controllers"

func (o *APIOptions) addFlags(fs *pflag.FlagSet, apis []API) {
	if controllers := controllersOf(apis); len(controllers) > 0 {
		fs.StringSliceVar(&o.DisableControllers, flagDisableControllers, nil, "comma-separated `loops` that are left to a program beside the server, like a kube-controller-manager: "+strings.Join(controllers, ", "))
	}
	names := choosable(apis)
	if len(names) == 0 {
		return
	}
	fs.StringSliceVar(&o.Enable, "enable-api", nil, "comma-separated `resources` to serve of those that can be left out: "+strings.Join(names, ", ")+"; or all, or none; all without it, but none behind an aggregator (--authentication-kubeconfig)")
	fs.DurationVar(&o.EventTTL, "event-ttl", o.EventTTL, "`time` for which events are kept after their last write")
}

// choosable are the names that --enable-api knows: those of APIs that can be left out.
func choosable(apis []API) (names []string) {
	for _, a := range apis {
		if !a.own {
			names = append(names, a.names()...)
		}
	}
	return names
}

// controllersOf are the names that --disable-controllers knows.
func controllersOf(apis []API) (names []string) {
	for _, a := range apis {
		names = append(names, a.Controllers...)
	}
	return names
}

// validateControllers refuses names of loops that the program does not have.
func (s Server) validateControllers(o *APIOptions) error {
	known := controllersOf(s.APIs)
	var errs []error
	for _, name := range o.DisableControllers {
		switch near := suggest.Nearest(name, known); {
		case slices.Contains(known, name):
		case name == "garbage-collector-controller":
			errs = append(errs, fmt.Errorf("--%s=%s: say --garbage-collector=%s", flagDisableControllers, name, CollectBeside))
		case near != "":
			errs = append(errs, fmt.Errorf("--%s: there is no %q; did you mean %s?", flagDisableControllers, name, near))
		default:
			errs = append(errs, fmt.Errorf("--%s: there is no %q; choose of %s", flagDisableControllers, name, strings.Join(known, ", ")))
		}
	}
	return errors.Join(errs...)
}

// HasChoice says whether there is anything that --enable-api can leave out.
func HasChoice(s Server) bool { return len(choosable(s.APIs)) > 0 }

// Chosen are the names by which Join chooses.
func Chosen(o *Options) []string {
	if len(o.API.Enable) == 0 && o.Delegation.AuthenticationKubeconfig != "" {
		return []string{NoAPIs}
	}
	return o.API.Enable
}

func (o *APIOptions) validate() error {
	if o.EventTTL < time.Second {
		return fmt.Errorf("--event-ttl=%v: want a second or more", o.EventTTL)
	}
	return nil
}

// Lifetime is how long objects of a resource are kept; 0 is for ever.
func Lifetime(o *APIOptions, group, plural string) time.Duration {
	if group == "" && plural == "events" {
		return o.EventTTL
	}
	return 0
}
