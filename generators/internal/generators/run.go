package generators

import (
	"fmt"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"github.com/typeplane/typeplane/generators/internal/diag"
	"github.com/typeplane/typeplane/generators/internal/emit"
	"github.com/typeplane/typeplane/generators/internal/load"
	"github.com/typeplane/typeplane/generators/internal/model"
	"github.com/typeplane/typeplane/generators/internal/progress"
	"github.com/typeplane/typeplane/internal/suggest"
)

// Config is one run.
type Config struct {
	// Dir is where patterns are relative to; "" is the working directory.
	Dir string
	// Env is the environment of the go command; nil is that of the process.
	Env []string
	// Patterns are package patterns of the go command, like "./...".
	Patterns []string
	// Plugins do the work, in this order.
	Plugins []Plugin
	// Known are further plug-ins that don't run now, whose tags are known nevertheless.
	Known []Plugin
	// Header is the text that each Go file begins with: a license comment; may be empty. It is
	// written as it is.
	Header string
	// InlineRuntime prints what protobuf code leans on beside it, so that it imports nothing of
	// this project.
	InlineRuntime bool
	// Verify compares instead of writing.
	Verify bool
	// WarnUnknownTags makes warnings, which stop nothing, of tags that are unknown or have no
	// effect where they stand.
	WarnUnknownTags bool
	// Cache is the folder that remembers the runs after which all was up to date. So the next one
	// has nothing to do if nothing changed; see package uptodate. "" is none. Whatever else the
	// outcome depends on, flags of plug-ins for example, has to be in CacheKey.
	Cache    string
	CacheKey []string
	// Shared is for tests that run often: see load.Shared. Nil is usual.
	Shared *load.Shared
	// Log takes a line for each file and the time of each step; nil is silence.
	Log io.Writer
	// Progress shows the step that a long run is at; nil shows nothing.
	Progress *progress.Progress
}

// Result is what a run found and did.
type Result struct {
	// Problems are what is wrong with the packages, sorted. If there is one, nothing was written.
	Problems []diag.Problem
	// Warnings are what is worth to look at and stopped nothing: also tags, where
	// Config.WarnUnknownTags asks for that.
	Warnings []diag.Problem
	// Changes are all files of the run, sorted by path, with what was the matter with each before.
	// File names are relative to Config.Dir where they are below it.
	Changes []emit.Change
	// UpToDate tells that nothing was loaded, since nothing changed after a run that left all as it
	// should be. Then there are no Changes.
	UpToDate bool
}

// OutOfDate returns the files that differ from what the run would write, are missing or should be
// gone.
func (r Result) OutOfDate() []emit.Change {
	var out []emit.Change
	for _, c := range r.Changes {
		if c.State != emit.Unchanged {
			out = append(out, c)
		}
	}
	return out
}

// Run loads, checks, generates and writes. Problems of the user's packages are in the result; an
// error means that the run itself failed: the go command, the disk, or a plug-in that printed
// broken code.
func Run(cfg Config) (Result, error) {
	watch := stopwatch{cfg.Log, time.Now()}
	memory := look(cfg)
	if memory != nil && memory.UpToDate {
		watch.lap("up to date: nothing has changed since the last run")
		return Result{UpToDate: true, Warnings: memory.Warnings}, nil
	}
	report := &diag.Report{}
	table := TagTable(slices.Concat(cfg.Plugins, cfg.Known))
	set, err := load.Load(load.Config{Dir: cfg.Dir, Env: cfg.Env, Patterns: cfg.Patterns, Whole: true, Tags: table, Report: report, Shared: cfg.Shared, Progress: cfg.Progress})
	if err != nil {
		return Result{}, err
	}
	watch.lap("load %d of %d packages, and %d around them", len(set.Packages), len(set.Named), len(set.Around))
	m := model.New(set)
	report.Leave(strange(m, cfg.Dir))
	served := findServed(m)
	checks := tagCheck{table: table, report: report, served: served}
	checks.packages(m)

	sound := soundOf(set.All())
	var result Result
	if endless(m, sound, report) {
		result.Problems, result.Warnings = split(report, cfg.WarnUnknownTags)
		return result, nil
	}
	var files []*emit.File
	var formatter emit.Formatter
	var stale []string
	by := printed{}
	cfg.Progress.Step("generate", len(cfg.Plugins))
	for _, plugin := range inOrder(cfg.Plugins) {
		pass := &Pass{
			Model: m, Packages: slices.Clone(sound), Report: report, Header: cfg.Header,
			InlineRuntime: cfg.InlineRuntime, Printed: files, Partial: cfg.partial(),
		}
		m.Reading(plugin.Name)
		report.Hearing(plugin.Name)
		plugin.Generate(pass)
		if plugin.Stale != nil {
			own := *pass
			own.Packages = soundOf(set.Packages)
			stale = append(stale, plugin.Stale(&own)...)
		}
		stateLevel(pass.files)
		by.add(plugin.Name, pass.files)
		files = append(files, pass.files...)
		formatter.Start(named(m, pass.files)) // while the next plug-in plans
		cfg.Progress.Add(1)
		watch.lap("%s: %d files", plugin.Name, len(pass.files))
	}
	report.Hearing("")
	checks.values()
	faults(m, files, report)
	unclaimed(m, served, by, table, report)
	checkImports(m, files, report)
	result.Problems, result.Warnings = split(report, cfg.WarnUnknownTags)
	result.Warnings = ofNamed(m, cfg.Dir, report, result.Warnings)
	result.Problems = once(m, result.Problems)
	if len(result.Problems) > 0 {
		return result, nil
	}
	cfg.Progress.Step("format and write files", 0)
	if result.Changes, err = settle(cfg, m, named(m, files), stale); err != nil {
		return result, err
	}
	watch.lap("format and compare %d files", len(files))
	remember(cfg, memory, m, result)
	for i := range result.Changes {
		result.Changes[i].Path = relative(cfg.Dir, result.Changes[i].Path)
	}
	return result, nil
}

