package serve

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"os/signal"
	"strings"
	"syscall"

	"github.com/spf13/pflag"

	"github.com/typeplane/typeplane/internal/program"
	"github.com/typeplane/typeplane/internal/tool"
)

// Main runs a server as a program: flags or a command in, an exit code out. SIGINT and SIGTERM stop
// it in good order, a second one at once.
func Main(s program.Server) {
	ctx, stop := signal.NotifyContext(context.Background(), syscall.SIGINT, syscall.SIGTERM)
	defer stop()
	context.AfterFunc(ctx, stop) // from now on a signal has its usual effect again
	err := run(ctx, s, os.Args[1:], tool.SystemConsole())
	if errors.Is(err, pflag.ErrHelp) {
		return
	}
	if err != nil {
		fmt.Fprintf(os.Stderr, "%s: %v\n", s.Name, err)
		os.Exit(tool.ExitCode(err))
	}
}

func run(ctx context.Context, s program.Server, args []string, c tool.Console) error {
	if len(args) > 0 && !strings.HasPrefix(args[0], "-") {
		return tool.Run(ctx, s, args, c)
	}
	line, err := program.ParseLine(s, args, os.Environ(), func(fs *pflag.FlagSet) { io.WriteString(c.Out, tool.Usage(s, fs)) })
	if err != nil {
		return err
	}
	if line.Version {
		return tool.PrintVersion(s, c)
	}
	if line.Print {
		return line.PrintConfig(c.Out)
	}
	return Run(ctx, s, line.Options, c.Out)
}
