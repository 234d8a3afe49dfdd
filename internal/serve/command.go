package serve

import (
	"context"
	"fmt"
	"os"
	"strings"

	"github.com/spf13/pflag"

	"github.com/typeplane/typeplane/internal/suggest"
)

func (e *exitError) Error() string { return e.err.Error() }
func (e *exitError) Unwrap() error { return e.err }

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
