package serve

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"time"

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

const flagTracingConfig = "tracing-config-file"

func (o *TracingOptions) addFlags(fs *pflag.FlagSet, s Server) {
	if s.Tracing == nil {
		return
	}
	fs.StringVar(&o.ConfigFile, flagTracingConfig, o.ConfigFile, "`file` with a TracingConfiguration of apiserver.config.k8s.io: where traces are sent to, and of how many requests; without it of none")
}

// lastTraces is how long a server that stops waits for its last traces to be taken.
const lastTraces = 2 * time.Second

var errNoTracing = errors.New("--" + flagTracingConfig + ": this program keeps no traces: it links nothing that would (serve.Server.Tracing)")

func (i *Instance) openTracing(ctx context.Context) error {
	file := i.options.Tracing.ConfigFile
	if file == "" {
		return nil
	}
	if i.program.Tracing == nil {
		return errNoTracing
	}
	tracer, err := i.program.Tracing(ctx, TracingConfig{Service: i.program.Name, File: file, Log: i.log})
	if err != nil {
		return fmt.Errorf("--%s=%s: %w", flagTracingConfig, file, err)
	}
	i.tracer = tracer
	i.onClose(func() error {
		ctx, cancel := context.WithTimeout(context.Background(), lastTraces)
		defer cancel()
		if err := tracer.Close(ctx); err != nil {
			i.log.Warn("the last traces were not taken", "error", err)
		}
		return nil
	})
	return nil
}
