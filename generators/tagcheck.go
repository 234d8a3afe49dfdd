package generators

import (
	"fmt"
	"slices"
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
		p.Message, p.Cure, p.Idle = fault.Message, fault.Cure, !fault.Value
		switch {
		case wrong && fault.Value:
			p.Idle = !c.table.IsRead(fault.Name)
			c.wrongValues = append(c.wrongValues, wrongValue{p, fault.Name})
		case wrong && !fault.Unknown && line.Scope == tag.Func: // mostly prose that speaks of the tag
			c.report.Warn(p)
		case wrong:
			c.report.Add(p)
		case line.Trailing && tag.Checked(tag.NameOf(line.Text)):
			p.Idle = true
			p.Message = fmt.Sprintf("+%s stands behind code, where it has no effect", tag.NameOf(line.Text))
			p.Cure = "put it on a line of its own above what it is about"
			c.report.Add(p)
		}
	}
}

// split makes warnings of the problems that are about idle tags, if the run is to go on in spite of them. A warning of
// what is a problem anyway is left out.
func split(report *diag.Report, warnIdle bool) (problems, warnings []diag.Problem) {
	var soft diag.Report
	for _, p := range report.Problems() {
		if p.Idle && warnIdle {
			soft.Add(p)
		} else {
			problems = append(problems, p)
		}
	}
	for _, w := range report.Warnings() {
		if !slices.ContainsFunc(problems, func(p diag.Problem) bool { return p.Pos == w.Pos && p.Path == w.Path }) {
			soft.Add(w)
		}
	}
	return problems, soft.Problems()
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
