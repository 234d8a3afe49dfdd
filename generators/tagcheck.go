package generators

import (
	"fmt"
	"strings"

	"github.com/typeplane/typeplane/generators/diag"
	"github.com/typeplane/typeplane/generators/load"
	"github.com/typeplane/typeplane/generators/tag"
)

// TagTable is all that gen knows about tags: those of plug-ins, each once, and of the Kubernetes world.
func TagTable(plugins []Plugin) *tag.Table {
	table := tag.NewTable()
	seen := map[string]bool{}
	for _, p := range plugins {
		if !seen[p.Name] {
			seen[p.Name] = true
			table.Read(p.Name, p.Tags)
		}
	}
	return table
}

// tagCheck reports tags that nobody reads, tags in places where nobody looks, and values that can't be.
type tagCheck struct {
	table       *tag.Table
	report      *diag.Report
	warnUnknown bool
	warnings    diag.Report
	wrongValues []wrongValue
}

// wrongValue waits until it is clear that no plug-in has said something better about it.
type wrongValue struct {
	diag.Problem
	tag string
}

func (c *tagCheck) lines(lines []load.TagLine) {
	for _, line := range lines {
		p := diag.Problem{Pos: line.Pos, Path: line.Path}
		fault, wrong := c.table.Check(line.Text, line.Scope)
		p.Pos.Column += fault.Offset
		p.Message, p.Cure = fault.Message, fault.Cure
		switch {
		case wrong && fault.Unknown && c.warnUnknown:
			c.warnings.Add(p)
		case wrong && fault.Value:
			c.wrongValues = append(c.wrongValues, wrongValue{p, fault.Name})
		case wrong:
			c.report.Add(p)
		case line.Trailing && tag.Checked(tag.NameOf(line.Text)):
			p.Message = fmt.Sprintf("+%s stands behind code, where it has no effect", tag.NameOf(line.Text))
			p.Cure = "put it on a line of its own above what it is about"
			c.report.Add(p)
		}
	}
}

// values reports wrong values of which no plug-in spoke, which knows more than the table.
func (c *tagCheck) values() {
	said := c.report.Problems()
	for _, w := range c.wrongValues {
		if !spokenOf(said, w) {
			c.report.Add(w.Problem)
		}
	}
}

func spokenOf(problems []diag.Problem, w wrongValue) bool {
	for _, p := range problems {
		near := p.Pos.Filename == w.Pos.Filename && (p.Path == w.Path || p.Pos.Line == w.Pos.Line)
		if near && strings.Contains(p.Message, w.tag) {
			return true
		}
	}
	return false
}
