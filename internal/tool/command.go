package tool

import (
	"context"
	"fmt"
	"io"
	"os"
	"strings"

	"github.com/typeplane/typeplane/internal/program"
	"github.com/typeplane/typeplane/internal/suggest"
)

// commands are all of them but help, in the order of the help.
func commands(s program.Server) []command {
	return []command{inspectCommand(s), backupCommand(s), restoreCommand(s), migrateCommand(s), importCommand(s), userCommand(s), consoleCommand(s), versionCommand(s), completionCommand(s)}
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
	fs.Usage = func() { io.WriteString(c.Out, cmd.usage(s.Name)) }
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
