package generators

import (
	"fmt"
	gotypes "go/types"
	"path/filepath"
	"slices"
	"strings"

	"github.com/typeplane/typeplane/generators/internal/diag"
	"github.com/typeplane/typeplane/generators/internal/model"
	"github.com/typeplane/typeplane/generators/internal/tag"
)

// TagTable is all that gen knows about tags: those of plug-ins, each once, and of the Kubernetes
// world.
func TagTable(plugins []Plugin) *tag.Table {
	table := tag.NewTable()
	seen := map[string]bool{}
	for _, p := range plugins {
		if !seen[p.Name] {
			seen[p.Name] = true
			table.Read(p.Name, p.Describes, p.Tags)
		}
	}
	return table
}

// tagCheck reports tags that nobody reads, tags in places where nobody looks, and values that can't
// be.
type tagCheck struct {
	table       *tag.Table
	model       *model.Model
	report      *diag.Report
	served      served
	wrongValues []wrongValue
}

// wrongValue waits until it is clear that no plug-in has said something better about it.
type wrongValue struct {
	diag.Problem
	tag string
}

// packages checks the tags of those packages that ask for something, and of all that these import:
// their types are part of what is printed. In other packages a comment that speaks of a tag is
// prose, except for what stands above the package clause, where they would ask.
func (c *tagCheck) packages(m *model.Model) {
	c.model = m
	lines := map[string][]model.Occurrence{}
	var asking []*gotypes.Package
	for _, pkg := range m.Packages {
		lines[pkg.Path] = m.Occurrences(pkg)
		if slices.ContainsFunc(lines[pkg.Path], c.asks) {
			asking = append(asking, pkg.Go)
		}
	}
	used := map[string]bool{}
	for len(asking) > 0 {
		pkg := asking[0]
		asking = asking[1:]
		if _, ours := lines[pkg.Path()]; ours && !used[pkg.Path()] {
			used[pkg.Path()] = true
			asking = append(asking, pkg.Imports()...)
		}
	}
	for _, pkg := range m.Packages {
		all := lines[pkg.Path]
		if !used[pkg.Path] {
			all = slices.DeleteFunc(all, func(l model.Occurrence) bool { return l.Scope != tag.Package })
		}
		c.lines(pkg, all)
	}
}

// asks tells whether a tag makes something be printed, for a package or a type in it, or was meant
// to.
func (c *tagCheck) asks(line model.Occurrence) bool {
	name := tag.NameOf(line.Text)
	d, known := c.table.Find(name)
	if !known {
		var asking []string
		for _, d := range c.table.Definitions() {
			if d.Scope&tag.Package != 0 {
				asking = append(asking, d.Name)
			}
		}
		return tag.Checked(name) && tag.Nearest(name, asking) != ""
	}
	forPackage := d.Scope&tag.Package != 0 && (line.Trailing || line.Scope&(tag.Package|tag.Type) != 0)
	return forPackage || name == "genclient" || strings.HasPrefix(name, "kubebuilder:object:")
}

func (c *tagCheck) lines(pkg *model.Package, lines []model.Occurrence) {
	for _, line := range lines {
		p := diag.Problem{Pos: line.Pos, Path: line.Path}
		fault, wrong := c.table.Check(line.Text, line.Scope)
		p.Pos.Column += fault.Offset
		p.Message, p.Cure, p.Idle = fault.Message, fault.Cure, !fault.Value
		switch {
		case wrong && fault.Value:
			p.Idle = !c.table.IsRead(fault.Name)
			c.wrongValues = append(c.wrongValues, wrongValue{p, fault.Name})
		case wrong && fault.Doubtful && !c.served.has(pkg, line), wrong && !fault.Unknown && line.Scope&(tag.Func|tag.Method) != 0: // mostly prose that speaks of the tag
			c.report.Warn(p)
		case wrong && !fault.Unknown && line.Scope == tag.Value && controllerGens(fault.Name): // controller-gen does not look there
			c.report.Warn(p)
		case wrong:
			c.report.Add(p)
		case line.Trailing && tag.Checked(tag.NameOf(line.Text)):
			p.Idle = true
			p.Message, p.Cure = behindCode(tag.NameOf(line.Text))
			c.report.Add(p)
		case line.Scope == tag.Anywhere && filepath.Base(line.Pos.Filename) != "doc.go":
			c.dangling(pkg, line)
		case !wrong:
			c.plain(line)
			c.singleQuotes(line)
		}
	}
}

