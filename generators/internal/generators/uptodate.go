package generators

import (
	"fmt"
	"slices"
	"strconv"

	"github.com/typeplane/typeplane/generators/internal/diag"
	"github.com/typeplane/typeplane/generators/internal/model"
	"github.com/typeplane/typeplane/generators/internal/uptodate"
)

// look asks whether the run would change anything; nil is "who knows".
func look(cfg Config) *uptodate.Run {
	if cfg.Cache == "" {
		return nil
	}
	q := uptodate.Query{
		Folder: cfg.Cache, Dir: cfg.Dir, Env: cfg.Env, Patterns: cfg.Patterns,
		Salt: slices.Concat(cfg.CacheKey, []string{"header", cfg.Header, "warn", strconv.FormatBool(cfg.WarnUnknownTags), "inline", strconv.FormatBool(cfg.InlineRuntime)}),
	}
	for _, p := range cfg.Plugins {
		q.Salt = append(q.Salt, "plugin", p.Name, fmt.Sprint(p.Tags))
		for _, o := range p.Outputs {
			q.Names = append(q.Names, o.Name)
		}
	}
	for _, p := range cfg.Known {
		q.Salt = append(q.Salt, "known", p.Name, fmt.Sprint(p.Tags))
	}
	return uptodate.Look(q)
}

// remember notes that all is up to date now, and what there is to say each time.
func remember(cfg Config, memory *uptodate.Run, m *model.Model, result Result) {
	if memory == nil || cfg.Verify && len(result.OutOfDate()) > 0 {
		return
	}
	var outputs []uptodate.Output
	for _, c := range result.Changes {
		outputs = append(outputs, uptodate.Output{Path: c.Path, Content: c.Content()})
	}
	again := slices.DeleteFunc(slices.Clone(result.Warnings), func(w diag.Problem) bool { return w.Passing })
	memory.Remember(m.Folders(), outputs, again)
}
