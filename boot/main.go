package boot

import (
	"context"
	"errors"
	"fmt"
	"os"
	"os/signal"
	"strings"
	"syscall"

	"github.com/spf13/pflag"

	"github.com/typeplane/typeplane/internal/suggest"
)

// Main runs a server as a program: flags or a command in, an exit code out. SIGINT and SIGTERM stop it in good order, a second
// one at once.
func Main(s Server) {
	ctx, stop := signal.NotifyContext(context.Background(), syscall.SIGINT, syscall.SIGTERM)
	defer stop()
	context.AfterFunc(ctx, stop) // from now on a signal has its usual effect again
	err := run(ctx, s, os.Args[1:], systemConsole())
	if errors.Is(err, pflag.ErrHelp) {
		return
	}
	if err != nil {
		fmt.Fprintf(os.Stderr, "%s: %v\n", s.Name, err)
		os.Exit(exitCode(err))
	}
}

func run(ctx context.Context, s Server, args []string, c console) error {
	if len(args) > 0 && !strings.HasPrefix(args[0], "-") {
		return s.runCommand(ctx, args, c)
	}
	o, err := parse(s, args)
	if err != nil {
		return err
	}
	return Run(ctx, s, o, c.out)
}

// newFlags are the flags of the server itself.
func newFlags(s Server) (*pflag.FlagSet, *Options) {
	o := NewOptions(s.Name)
	fs := pflag.NewFlagSet(s.Name, pflag.ContinueOnError)
	fs.SortFlags = false
	o.AddFlags(fs)
	o.API.addFlags(fs, s.APIs)
	return fs, o
}

// parse reads the command line. The error of an unknown flag says which one was probably meant.
func parse(s Server, args []string) (*Options, error) {
	fs, o := newFlags(s)
	fs.Usage = func() { fmt.Fprint(os.Stderr, s.usage(fs)) }
	if err := fs.Parse(args); err != nil {
		return nil, withSuggestion(err, fs)
	}
	if fs.NArg() > 0 {
		return nil, fmt.Errorf("%q: there are no arguments, only flags; see --help", fs.Arg(0))
	}
	return o, nil
}

func withSuggestion(err error, fs *pflag.FlagSet) error {
	var unknown *pflag.NotExistError
	if !errors.As(err, &unknown) {
		return err
	}
	var names []string
	fs.VisitAll(func(f *pflag.Flag) {
		if !f.Hidden {
			names = append(names, f.Name)
		}
	})
	if name := suggest.Nearest(unknown.GetSpecifiedName(), names); name != "" {
		return fmt.Errorf("%w; did you mean --%s?", err, name)
	}
	return fmt.Errorf("%w; see --help", err)
}
