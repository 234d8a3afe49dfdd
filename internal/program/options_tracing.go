package program

import (
	"context"
	"log/slog"

	"github.com/spf13/pflag"

	"github.com/typeplane/typeplane/trace"
)

// TracingConfig is what Server.Tracing is told.
type TracingConfig struct {
	// Service is the name of the program.
	Service string
	// File is that of --tracing-config-file.
	File string
	// Log gets what goes wrong later on.
	Log *slog.Logger
}

// Tracer is a trace.Recorder that sends somewhere what it records.
type Tracer interface {
	trace.Recorder
	// Close sends what is left, as long as ctx lasts. Nothing is recorded any more.
	Close(ctx context.Context) error
}

// TracingOptions say what becomes of traces. Without Server.Tracing there is no flag.
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
