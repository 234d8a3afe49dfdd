package serve

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/typeplane/typeplane/internal/program"
)

// lastTraces is how long a server that stops waits for its last traces to be taken.
const lastTraces = 2 * time.Second

var errNoTracing = errors.New("--" + program.FlagTracingConfig + ": this program keeps no traces: it links nothing that would (typeplane.Server.Tracing)")

func (i *Instance) openTracing(ctx context.Context) error {
	file := i.options.Tracing.ConfigFile
	if file == "" {
		return nil
	}
	if i.program.Tracing == nil {
		return errNoTracing
	}
	tracer, err := i.program.Tracing(ctx, program.TracingConfig{Service: i.program.Name, File: file, Log: i.log})
	if err != nil {
		return fmt.Errorf("--%s=%s: %w", program.FlagTracingConfig, file, err)
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
