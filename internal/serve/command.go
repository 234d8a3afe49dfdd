package serve

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"strings"

	"github.com/spf13/pflag"

	"github.com/typeplane/typeplane/internal/suggest"
)

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

// The exit codes of commands besides 0 and 1, which is for every other failure.
const exitLeft = 3 // it has come to its end, and not all is as it should be

// exitError is an error with an exit code of its own.
type exitError struct {
	code int
	err  error
}

func (e *exitError) Error() string { return e.err.Error() }
func (e *exitError) Unwrap() error { return e.err }

func exitCode(err error) int {
	var e *exitError
	if errors.As(err, &e) {
		return e.code
	}
	return 1
}

// commands are all of them but help, in the order of the help.
func (s Server) commands() []command {
	return []command{s.inspectCommand(), s.backupCommand(), s.restoreCommand(), s.migrateCommand(), s.importCommand()}
}

// runCommand runs the command that the first argument names.
func (s Server) runCommand(ctx context.Context, args []string, c console) error {
	name, args := args[0], args[1:]
	if name == "help" {
		return s.help(args, c)
	}
	cmd, err := s.command(name)
	if err != nil {
		return err
	}
	fs := cmd.flagSet(s.Name)
	fs.Usage = func() { cmd.usage(s.Name, c.out) }
	if err := fs.Parse(args); err != nil {
		return withSuggestion(err, fs)
	}
	server, _ := newFlags(s)
	if _, err := (settings{program: s.Name, environ: os.Environ(), server: server}).apply(fs); err != nil {
		return err
	}
	return cmd.run(ctx, fs.Args(), c)
}

func (s Server) command(name string) (command, error) {
	names := []string{"help"}
	for _, cmd := range s.commands() {
		if cmd.name == name {
			return cmd, nil
		}
		names = append(names, cmd.name)
	}
	if near := suggest.Nearest(name, names); near != "" {
		return command{}, fmt.Errorf("%q is no command; did you mean %s?", name, near)
	}
	return command{}, fmt.Errorf("%q is no command; there are %s, and flags alone start the server", name, strings.Join(names, ", "))
}

// help is the command of that name: it says what there is, or what a command does.
func (s Server) help(args []string, c console) error {
	if len(args) > 0 {
		cmd, err := s.command(args[0])
		if err != nil {
			return err
		}
		cmd.usage(s.Name, c.out)
		return nil
	}
	fs, _ := newFlags(s)
	fmt.Fprint(c.out, s.usage(fs))
	return nil
}

// usage is the help of the whole program.
func (s Server) usage(fs *pflag.FlagSet) string {
	var b strings.Builder
	fmt.Fprintf(&b, "%s serves its API over HTTPS and keeps the objects in %s.\n\nUsage: %s [flags]\n", s.Name, s.storage(), s.Name)
	for _, cmd := range s.commands() {
		fmt.Fprintf(&b, "       %s %-8s %s\n", s.Name, cmd.name, cmd.about)
	}
	fmt.Fprintf(&b, "       %s help COMMAND\n\n%s", s.Name, fs.FlagUsagesWrapped(100))
	fmt.Fprintf(&b, "\nEach flag may also be a variable of the environment (--data-dir is %s) or be in the file of --config.\n", settings{program: s.Name}.variable("data-dir"))
	fmt.Fprintf(&b, "Flags of other API servers that ask for what is so in any case are taken, with a warning: %s.\n", formerNames())
	return b.String()
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
