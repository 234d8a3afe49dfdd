// Package breaking compares the API types of a module with those of an older commit, and lists what
// breaks clients and stored objects.
//
// It reads both with package model, the older state from the files of its commit in a temporary
// folder. It compares them by group, version and kind, so that moving a package breaks nothing.
// What only loosens (a new optional field, a larger maximum, a further value of an enum) is no
// problem. A version that is called alpha promises nothing, so what changes there is a note. A rule
// with +k8s:alpha does not count at all. Hub types are not looked at, for nobody sees them.
//
// Start reading at Check. The package writes nothing into the user's repository.
package breaking

import (
	"fmt"

	"github.com/typeplane/typeplane/generators/internal/diag"
	"github.com/typeplane/typeplane/generators/internal/load"
	"github.com/typeplane/typeplane/generators/internal/model"
	"github.com/typeplane/typeplane/generators/internal/progress"
	"github.com/typeplane/typeplane/generators/internal/tag"
)

// Config is one comparison.
type Config struct {
	// Dir is the folder that Patterns are relative to; "" is the working directory. Env is the
	// environment of the go command; nil is that of the process.
	Dir      string
	Env      []string
	Patterns []string
	// Ref is the older state: a commit, a tag, a branch.
	Ref string
	// Tags are the tags that are known.
	Tags *tag.Table
	// Progress shows the step that a long run is at; nil shows nothing.
	Progress *progress.Progress
}

// Result is what has changed for the worse.
type Result struct {
	// Problems are changes that break published versions, Notes those of alpha versions; sorted by
	// position.
	Problems, Notes []diag.Problem
	// Invalid is what is wrong with the packages as they are now; nothing was compared then.
	Invalid []diag.Problem
}

// Check compares. An error means that one of the two states could not be read.
func Check(cfg Config) (Result, error) {
	now, invalid, err := read(cfg, cfg.Dir, cfg.Patterns)
	if err != nil || len(invalid) > 0 {
		return Result{Invalid: invalid}, err
	}
	old, err := checkOut(cfg)
	if err != nil {
		return Result{}, err
	}
	defer old.remove()
	patterns := old.patterns(cfg.Patterns)
	if len(patterns) == 0 {
		return Result{}, nil // none of the packages existed, so nothing was published
	}
	then, invalid, err := read(cfg, old.dir, patterns)
	if err != nil {
		return Result{}, fmt.Errorf("%s: %w", cfg.Ref, err)
	}
	if len(invalid) > 0 {
		return Result{}, fmt.Errorf("the packages of %s cannot be read: %s", cfg.Ref, invalid[0])
	}
	c := comparer{ref: cfg.Ref, seen: map[pair]bool{}}
	c.apis(then, now)
	return Result{Problems: c.problems.Problems(), Notes: c.notes.Problems()}, nil
}

// read loads one state.
func read(cfg Config, dir string, patterns []string) ([]*model.API, []diag.Problem, error) {
	report := &diag.Report{}
	set, err := load.Load(load.Config{Dir: dir, Env: cfg.Env, Patterns: patterns, Tags: cfg.Tags, Report: report, Progress: cfg.Progress})
	if err != nil {
		return nil, nil, err
	}
	if problems := report.Problems(); len(problems) > 0 {
		return nil, problems, nil
	}
	return model.New(set).APIs(set.Packages), nil, nil
}
