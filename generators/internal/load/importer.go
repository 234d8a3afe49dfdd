package load

import (
	"fmt"
	gotypes "go/types"
	"os"

	"golang.org/x/tools/go/gcexportdata"
)

// importer gives the type checker the imports of one package. They are from source in the main
// module, and from export data elsewhere. Where there is nothing it gives an empty package, so that
// checking goes on.
type importer struct{ set *Set }

func (i importer) Import(path string) (*gotypes.Package, error) {
	if path == "unsafe" {
		return gotypes.Unsafe, nil
	}
	if p := i.set.importPackage(path); p != nil {
		return p, nil
	}
	return nil, fmt.Errorf("could not import %s", path)
}

func (s *Set) importPackage(path string) *gotypes.Package {
	n := s.nodes[path]
	if n == nil {
		return nil
	}
	if !n.main {
		return s.importOutside(path)
	}
	p := s.newPackage(n)
	s.check(p)
	return p.Go
}

// importOutside reads export data. The go command is asked for it if nobody has yet.
func (s *Set) importOutside(path string) *gotypes.Package {
	if path == "unsafe" {
		return gotypes.Unsafe
	}
	if p := s.imports[path]; p != nil && p.Complete() {
		return p
	}
	n := s.nodes[path]
	if n == nil || n.main {
		return nil
	}
	if n.export == "" {
		if err := s.exportData([]string{path}); err != nil || n.export == "" {
			return nil
		}
	}
	p, err := readExport(n.export, s, path)
	if err != nil {
		return nil
	}
	return p
}

func readExport(file string, s *Set, path string) (*gotypes.Package, error) {
	f, err := os.Open(file)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	//lint:ignore SA1019 `go list -export` of the Go releases that we support names archives, which Read alone does not read
	r, err := gcexportdata.NewReader(f)
	if err != nil {
		return nil, err
	}
	return gcexportdata.Read(r, s.fset, s.imports, path)
}
