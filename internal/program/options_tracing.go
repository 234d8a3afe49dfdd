package program

import (
	"github.com/spf13/pflag"
)

// TracingOptions say what happens to traces. Without Server.Tracing there is no flag.
type TracingOptions struct {
	// ConfigFile has a TracingConfiguration, as kube-apiserver takes it; "": nothing is recorded.
	ConfigFile string
}

const FlagTracingConfig = "tracing-config-file"

func (o *TracingOptions) addFlags(fs *pflag.FlagSet, s Server) {
	if s.Tracing == nil {
		return
	}
	fs.StringVar(&o.ConfigFile, FlagTracingConfig, o.ConfigFile, "`file` with a TracingConfiguration of apiserver.config.k8s.io: where traces are sent to, and of how many requests; without it of none")
}
