package serve

import (
	"io"
	"log/slog"

	"github.com/typeplane/typeplane/internal/program"
)

// newLogger writes to out in the format and from the level on that the options say.
func newLogger(o *program.LoggingOptions, out io.Writer) *slog.Logger {
	options := &slog.HandlerOptions{Level: slog.LevelInfo}
	if o.Verbosity >= program.RequestVerbosity {
		options.Level = slog.LevelDebug
	}
	if o.Format == program.LogJSON {
		return slog.New(slog.NewJSONHandler(out, options))
	}
	return slog.New(slog.NewTextHandler(out, options))
}

// neverBlocking is logger for an out that may block, with a logWriter before it.
func neverBlocking(o *program.LoggingOptions, out io.Writer) *slog.Logger {
	w := newLogWriter(out)
	log := newLogger(o, w)
	w.lost = func(lines int) { log.Warn("some of the log was lost because nobody read it", "lines", lines) }
	return log
}
