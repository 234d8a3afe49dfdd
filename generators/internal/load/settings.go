package load

import (
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"strings"
)

// settings are settings of the go command that decide how source files are read.
type settings struct {
	arch    string            // GOARCH
	overlay map[string]string // files that replace others, from the flag -overlay in GOFLAGS
}

// readSettings asks the go command for its settings.
func (s *Set) readSettings() error {
	text, err := s.goCommand("env", "-json", "GOARCH", "GOFLAGS")
	if err != nil {
		return err
	}
	var env struct{ GOARCH, GOFLAGS string }
	if err := json.Unmarshal(text, &env); err != nil {
		return fmt.Errorf("load packages: go env: %w", err)
	}
	s.settings.arch = env.GOARCH
	for _, flag := range strings.Fields(env.GOFLAGS) {
		if file, ok := strings.CutPrefix(strings.TrimLeft(flag, "-"), "overlay="); ok {
			return s.readOverlay(file)
		}
	}
	return nil
}

func (s *Set) readOverlay(file string) error {
	text, err := os.ReadFile(s.absolute(file))
	if err != nil {
		return fmt.Errorf("load packages: -overlay: %w", err)
	}
	var overlay struct{ Replace map[string]string }
	if err := json.Unmarshal(text, &overlay); err != nil {
		return fmt.Errorf("load packages: -overlay: %s: %w", file, err)
	}
	s.settings.overlay = map[string]string{}
	for from, to := range overlay.Replace {
		s.settings.overlay[s.absolute(from)] = s.absolute(to)
	}
	return nil
}

// absolute returns a file name that the go command has, which runs in the folder of the set.
func (s *Set) absolute(name string) string {
	if filepath.IsAbs(name) {
		return filepath.Clean(name)
	}
	return filepath.Join(s.dir, name)
}

// readFile reads a source file, or the file that replaces it.
func (s *Set) readFile(name string) ([]byte, error) {
	if to, ok := s.settings.overlay[name]; ok {
		name = to
	}
	return os.ReadFile(name)
}
