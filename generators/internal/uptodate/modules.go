package uptodate

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"

	"golang.org/x/mod/modfile"
)

// moduleFiles returns the files that say which modules there are, and the folders of the main
// modules. A file need not exist: that it appears matters too.
func moduleFiles(env goEnv) (files, mains []string, err error) {
	if work := env.vars["GOWORK"]; work != "" && work != "off" {
		if mains, err = workspace(work); err != nil {
			return nil, nil, err
		}
		files = append(files, work, work+".sum", filepath.Join(filepath.Dir(work), "vendor/modules.txt"))
	} else if mod := env.vars["GOMOD"]; mod != "" && mod != os.DevNull {
		mains = []string{filepath.Dir(mod)}
	}
	for _, dir := range mains {
		files = append(files, filepath.Join(dir, "go.sum"), filepath.Join(dir, "vendor/modules.txt"))
		mod := filepath.Join(dir, "go.mod")
		replaced, err := replacements(mod)
		if err != nil {
			return nil, nil, err
		}
		files = append(append(files, mod), replaced...)
	}
	return files, mains, nil
}

// workspace returns the folders of the modules of a go.work.
func workspace(file string) ([]string, error) {
	data, err := os.ReadFile(file)
	if err != nil {
		return nil, err
	}
	work, err := modfile.ParseWork(file, data, nil)
	if err != nil {
		return nil, err
	}
	var out []string
	for _, use := range work.Use {
		out = append(out, absolute(file, use.Path))
	}
	for _, r := range work.Replace {
		if modfile.IsDirectoryPath(r.New.Path) {
			out = append(out, absolute(file, r.New.Path))
		}
	}
	return out, nil
}

// replacements returns the go.mod files of folders that stand in for modules.
func replacements(file string) ([]string, error) {
	data, err := os.ReadFile(file)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, nil
	}
	if err != nil {
		return nil, err
	}
	mod, err := modfile.Parse(file, data, nil)
	if err != nil {
		return nil, err
	}
	var out []string
	for _, r := range mod.Replace {
		if modfile.IsDirectoryPath(r.New.Path) {
			out = append(out, filepath.Join(absolute(file, r.New.Path), "go.mod"))
		}
	}
	return out, nil
}

// absolute returns a path of a module file as one that does not depend on where that file is.
func absolute(file, path string) string {
	if filepath.IsAbs(path) {
		return filepath.Clean(path)
	}
	return filepath.Join(filepath.Dir(file), filepath.FromSlash(path))
}
