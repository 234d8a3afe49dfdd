package load

import gotypes "go/types"

// Reaches tells whether the package is target or imports it, directly or by others of the main
// module, so that target cannot import it.
func (s *Set) Reaches(p, target *Package) bool {
	return s.reaches(p.Go, target.Go, map[*gotypes.Package]bool{})
}

func (s *Set) reaches(from, target *gotypes.Package, seen map[*gotypes.Package]bool) bool {
	if from == target {
		return true
	}
	if n := s.nodes[from.Path()]; seen[from] || n == nil || !n.main {
		return false
	}
	seen[from] = true
	for _, imported := range from.Imports() {
		if s.reaches(imported, target, seen) {
			return true
		}
	}
	return false
}
