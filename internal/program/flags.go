package program

import (
	"errors"
	"fmt"

	"github.com/spf13/pflag"

	"github.com/typeplane/typeplane/internal/suggest"
)

// NewFlags are the flags of the server itself.
func NewFlags(s Server) (*pflag.FlagSet, *Options) {
	o := NewOptions(s.Name)
	fs := pflag.NewFlagSet(s.Name, pflag.ContinueOnError)
	fs.SortFlags = false
	o.AddFlags(fs)
	o.API.addFlags(fs, s.APIs)
	o.Admission.addFlags(fs, s.admissionPlugins())
	o.Tracing.addFlags(fs, s)
	s.hideEtcdFlags(fs)
	AddConfigFlag(fs)
	fs.Bool(printConfigFlag, false, "print the value of every flag and where it comes from, as a file for --config, and do nothing else")
	fs.Bool(versionFlag, false, "print what the program was built of, as the command version does, and do nothing else")
	return fs, o
}

func AddConfigFlag(fs *pflag.FlagSet) {
	fs.String(configFlag, "", "YAML `file` with values of flags, by their names without dashes; the environment stands above it, the command line above both")
}

func WithSuggestion(err error, fs *pflag.FlagSet) error {
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
