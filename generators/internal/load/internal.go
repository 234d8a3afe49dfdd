package load

import "strings"

// CanImport tells whether the go command lets p import a package, as far as its path decides that.
// A package below a folder called internal is for what lies beside that folder.
func (p *Package) CanImport(path string) bool {
	at := strings.LastIndex("/"+path+"/", "/internal/")
	if at < 0 {
		return true
	}
	parent := strings.TrimSuffix(path[:at], "/")
	return p.Path == parent || parent == "" || strings.HasPrefix(p.Path, parent+"/")
}
