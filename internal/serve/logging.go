package serve

import (
	"errors"
	"fmt"
	"io"
	"log/slog"

	"github.com/spf13/pflag"
)

// LoggingOptions says how the server speaks about itself.
type LoggingOptions struct {
	// Format is "text" or "json".
	Format string
	// Verbosity is as in Kubernetes: from requestVerbosity on there is a line for each request.
	Verbosity int
}

// The formats of the log.
const (
	logText = "text"
	logJSON = "json"
)

// requestVerbosity is from where on requests are logged, as in Kubernetes.
const requestVerbosity = 3

func (o *LoggingOptions) addFlags(fs *pflag.FlagSet) {
	fs.StringVar(&o.Format, "logging-format", o.Format, "`format` of the server's log, on its standard error: text or json")
	fs.IntVarP(&o.Verbosity, "v", "v", o.Verbosity, fmt.Sprintf("`level` of detail in the log: from %d on there is a line for each request", requestVerbosity))
}

func (o *LoggingOptions) validate() error {
	var errs []error
	if o.Format != logText && o.Format != logJSON {
		errs = append(errs, fmt.Errorf("--logging-format=%s: want %s or %s", o.Format, logText, logJSON))
	}
	if o.Verbosity < 0 {
		errs = append(errs, fmt.Errorf("--v=%d: want a number from 0", o.Verbosity))
	}
	return errors.Join(errs...)
}

// logger writes to out in the format and from the level on that the options say.
func (o *LoggingOptions) logger(out io.Writer) *slog.Logger {
	options := &slog.HandlerOptions{Level: slog.LevelInfo}
	if o.Verbosity >= requestVerbosity {
		options.Level = slog.LevelDebug
	}
	if o.Format == logJSON {
		return slog.New(slog.NewJSONHandler(out, options))
	}
	return slog.New(slog.NewTextHandler(out, options))
}

// neverBlocking is logger for an out that may block, with a logWriter before it.
func (o *LoggingOptions) neverBlocking(out io.Writer) *slog.Logger {
	w := newLogWriter(out)
	log := o.logger(w)
	w.lost = func(lines int) { log.Warn("some of the log was lost because nobody read it", "lines", lines) }
	return log
}