// forPackages are the tags that controller-gen reads as the package's wherever they stand in a
// file.
var forPackages = []string{
	"groupName", "versionName", "kubebuilder:object:generate", "kubebuilder:skip", "kubebuilder:validation:Optional", "kubebuilder:validation:Required",
}

// dangling reports a tag in a comment that belongs to nothing. Such a comment is behind two nearer
// comments, above a group of declarations, or at the end of a block. controller-gen reads some of
// them as the package's, and ignores the others.
func (c *tagCheck) dangling(pkg *model.Package, line model.Occurrence) {
	name := tag.NameOf(line.Text)
	d, known := c.table.Find(name)
	if !known || !c.table.IsRead(d.Name) || slices.Contains(slices.Collect(c.model.OfPackage(pkg).All()), line.Marker) {
		return
	}
	p := diag.Problem{
		Pos: line.Pos, Idle: true, Message: fmt.Sprintf("+%s stands above nothing, and has no effect", name),
		Cure: "put it into the comment right above what it is about",
	}
	if slices.Contains(forPackages, name) {
		p.Cure = "put it above the package clause"
		c.report.Add(p)
		return
	}
	c.report.Warn(p)
}

// plain warns of a tag without a family that stands where no plug-in looks for it, or with text
// behind its name: other tools may have one of this name.
func (c *tagCheck) plain(line model.Occurrence) {
	d, known := c.table.Find(tag.NameOf(line.Text))
	if !known || tag.Checked(d.Name) || !c.table.IsRead(d.Name) {
		return
	}
	p := diag.Problem{Pos: line.Pos, Path: line.Path}
	switch {
	case line.Trailing:
		p.Message, p.Cure = behindCode(d.Name)
	case line.Scope != tag.Anywhere && d.Scope != tag.Anywhere && d.Scope&line.Scope == 0:
		p.Message = fmt.Sprintf("+%s has no effect on a %s", d.Name, line.Scope)
		p.Cure = fmt.Sprintf("it belongs on a %s", d.Scope)
	case d.Value == tag.None && line.Scope != tag.Anywhere && line.Name == d.Name && saysMore(line):
		p.Message = fmt.Sprintf("%q counts as +%s here, and other tools do not read it, since it takes nothing behind its name", strings.TrimSpace(line.Text), d.Name)
		p.Cure = "write +" + d.Name + ", and the rest on another line"
	default:
		return
	}
	c.report.Warn(p)
}

// saysMore says whether there is text behind the name of a tag that takes none. Of +genclient the
// plug-in for clients says so.
func saysMore(line model.Occurrence) bool {
	rest := strings.TrimPrefix(line.Text, "+"+line.Name)
	return rest != "" && rest != "=false" && line.Name != "genclient"
}

// singleQuotes warns of a value in quotes that controller-gen takes for a part of it.
func (c *tagCheck) singleQuotes(line model.Occurrence) {
	value := tag.RawValue(strings.TrimPrefix(line.Text, "+"+line.Name))
	if !strings.HasPrefix(line.Name, "kubebuilder:") || len(value) < 2 || value[0] != '\'' || value[len(value)-1] != '\'' {
		return
	}
	c.report.Warn(diag.Problem{
		Pos: line.Pos, Path: line.Path, Message: fmt.Sprintf("+%s: controller-gen takes single quotes for a part of the value", line.Name),
		Cure: "write double quotes",
	})
}

func behindCode(name string) (message, cure string) {
	return fmt.Sprintf("+%s stands behind code, where it has no effect", name), "put it on a line of its own above what it is about"
}

// split makes warnings of the problems that are about idle tags, if the run is to go on in spite of
// them. A warning of what is a problem anyway is left out.
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
