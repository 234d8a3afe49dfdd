package rule

import (
	"fmt"
	"strings"
)

// Fresh returns the name of a package variable that no other one has.
func (p *Planner) Fresh(name string) string {
	p.taken[name]++
	if n := p.taken[name]; n > 1 {
		return fmt.Sprintf("%s_%d", name, n)
	}
	return name
}

// VarName is the end of the name of a package variable about a place; more tells several apart.
func (p *Planner) VarName(path, more string) string {
	pkg, rest := path, ""
	if i := strings.LastIndexByte(path, '/'); i >= 0 {
		pkg, rest = path[:i], path[i:]
	} else {
		pkg, rest = "", path
	}
	name, of, _ := strings.Cut(rest, ".")
	if p.Outputs[pkg+name] == "" { // a type of another package has its name in front
		of = strings.TrimPrefix(name, "/") + "_" + of
	}
	if more != "" {
		of += "_" + more
	}
	return underscored(of)
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
