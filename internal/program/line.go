package program

import (
	"errors"
	"fmt"
	"io"

	"github.com/spf13/pflag"
)

// commandLine is what the program was told to do as a server.
type commandLine struct {
	program  Server
	Options  *Options
	flags    *pflag.FlagSet
	Print    bool // of the values of all flags
	Version  bool // is asked for, and nothing else was looked at
	settings settings
	sources  map[string]string // where the values of flags come from
}

// PrintConfig writes the values of all flags and where they come from, as a file for --config. Its
// error says what is wrong with them.
func (l *commandLine) PrintConfig(out io.Writer) error {
	_, unknown := ChoosePlugins(l.program, &l.Options.Admission)
	return errors.Join(l.settings.print(out, l.flags, l.sources), Validate(l.program, l.Options), unknown)
}

// ParseLine reads the command line, the environment and the file. The error of an unknown flag says
// which one was probably meant. help shows the help of the server, whose flags it gets.
func ParseLine(s Server, args, environ []string, help func(*pflag.FlagSet)) (*commandLine, error) {
	fs, o := NewFlags(s)
	fs.Usage = func() { help(fs) }
	if err := fs.Parse(args); err != nil {
		return nil, WithSuggestion(err, fs)
	}
	if fs.NArg() > 0 {
		return nil, fmt.Errorf("%q: there are no arguments, only flags; see --help", fs.Arg(0))
	}
	if version, err := fs.GetBool(versionFlag); version || err != nil {
		return &commandLine{Version: version}, err
	}
	line := &commandLine{program: s, Options: o, flags: fs, settings: settings{program: s.Name, environ: environ, server: fs}}
	sources, err := line.settings.apply(fs)
	if err != nil {
		return nil, err
	}
	line.sources = sources
	line.Print, err = fs.GetBool(printConfigFlag)
	return line, err
}

// ApplySettings sets the flags of a command that its command line leaves open.
func ApplySettings(s Server, fs *pflag.FlagSet, environ []string) error {
	server, _ := NewFlags(s)
	_, err := settings{program: s.Name, environ: environ, server: server}.apply(fs)
	return err
}
