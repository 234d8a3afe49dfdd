package load

import (
	"fmt"
	"os"
	"path"
	"path/filepath"
	"slices"
	"strings"

	"github.com/typeplane/typeplane/generators/internal/diag"
)

// reportLost reports imports of a package that lead nowhere: of one that is generated for, or of
// which a field's type is not known. What else is imported on the way to a type need not be there.
// What is wrong in one place can keep any number of packages from being imported; it is said once,
// where it is met first.
func (s *Set) reportLost(p *Package) {
	if len(p.lost) == 0 {
		return
	}
	for _, l := range p.lost {
		why := s.reason(l.path)
		if why.message != "" && s.blamed[why.message] {
			continue
		}
		s.blamed[why.message] = true
		s.cfg.Report.Add(importProblem(l, why))
	}
	p.lost = nil
}

// reason returns why an import leads nowhere: the fault of the package, or of one that it uses. It
// is zero if the go command does not know the path.
func (s *Set) reason(path string) fault {
	switch n := s.nodes[path]; {
	case n == nil:
		return fault{}
	case n.fault != nil:
		return *n.fault
	default:
		return *s.missing(path)
	}
}

// Unreachable returns those of some import paths that nothing in the main module can import, with
// the reason. It does not look at paths of the main module and of the standard library. A path in a
// module of which a package is known is taken for one that can be imported if the module has such a
// folder. The go command is asked about others, like those in a module inside that one.
func (s *Set) Unreachable(paths []string) map[string]string {
	modules := map[string]string{} // path → folder
	for _, n := range s.nodes {
		if n.dir == "" {
			continue
		}
		modules[n.module] = strings.TrimSuffix(n.dir, filepath.FromSlash(strings.TrimPrefix(n.path, n.module)))
	}
	unknown := slices.DeleteFunc(slices.Clone(paths), func(p string) bool {
		first, _, _ := strings.Cut(p, "/")
		if !strings.Contains(first, ".") || s.ownPath(p) || s.nodes[p] != nil && s.nodes[p].problem == "" {
			return true
		}
		for in := p; in != "."; in = path.Dir(in) {
			if dir, ok := modules[in]; ok {
				return hasPackage(dir, strings.TrimPrefix(p, in))
			}
		}
		return false
	})
	if len(unknown) == 0 {
		return nil
	}
	found, err := s.query(findQuery(unknown))
	if err != nil {
		return nil // what is wrong then is not that a module is missing
	}
	out := map[string]string{}
	for _, l := range found {
		if l.Error != nil {
			out[l.ImportPath], _ = advice(strings.TrimSpace(l.Error.Err))
		}
	}
	return out
}

// hasPackage tells whether a module has a folder that is not of a module inside it.
func hasPackage(dir, below string) bool {
	if info, err := os.Stat(filepath.Join(dir, below)); err != nil || !info.IsDir() {
		return false
	}
	for ; below != "" && below != "/"; below = path.Dir(below) {
		if _, err := os.Stat(filepath.Join(dir, below, "go.mod")); err == nil {
			return false
		}
	}
	return true
}

// importProblem is the problem of an import that leads nowhere.
func importProblem(l lostImport, why fault) diag.Problem {
	p := diag.Problem{Pos: l.at, Message: fmt.Sprintf("cannot import %s", l.path), Cure: why.cure}
	if why.message != "" {
		p.Message += ": " + why.message
	}
	return p
}
