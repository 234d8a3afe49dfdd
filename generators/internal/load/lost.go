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
	causes := s.causes(p.lost)
	for _, l := range p.lost {
		why := causes[l.path]
		if why != "" && s.blamed[why] {
			continue
		}
		s.blamed[why] = true
		s.cfg.Report.Add(importProblem(l, why))
	}
	p.lost = nil
}

// causes tells why imports lead nowhere, in the words of the go command: by what is wrong with them
// or, failing that, with what they import themselves. That takes another question, which nobody has
// to wait for while all is well.
func (s *Set) causes(lost []lostImport) map[string]string {
	out := map[string]string{}
	var unknown []string
	for _, l := range lost {
		if n := s.nodes[l.path]; n != nil && n.problem != "" {
			out[l.path] = n.problem
		} else if n != nil && !n.main {
			unknown = append(unknown, l.path)
		}
	}
	if len(unknown) == 0 {
		return out
	}
	found, err := s.query(append([]string{"-export", "-json=ImportPath,DepsErrors", "--"}, unknown...))
	if err != nil {
		return out // the imports are reported without a reason
	}
	for _, l := range found {
		if len(l.DepsErrors) > 0 {
			out[l.ImportPath] = strings.TrimSpace(l.DepsErrors[0].Err)
		}
	}
	return out
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

// importProblem says why an import leads nowhere, without the go command's advice to get it.
func importProblem(l lostImport, why string) diag.Problem {
	p := diag.Problem{Pos: l.at, Message: fmt.Sprintf("cannot import %s", l.path)}
	if rest, ok := strings.CutPrefix(why, "# "); ok { // the compiler's: the package's path stands on a line of its own
		_, why, _ = strings.Cut(rest, "\n")
	}
	if why == "" {
		return p
	}
	text, cure := advice(why)
	p.Message, p.Cure = p.Message+": "+text, cure
	return p
}
