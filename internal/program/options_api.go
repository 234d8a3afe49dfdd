package program

import (
	"fmt"
	"strings"
	"time"

	"github.com/spf13/pflag"
)

// APIOptions is what an operator may set of the APIs that a program can serve beside its own kinds
// (Server.APIs). Without any the flags are not there.
type APIOptions struct {
	// Enable names what is served, in the plural; "all" is everything, "none" alone nothing.
	// Without a name it is everything, but nothing behind an aggregator, as the cluster has it all.
	Enable []string
	// EventTTL is how long events are kept after their last write.
	EventTTL time.Duration
}

func (o *APIOptions) addFlags(fs *pflag.FlagSet, apis []API) {
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

// HasChoice says whether there is anything that --enable-api can leave out.
func HasChoice(s Server) bool { return len(choosable(s.APIs)) > 0 }

// Chosen are the names by which Join chooses.
func Chosen(o *Options) []string {
	if len(o.API.Enable) == 0 && o.Delegation.AuthenticationKubeconfig != "" {
		return []string{noAPIs}
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
