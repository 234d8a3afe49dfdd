package serve

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"

	"github.com/spf13/pflag"
)

// console is what a command reads and writes. Results go to out, all else to err.
type console struct {
	in       io.Reader
	out, err io.Writer
	// terminal says that a person looks at err as it is written.
	terminal bool
}

func systemConsole() console {
	info, err := os.Stderr.Stat()
	return console{in: os.Stdin, out: os.Stdout, err: os.Stderr, terminal: err == nil && info.Mode()&os.ModeCharDevice != 0}
}

// command is something that a server's program does instead of serving: its first argument is the
// command's name.
type command struct {
	name string
	// args are its arguments for the usage line, about is what it does, in one line, and more all
	// that there is to know.
	args, about, more string
	flags             func(*pflag.FlagSet)
	run               func(ctx context.Context, args []string, c console) error
}

func (cmd command) flagSet(program string) *pflag.FlagSet {
	fs := pflag.NewFlagSet(program+" "+cmd.name, pflag.ContinueOnError)
	fs.SortFlags = false
	cmd.flags(fs)
	addConfigFlag(fs)
	return fs
}

func (cmd command) usage(program string, out io.Writer) {
	fmt.Fprintf(out, "%s %s %s\n\n%s\n\nUsage: %s %s %s [flags]\n\n%s",
		program, cmd.name, cmd.about, cmd.more, program, cmd.name, cmd.args, cmd.flagSet(program).FlagUsagesWrapped(100))
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

func exitCode(err error) int {
	var e *exitError
	if errors.As(err, &e) {
		return e.code
	}
	return 1
}

// The exit codes of commands besides 0 and 1, which is for every other failure.
const exitLeft = 3 // it has come to its end, and not all is as it should be