// inOrder puts the plug-ins that look at what others print behind those.
func inOrder(plugins []Plugin) []Plugin {
	out := slices.Clone(plugins)
	slices.SortStableFunc(out, func(a, b Plugin) int {
		switch {
		case a.Last == b.Last:
			return 0
		case a.Last:
			return 1
		default:
			return -1
		}
	})
	return out
}

// partial tells whether a known plug-in does not run.
func (cfg Config) partial() bool {
	return slices.ContainsFunc(cfg.Known, func(k Plugin) bool {
		return !slices.ContainsFunc(cfg.Plugins, func(p Plugin) bool { return p.Name == k.Name })
	})
}

// settle compares what was printed with the disk, on which stale files should not be, and, unless
// the run only verifies, makes the disk agree.
func settle(cfg Config, m *model.Model, files []*emit.File, stale []string) ([]emit.Change, error) {
	var may []emit.Output
	for _, plugin := range cfg.Plugins {
		may = append(may, plugin.Outputs...)
	}
	var dirs []string
	for _, dir := range m.Named {
		dirs = append(dirs, dir)
	}
	changes, err := emit.Plan(files, dirs, may, stale...)
	if err != nil {
		return nil, err
	}
	if !cfg.Verify {
		if err := emit.Apply(changes); err != nil {
			return nil, err
		}
	}
	if cfg.Log != nil {
		for _, c := range changes {
			fmt.Fprintf(cfg.Log, "%s: %s\n", relative(cfg.Dir, c.Path), done(c.State, cfg.Verify))
		}
	}
	return changes, nil
}

// done says in the log what a run made of a file.
func done(state emit.State, verify bool) string {
	switch {
	case verify || state == emit.Unchanged:
		return string(state)
	case state == emit.Stale:
		return "removed"
	default:
		return "wrote"
	}
}

// relative makes a file name relative to the folder that the run is in, if that is shorter.
func relative(dir, name string) string {
	base, err := filepath.Abs(dir)
	if err != nil {
		return name
	}
	rel, err := filepath.Rel(base, name)
	if err != nil || len(rel) > len(name) {
		return name
	}
	return rel
}

// stopwatch writes the time of each step to the log.
type stopwatch struct {
	w    io.Writer
	last time.Time
}

func (s *stopwatch) lap(format string, args ...any) {
	now := time.Now()
	if s.w != nil {
		fmt.Fprintf(s.w, "%s: %s\n", fmt.Sprintf(format, args...), now.Sub(s.last).Round(time.Millisecond))
	}
	s.last = now
}

// Select returns the plug-ins of a comma list, all for "", in the order of all; an unknown name is
// an error with a suggestion.
func Select(all []Plugin, list string) ([]Plugin, error) {
	if list == "" {
		return all, nil
	}
	var names []string
	for _, p := range all {
		names = append(names, p.Name)
	}
	wanted := map[string]bool{}
	for _, name := range strings.Split(list, ",") {
		name = strings.TrimSpace(name)
		if !slices.Contains(names, name) {
			return nil, unknownPlugin(name, names)
		}
		wanted[name] = true
	}
	return slices.DeleteFunc(slices.Clone(all), func(p Plugin) bool { return !wanted[p.Name] }), nil
}

func unknownPlugin(name string, names []string) error {
	if near := suggest.Nearest(name, names); near != "" {
		return fmt.Errorf("no generator is called %q; did you mean %q?", name, near)
	}
	return fmt.Errorf("no generator is called %q; there are %s", name, strings.Join(names, ", "))
}

// ReadHeader reads a header file; "" gives no header.
func ReadHeader(name string) (string, error) {
	if name == "" {
		return "", nil
	}
	data, err := os.ReadFile(name)
	return string(data), err
}
