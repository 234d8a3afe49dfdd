// Command licenses says which modules programs are made of, and under which licences these are.
//
//	licenses --into FOLDER PROGRAM…
//
// A program tells its modules itself: the go command notes them in each that it builds. Their files
// come from the module cache. A server has the page of the console, too, into which packages of
// npm are bundled (console.go). LICENSES.md in the folder has the table, LICENSES.txt the texts, as
// most licences want them beside a program. A module without a licence, or with one that is not
// among those that we may link, is an error.
package main

import (
	"context"
	"debug/buildinfo"
	"encoding/json"
	"errors"
	"fmt"
	"log"
	"maps"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strings"

	classifier "github.com/google/licenseclassifier/v2"
	"github.com/google/licenseclassifier/v2/assets"
	"github.com/spf13/pflag"
	"golang.org/x/mod/module"
)

// allowed are licences that ask for no more than their texts beside a program. MPL-2.0 asks that
// changes of its files are shown, and we change none.
var allowed = []string{"0BSD", "Apache-2.0", "BSD-2-Clause", "BSD-3-Clause", "ISC", "MIT", "MPL-2.0", "Unlicense"}

// house is the module whose programs these are; its licence is LICENSE.
const house = "github.com/typeplane/typeplane"

func main() {
	log.SetFlags(0)
	log.SetPrefix("licenses: ")
	into := pflag.String("into", ".", "the `folder` for LICENSES.md and LICENSES.txt")
	console := pflag.String("console", "../../internal/console", "the `folder` that the page of the console is built in")
	pflag.Parse()
	if err := run(context.Background(), *into, *console, pflag.Args()); err != nil {
		log.Fatal(err)
	}
}

func run(ctx context.Context, into, console string, programs []string) error {
	if len(programs) == 0 {
		return errors.New("name the programs")
	}
	linked, goVersion, err := modulesOf(programs)
	if err != nil {
		return err
	}
	found := []licensed{{module: module.Version{Path: "the Go standard library", Version: goVersion}}}
	goRoot, err := exec.CommandContext(ctx, "go", "env", "GOROOT").Output()
	if err != nil {
		return err
	}
	known, err := assets.DefaultClassifier() // takes seconds
	if err != nil {
		return err
	}
	if err := found[0].read(known, strings.TrimSpace(string(goRoot))); err != nil {
		return err
	}
	for _, m := range linked {
		l := licensed{module: m}
		dir, err := folderOf(ctx, m)
		if err != nil {
			return err
		}
		if err := l.read(known, dir); err != nil {
			return err
		}
		found = append(found, l)
	}
	has, err := hasConsole(programs)
	if err != nil {
		return err
	}
	if has {
		bundled, err := onPage(known, console)
		if err != nil {
			return err
		}
		found = append(found, bundled...)
	}
	return write(into, found)
}

// modulesOf are those of all programs, but for the house's own, sorted.
func modulesOf(programs []string) (linked []module.Version, goVersion string, err error) {
	all := map[module.Version]bool{}
	for _, name := range programs {
		info, err := buildinfo.ReadFile(name)
		if err != nil {
			return nil, "", fmt.Errorf("%s: %w", name, err)
		}
		goVersion = info.GoVersion
		for _, m := range info.Deps {
			if m.Path == house || strings.HasPrefix(m.Path, house+"/") {
				continue
			}
			if m.Replace != nil {
				m = m.Replace
			}
			all[module.Version{Path: m.Path, Version: m.Version}] = true
		}
	}
	linked = slices.Collect(maps.Keys(all))
	module.Sort(linked)
	return linked, goVersion, nil
}

// folderOf is where the go command keeps a module; it is downloaded if it has to be.
func folderOf(ctx context.Context, m module.Version) (string, error) {
	cmd := exec.CommandContext(ctx, "go", "mod", "download", "-json", m.Path+"@"+m.Version)
	cmd.Dir = os.TempDir() // in no module, whose requirements would count
	out, err := cmd.Output()
	var said struct{ Dir, Error string }
	if wrong := json.Unmarshal(out, &said); wrong != nil || said.Error != "" || err != nil {
		return "", errors.Join(fmt.Errorf("%s: %s", m, said.Error), err, wrong)
	}
	return said.Dir, nil
}

// licensed is a module, or a package of npm, with its licences.
type licensed struct {
	module module.Version
	names  []string // of licences, as SPDX has them
	texts  []string
}

// fileName is what files are called that say the licence, or what has to be said beside it.
var fileName = regexp.MustCompile(`(?i)^(licen[cs]e|copying|notice|unlicense|patents)([-._].*)?$`)

// read reads the files at the root of a module.
func (l *licensed) read(known *classifier.Classifier, dir string) error {
	entries, err := os.ReadDir(dir)
	if err != nil {
		return err
	}
	for _, e := range entries {
		if e.IsDir() || !fileName.MatchString(e.Name()) || strings.HasSuffix(e.Name(), ".go") {
			continue
		}
		text, err := os.ReadFile(filepath.Join(dir, e.Name()))
		if err != nil {
			return err
		}
		l.add(known, e.Name(), text)
	}
	return nil
}

// add notes what a file says.
func (l *licensed) add(known *classifier.Classifier, name string, text []byte) {
	l.texts = append(l.texts, name+":\n\n"+string(text))
	for _, match := range known.Match(text).Matches {
		if match.MatchType == "License" && !slices.Contains(l.names, match.Name) {
			l.names = append(l.names, match.Name)
		}
	}
	slices.Sort(l.names)
}

// judge says what keeps a module from being linked.
func (l *licensed) judge() error {
	if len(l.names) == 0 {
		return fmt.Errorf("%s: no licence is found at its root", l.module)
	}
	for _, name := range l.names {
		if !slices.Contains(allowed, name) {
			return fmt.Errorf("%s: %s is not among the licences that we link: %s", l.module, name, strings.Join(allowed, ", "))
		}
	}
	return nil
}

func write(into string, found []licensed) error {
	var table, texts strings.Builder
	table.WriteString("# Licences\n\nThe modules that the programs of this release are made of, and the packages of npm in the page of the console. `LICENSES.txt` has the texts.\n\n| module | version | licence |\n|---|---|---|\n")
	var errs []error
	counts := map[string]int{}
	for _, l := range found {
		errs = append(errs, l.judge())
		names := strings.Join(l.names, ", ")
		counts[names]++
		fmt.Fprintf(&table, "| %s | %s | %s |\n", l.module.Path, l.module.Version, names)
		fmt.Fprintf(&texts, "%s %s\n%s\n\n%s\n\n", l.module.Path, l.module.Version, strings.Repeat("=", 80), strings.Join(l.texts, "\n\n"))
	}
	errs = append(errs,
		os.WriteFile(filepath.Join(into, "LICENSES.md"), []byte(table.String()), 0o644),
		os.WriteFile(filepath.Join(into, "LICENSES.txt"), []byte(texts.String()), 0o644))
	for _, name := range slices.Sorted(maps.Keys(counts)) {
		fmt.Printf("%3d %s\n", counts[name], name)
	}
	return errors.Join(errs...)
}
