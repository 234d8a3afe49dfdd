package tool

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"

	"github.com/spf13/pflag"

	"github.com/typeplane/typeplane/internal/program"
)

func (e *exitError) Error() string { return e.err.Error() }

func (e *exitError) Unwrap() error { return e.err }

// Console is what a command reads and writes. Results go to out, all else to err.
type Console struct {
	// Program is what the user calls the program.
	Program  string
	In       io.Reader
	Out, Err io.Writer
	// Terminal says that a person looks at err as it is written.
	Terminal bool
}

func SystemConsole() Console {
	info, err := os.Stderr.Stat()
	return Console{Program: strings.TrimSuffix(filepath.Base(os.Args[0]), ".exe"), In: os.Stdin, Out: os.Stdout, Err: os.Stderr, Terminal: err == nil && info.Mode()&os.ModeCharDevice != 0}
}

// say tells whoever looks what is going on.
func (c Console) say(line string) { fmt.Fprintln(c.Err, line) }

// command is something that a server's program does instead of serving: its first argument is the
// command's name.
type command struct {
	name string
	// args are its arguments for the usage line, about is what it does, in one line, and more all
	// that there is to know.
	args, about, more string
	flags             func(*pflag.FlagSet)
	// first are what its first argument can be, where that is one of a few words; takesFile says
	// that it is a file. choices are the values that flags of its own can have. Shells offer these.
	first     []string
	takesFile bool
	choices   map[string][]string
	// alone says that the settings of the server are nothing to it.
	alone bool
	run   func(ctx context.Context, args []string, c Console) error
}

func (cmd command) flagSet(server string) *pflag.FlagSet {
	fs := pflag.NewFlagSet(server+" "+cmd.name, pflag.ContinueOnError)
	fs.SortFlags = false
	cmd.flags(fs)
	if !cmd.alone {
		program.AddConfigFlag(fs)
	}
	return fs
}

// oneArgument returns the only argument of a command, which the error calls what.
func oneArgument(args []string, what string) (string, error) {
	if len(args) != 1 {
		return "", fmt.Errorf("want one argument, %s, and got %d; see --help", what, len(args))
	}
	return args[0], nil
}

func noArguments(args []string) error {
	if len(args) > 0 {
		return fmt.Errorf("%q: this command has no arguments, only flags; see --help", args[0])
	}
	return nil
}

// exitError is an error with an exit code of its own.
type exitError struct {
	code int
	err  error
}

func ExitCode(err error) int {
	var e *exitError
	if errors.As(err, &e) {
		return e.code
	}
	return 1
}

// The exit codes of commands besides 0 and 1, which is for every other failure.
const ExitLeft = 3 // it has come to its end, and not all is as it should be
