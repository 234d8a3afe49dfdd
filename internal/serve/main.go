package serve

import (
	"context"
	"errors"
	"fmt"
	"os"
	"os/signal"
	"strings"
	"syscall"

	"github.com/spf13/pflag"
)

// Main runs a server as a program: flags or a command in, an exit code out. SIGINT and SIGTERM stop
// it in good order, a second one at once.
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
	line, err := parseLine(s, args, os.Environ())
	if err != nil {
		return err
	}
	if line.print {
		_, unknown := s.chosenPlugins(&line.options.Admission)
		return errors.Join(line.settings.print(c.out, line.flags, line.sources), s.validate(line.options), unknown)
	}
	return Run(ctx, s, line.options, c.out)
}

// commandLine is what the program was told to do as a server.
type commandLine struct {
	options  *Options
	flags    *pflag.FlagSet
	print    bool
	settings settings
	sources  map[string]string // where the values of flags come from
}

// parseLine reads the command line, the environment and the file. The error of an unknown flag says
// which one was probably meant.
func parseLine(s Server, args, environ []string) (*commandLine, error) {
	fs, o := newFlags(s)
	fs.Usage = func() { fmt.Fprint(os.Stderr, s.usage(fs)) }
	if err := fs.Parse(args); err != nil {
		return nil, withSuggestion(err, fs)
	}
	if fs.NArg() > 0 {
		return nil, fmt.Errorf("%q: there are no arguments, only flags; see --help", fs.Arg(0))
	}
	line := &commandLine{options: o, flags: fs, settings: settings{program: s.Name, environ: environ, server: fs}}
	sources, err := line.settings.apply(fs)
	if err != nil {
		return nil, err
	}
	line.sources = sources
	line.print, err = fs.GetBool(printConfigFlag)
	return line, err
}

// parse is parseLine for the options alone.
func parse(s Server, args []string) (*Options, error) {
	line, err := parseLine(s, args, nil)
	if err != nil {
		return nil, err
	}
	return line.options, nil
}
