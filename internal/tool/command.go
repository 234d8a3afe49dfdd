package tool

import (
	"context"
	"fmt"
	"os"
	"strings"

	"github.com/spf13/pflag"

	"github.com/typeplane/typeplane/internal/program"
	"github.com/typeplane/typeplane/internal/suggest"
)

// commands are all of them but help, in the order of the help.
func commands(s program.Server) []command {
	return []command{inspectCommand(s), backupCommand(s), restoreCommand(s), migrateCommand(s), importCommand(s), userCommand(s), versionCommand(s)}
}

// Run runs the command that the first argument names.
func Run(ctx context.Context, s program.Server, args []string, c Console) error {
	name, args := args[0], args[1:]
	if name == "help" {
		return help(s, args, c)
	}
	cmd, err := find(s, name)
	if err != nil {
		return err
	}
	fs := cmd.flagSet(s.Name)
	fs.Usage = func() { cmd.usage(s.Name, c.Out) }
	if err := fs.Parse(args); err != nil {
		return program.WithSuggestion(err, fs)
	}
	if !cmd.alone {
		if err := program.ApplySettings(s, fs, os.Environ()); err != nil {
			return err
		}
	}
	return cmd.run(ctx, fs.Args(), c)
}

func find(s program.Server, name string) (command, error) {
	names := []string{"help"}
	for _, cmd := range commands(s) {
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
func help(s program.Server, args []string, c Console) error {
	if len(args) > 0 {
		cmd, err := find(s, args[0])
		if err != nil {
			return err
		}
		cmd.usage(s.Name, c.Out)
		return nil
	}
	fs, _ := program.NewFlags(s)
	fmt.Fprint(c.Out, Usage(s, fs))
	return nil
}

// Usage is the help of the whole program.
func Usage(s program.Server, fs *pflag.FlagSet) string {
	var b strings.Builder
	fmt.Fprintf(&b, "%s serves its API over HTTPS and keeps the objects in %s.\n\nUsage: %s [flags]\n", s.Name, program.StorageName(s), s.Name)
	for _, cmd := range commands(s) {
		fmt.Fprintf(&b, "       %s %-8s %s\n", s.Name, cmd.name, cmd.about)
	}
	fmt.Fprintf(&b, "       %s help COMMAND\n\n%s", s.Name, fs.FlagUsagesWrapped(100))
	fmt.Fprintf(&b, "\nEach flag may also be a variable of the environment (--data-dir is %s) or be in the file of --config.\n", program.Variable(s.Name, "data-dir"))
	fmt.Fprintf(&b, "Flags of other API servers that ask for what is so in any case are taken, with a warning: %s.\n", program.FormerNames())
	return b.String()
}
