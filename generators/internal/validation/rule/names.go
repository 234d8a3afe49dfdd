package rule

import (
	"fmt"
	"slices"
	"strings"
)

// Fresh returns the name of a package variable about a place that no other one has in the package
// that it is printed into. It does not depend on what else the run prints.
func (p *Planner) Fresh(path, name string) string {
	pkg, _ := cutPackage(path)
	into := p.Outputs[pkg] // "" for types of other modules, which may be printed into any package
	clashes := func(other string) bool { return other == into || other == "" || into == "" }
	for n, fresh := 1, name; ; n++ {
		if n > 1 {
			fresh = fmt.Sprintf("%s_%d", name, n)
		}
		if !slices.ContainsFunc(p.taken[fresh], clashes) {
			p.taken[fresh] = append(p.taken[fresh], into)
			return fresh
		}
	}
}

// VarName is the end of the name of a package variable about a place; more tells several apart.
func (p *Planner) VarName(path, more string) string {
	pkg, of := cutPackage(path)
	if p.Outputs[pkg] == "" { // a type of another package has its name in front
		of = pkg[strings.LastIndexByte(pkg, '/')+1:] + "_" + of
	}
	if more != "" {
		of += "_" + more
	}
	return underscored(of)
}

// cutPackage takes the import path off the path of a place.
func cutPackage(path string) (pkg, rest string) {
	last := strings.LastIndexByte(path, '/') + 1
	name, rest, _ := strings.Cut(path[last:], ".")
	return path[:last] + name, rest
}

// underscored makes a Go name of a path.
func underscored(path string) string {
	return strings.TrimRight(strings.Map(func(r rune) rune {
		if r >= 'a' && r <= 'z' || r >= 'A' && r <= 'Z' || r >= '0' && r <= '9' {
			return r
		}
		return '_'
	}, path), "_")
}
