package program

import (
	"errors"
	"fmt"

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
	LogJSON = "json"
)

// RequestVerbosity is from where on requests are logged, as in Kubernetes.
const RequestVerbosity = 3

func (o *LoggingOptions) addFlags(fs *pflag.FlagSet) {
	fs.StringVar(&o.Format, "logging-format", o.Format, "`format` of the server's log, on its standard error: text or json")
	fs.IntVarP(&o.Verbosity, "v", "v", o.Verbosity, fmt.Sprintf("`level` of detail in the log: from %d on there is a line for each request", RequestVerbosity))
}

func (o *LoggingOptions) validate() error {
	var errs []error
	if o.Format != logText && o.Format != LogJSON {
		errs = append(errs, fmt.Errorf("--logging-format=%s: want %s or %s", o.Format, logText, LogJSON))
	}
	if o.Verbosity < 0 {
		errs = append(errs, fmt.Errorf("--v=%d: want a number from 0", o.Verbosity))
	}
	return errors.Join(errs...)
}
