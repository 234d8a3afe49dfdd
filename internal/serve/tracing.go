package serve

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/typeplane/typeplane/internal/program"
	"github.com/typeplane/typeplane/trace"
)

// lastTraces is how long a server that stops waits for its last traces to be taken.
const lastTraces = 2 * time.Second

var errNoTracing = errors.New("--" + program.FlagTracingConfig + ": this program keeps no traces: it links nothing that would (typeplane.Server.Tracing)")

// openTracing returns what keeps traces of requests, nil for nothing.
func (p *plan) openTracing(ctx context.Context, opened *closers) (trace.Recorder, error) {
	file := p.options.Tracing.ConfigFile
	if file == "" {
		return nil, nil
	}
	if p.program.Tracing == nil {
		return nil, errNoTracing
	}
	tracer, err := p.program.Tracing(ctx, program.TracingConfig{Service: p.program.Name, File: file, Log: p.log})
	if err != nil {
		return nil, fmt.Errorf("--%s=%s: %w", program.FlagTracingConfig, file, err)
	}
	opened.add(func() error {
		ctx, cancel := context.WithTimeout(context.Background(), lastTraces)
		defer cancel()
		if err := tracer.Close(ctx); err != nil {
			p.log.Warn("the last traces were not taken", "error", err)
		}
		return nil
	})
	return tracer, nil
}
