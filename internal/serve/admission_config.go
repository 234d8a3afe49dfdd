package serve

import (
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"

	"sigs.k8s.io/yaml"

	"github.com/typeplane/typeplane/internal/program"
	"github.com/typeplane/typeplane/internal/suggest"
)

// admissionConfig is the file of --admission-control-config-file, as Kubernetes has it.
type admissionConfig struct {
	APIVersion string                  `json:"apiVersion"`
	Kind       string                  `json:"kind"`
	Plugins    []admissionPluginConfig `json:"plugins"`
}

type admissionPluginConfig struct {
	Name string `json:"name"`
	// Path is a file with the configuration, beside this one if it is relative; Configuration is
	// the configuration itself, and stands above Path.
	Path          string          `json:"path"`
	Configuration json.RawMessage `json:"configuration"`
}

// readConfigs reads the configurations of the plug-ins that are on. What it returns is JSON, by the
// plug-ins' names.
func readConfigs(o *program.AdmissionOptions, on []program.ChosenPlugin) (map[string]json.RawMessage, error) {
	if o.ConfigFile == "" {
		return nil, nil
	}
	file, err := readAdmissionConfig(o.ConfigFile)
	var configs map[string]json.RawMessage
	if err == nil {
		configs, err = file.of(on, filepath.Dir(o.ConfigFile))
	}
	if err != nil {
		return nil, fmt.Errorf("--%s=%s: %w", program.FlagAdmissionConfig, o.ConfigFile, err)
	}
	return configs, nil
}

func readAdmissionConfig(name string) (*admissionConfig, error) {
	data, err := os.ReadFile(name)
	if err != nil {
		return nil, err
	}
	var said struct {
		APIVersion string `json:"apiVersion"`
		Kind       string `json:"kind"`
	}
	if err := yaml.Unmarshal(data, &said); err != nil {
		return nil, err
	}
	if said.APIVersion != program.AdmissionConfigVersion || said.Kind != program.AdmissionConfigKind {
		return nil, fmt.Errorf("it is a %q of %q, want a %s of %s", said.Kind, said.APIVersion, program.AdmissionConfigKind, program.AdmissionConfigVersion)
	}
	config := new(admissionConfig)
	return config, yaml.UnmarshalStrict(data, config)
}

// of checks and reads what the file has for the plug-ins that are on. dir is where its relative
// paths begin.
func (c *admissionConfig) of(on []program.ChosenPlugin, dir string) (map[string]json.RawMessage, error) {
	var names []string
	for _, p := range on {
		names = append(names, p.Name)
	}
	configs := map[string]json.RawMessage{}
	var errs []error
	for n, p := range c.Plugins {
		bad := func(format string, args ...any) {
			errs = append(errs, fmt.Errorf("plugins[%d]: "+format, append([]any{n}, args...)...))
		}
		i := slices.Index(names, p.Name)
		_, twice := configs[p.Name]
		switch {
		case i < 0 && suggest.Nearest(p.Name, names) != "":
			bad("there is no plug-in %q that is on; did you mean %s?", p.Name, suggest.Nearest(p.Name, names))
			continue
		case i < 0:
			bad("there is no plug-in %q that is on", p.Name)
			continue
		case !on[i].Configurable:
			bad("%s takes no configuration", p.Name)
			continue
		case twice:
			bad("%s is there twice", p.Name)
			continue
		}
		config, err := p.read(dir)
		if err != nil {
			bad("%s: %w", p.Name, err)
		}
		configs[p.Name] = config
	}
	return configs, errors.Join(errs...)
}

// read returns the configuration as JSON, nil if there is none.
func (p admissionPluginConfig) read(dir string) (json.RawMessage, error) {
	if len(p.Configuration) > 0 && string(p.Configuration) != "null" {
		return p.Configuration, nil
	}
	if p.Path == "" {
		return nil, nil
	}
	name := p.Path
	if !filepath.IsAbs(name) {
		name = filepath.Join(dir, name)
	}
	data, err := os.ReadFile(name)
	if err != nil {
		return nil, err
	}
	return yaml.YAMLToJSON(data)
}
