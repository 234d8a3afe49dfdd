package program

import (
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"maps"
	"os"
	"regexp"
	"slices"
	"strconv"
	"strings"

	"github.com/spf13/pflag"
	"sigs.k8s.io/yaml"

	"github.com/typeplane/typeplane/internal/suggest"
)

// The flags that are about the others, or about the program. They can't be in the file.
const (
	configFlag      = "config"
	printConfigFlag = "print-config"
	versionFlag     = "version"
)

// isSetting says whether a flag can be set in the file.
func isSetting(flag string) bool {
	return flag != configFlag && flag != printConfigFlag && flag != versionFlag
}

// settings are where the values of flags come from that the command line leaves open: first the
// environment, then the file of --config. Every flag of the server can be set in both.
type settings struct {
	program string
	environ []string // as of os.Environ
	server  *pflag.FlagSet
}

// apply sets the flags of fs, whose command line was parsed, and says where each value comes from.
// Flags that the server does not have are for the command line only. Those of the server that fs
// does not have are checked for their names alone, so that a command reads the file of its server.
func (s settings) apply(fs *pflag.FlagSet) (sources map[string]string, err error) {
	sources = map[string]string{}
	fs.VisitAll(func(f *pflag.Flag) {
		sources[f.Name] = "default"
		if f.Changed {
			sources[f.Name] = "flag"
		}
	})
	if err := s.applyEnvironment(fs, sources); err != nil {
		return nil, err
	}
	return sources, s.applyFile(fs, sources)
}

// Variable is the name of a program's flag in the environment.
func Variable(program, flag string) string {
	return strings.ToUpper(strings.ReplaceAll(program+"_"+flag, "-", "_"))
}

// serviceLink is what Kubernetes puts into the environment of a pod for a Service with the
// program's name.
var serviceLink = regexp.MustCompile(`^(SERVICE_HOST|SERVICE_PORT(_.*)?|PORT(_.*)?)$`)

// applyEnvironment refuses variables with the program's prefix that are nearly the name of a flag.
// Others may be somebody else's: a program can be called anything.
func (s settings) applyEnvironment(fs *pflag.FlagSet, sources map[string]string) error {
	flags := map[string]string{}
	s.server.VisitAll(func(f *pflag.Flag) {
		if isSetting(f.Name) || f.Name == configFlag {
			flags[Variable(s.program, f.Name)] = f.Name
		}
	})
	names := slices.Sorted(maps.Keys(flags))
	var errs []error
	for _, entry := range s.environ {
		name, value, _ := strings.Cut(entry, "=")
		rest, ours := strings.CutPrefix(name, Variable(s.program, ""))
		if !ours || serviceLink.MatchString(rest) {
			continue
		}
		flag, known := flags[name]
		if !known {
			if near := suggest.Nearest(name, names); near != "" && suggest.Nearest(rest, []string{strings.TrimPrefix(near, Variable(s.program, ""))}) != "" {
				errs = append(errs, fmt.Errorf("environment: %s is not the name of a flag; did you mean %s?", name, near))
			}
			continue
		}
		if f := fs.Lookup(flag); f == nil || f.Changed {
			continue
		}
		if err := fs.Set(flag, value); err != nil {
			errs = append(errs, fmt.Errorf("environment: %s: %w", name, err))
		}
		sources[flag] = "environment " + name
	}
	return errors.Join(errs...)
}

func (s settings) applyFile(fs *pflag.FlagSet, sources map[string]string) error {
	file := fs.Lookup(configFlag).Value.String()
	if file == "" {
		return nil
	}
	data, err := os.ReadFile(file)
	if err != nil {
		return fmt.Errorf("--%s: %w", configFlag, err)
	}
	values := map[string]any{}
	if err := yaml.UnmarshalStrict(data, &values); err != nil {
		return fmt.Errorf("--%s=%s: want a mapping of names of flags to values: %w", configFlag, file, err)
	}
	var errs []error
	for _, name := range slices.Sorted(maps.Keys(values)) {
		if err := s.applyValue(fs, name, values[name], sources, file); err != nil {
			errs = append(errs, fmt.Errorf("--%s=%s: %w", configFlag, file, err))
		}
	}
	return errors.Join(errs...)
}

func (s settings) applyValue(fs *pflag.FlagSet, name string, value any, sources map[string]string, file string) error {
	if s.server.Lookup(name) == nil || !isSetting(name) {
		return s.unknownKey(name)
	}
	f := fs.Lookup(name)
	if f == nil || f.Changed {
		return nil
	}
	items, err := texts(value)
	if err != nil {
		return fmt.Errorf("%s: %w", name, err)
	}
	sources[name] = "file " + file
	if _, isList := value.([]any); isList {
		list, takesList := f.Value.(pflag.SliceValue)
		if !takesList {
			return fmt.Errorf("%s: want one value, not a list", name)
		}
		f.Changed = true
		return list.Replace(items)
	}
	return fs.Set(name, items[0])
}

func (s settings) unknownKey(name string) error {
	var names []string
	s.server.VisitAll(func(f *pflag.Flag) {
		if !f.Hidden && isSetting(f.Name) {
			names = append(names, f.Name)
		}
	})
	if near := suggest.Nearest(name, names); near != "" {
		return fmt.Errorf("%s: there is no such flag; did you mean %s?", name, near)
	}
	return fmt.Errorf("%s: there is no such flag, or not for this file; see --help", name)
}

// texts are the values of a flag as they would be on the command line.
func texts(value any) ([]string, error) {
	switch v := value.(type) {
	case string:
		return []string{v}, nil
	case bool:
		return []string{strconv.FormatBool(v)}, nil
	case float64:
		return []string{strconv.FormatFloat(v, 'f', -1, 64)}, nil
	case []any:
		all := []string{}
		for _, element := range v {
			one, err := texts(element)
			if _, nested := element.([]any); nested || err != nil {
				return nil, errors.New("want a list of single values")
			}
			all = append(all, one[0])
		}
		return all, nil
	}
	return nil, fmt.Errorf("want a text, a number, true, false, or a list of these")
}

// print writes the values of all flags and where they come from, as a file for --config.
func (s settings) print(out io.Writer, fs *pflag.FlagSet, sources map[string]string) error {
	var errs []error
	fs.VisitAll(func(f *pflag.Flag) {
		if f.Hidden || !isSetting(f.Name) {
			return
		}
		text, err := valueText(f.Value)
		errs = append(errs, err)
		_, err = fmt.Fprintf(out, "%s: %s # %s\n", f.Name, text, sources[f.Name])
		errs = append(errs, err)
	})
	return errors.Join(errs...)
}

// valueText is a value in YAML, of which JSON is a part.
func valueText(v pflag.Value) (string, error) {
	if list, ok := v.(pflag.SliceValue); ok {
		text, err := json.Marshal(append([]string{}, list.GetSlice()...))
		return string(text), err
	}
	switch v.Type() {
	case "bool", "int", "int32", "int64", "float64":
		return v.String(), nil
	}
	text, err := json.Marshal(v.String())
	return string(text), err
}
