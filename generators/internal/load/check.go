package load

import (
	"cmp"
	"errors"
	"fmt"
	gotypes "go/types"
	"path"
	"runtime"
	"slices"
	"strconv"

	"golang.org/x/sync/errgroup"

	"github.com/typeplane/typeplane/generators/internal/diag"
)

// check type-checks packages and those that they use, several at a time, and returns those that
// had not been checked before.
func (s *Set) check(roots []*node) []*node {
	todo := s.order(roots)
	s.cfg.Progress.Step("check packages", len(todo))
	done := map[*node]chan struct{}{}
	for _, n := range todo {
		done[n] = make(chan struct{})
	}
	var group errgroup.Group
	group.SetLimit(runtime.GOMAXPROCS(0))
	for _, n := range todo {
		group.Go(func() error {
			defer close(done[n])
			for _, u := range n.uses {
				if c := done[u.node]; c != nil { // it is earlier in todo, so it has been started
					<-c
				}
			}
			s.checkNode(n)
			s.cfg.Progress.Add(1)
			return nil
		})
	}
	_ = group.Wait() // no function returns an error
	for _, n := range todo {
		if n.main {
			p := s.packages[n.path]
			p.Go = n.pkg
			s.findLost(p)
		}
	}
	return todo
}

// order returns the unchecked ones of packages and of those that they use, each behind those that
// it uses. It reports import cycles and breaks them.
func (s *Set) order(roots []*node) []*node {
	var out []*node
	active, seen := map[*node]bool{}, map[*node]bool{}
	var visit func(n *node)
	visit = func(n *node) {
		if n.pkg != nil || seen[n] {
			return
		}
		seen[n], active[n] = true, true
		n.bound = n.main
		s.reportCycles(n, active)
		n.uses = slices.DeleteFunc(n.uses, func(u use) bool { return active[u.node] })
		for _, u := range n.uses {
			visit(u.node)
			n.bound = n.bound || u.node.bound
		}
		delete(active, n)
		out = append(out, n)
	}
	for _, n := range roots {
		visit(n)
	}
	return out
}

// reportCycles reports imports of a package by which it imports itself.
func (s *Set) reportCycles(n *node, active map[*node]bool) {
	for _, f := range n.syntax {
		for _, spec := range f.Imports {
			to := s.nodes[n.imported(spec)]
			if !active[to] {
				continue
			}
			if !n.main {
				n.fault = &fault{message: fmt.Sprintf("import cycle: %s and %s import each other", n.path, to.path)}
				continue
			}
			s.packages[n.path].Broken = true
			s.cfg.Report.Add(diag.Problem{
				Pos: s.position(spec.Path.Pos()), Message: fmt.Sprintf("cannot import %s, which imports this package", to.path),
				Cure: "move what both need into a third package",
			})
		}
	}
}

// checkNode type-checks a package whose imports have been checked.
func (s *Set) checkNode(n *node) {
	for _, u := range n.uses {
		if !n.main && n.fault == nil {
			n.fault = u.node.fault
		}
	}
	config := gotypes.Config{
		IgnoreFuncBodies: true, FakeImportC: true,
		Sizes:    gotypes.SizesFor("gc", s.settings.arch),
		Importer: importer{s, n},
		Error: func(err error) {
			var e gotypes.Error
			if !errors.As(err, &e) {
				return
			}
			if n.main {
				p := s.packages[n.path]
				p.errors = append(p.errors, e)
			} else if n.fault == nil && !e.Soft {
				n.fault = s.typeFault(n, e)
			}
		},
	}
	n.pkg, _ = config.Check(n.path, s.fset, n.syntax, nil)
	if n.pkg.Name() == "" { // it has no files
		n.pkg = gotypes.NewPackage(n.path, n.name)
	}
	n.pkg.MarkComplete()
	n.syntax = nil
}

// importer gives the type checker the imports of one package.
type importer struct {
	set *Set
	of  *node
}

// Import returns a checked package, or an empty one where only function bodies use it.
func (i importer) Import(as string) (*gotypes.Package, error) {
	if as == "unsafe" {
		return gotypes.Unsafe, nil
	}
	if at := slices.IndexFunc(i.of.uses, func(u use) bool { return u.path == as }); at >= 0 {
		if to := i.of.uses[at].node; to.fault == nil {
			return to.pkg, nil
		}
		return nil, fmt.Errorf("could not import %s", as)
	}
	to := i.set.nodes[cmp.Or(i.of.importMap[as], as)]
	if i.of.main && (to == nil || len(to.files) == 0) {
		return nil, fmt.Errorf("could not import %s", as)
	}
	name := path.Base(as)
	if to != nil && to.name != "" {
		name = to.name
	}
	empty := gotypes.NewPackage(as, name)
	empty.MarkComplete()
	return empty, nil
}

// findLost finds imports of a checked package of the main module that lead nowhere.
func (s *Set) findLost(p *Package) {
	for _, f := range p.files {
		for _, spec := range f.Imports {
			path, err := strconv.Unquote(spec.Path.Value)
			if path == "unsafe" || path == "C" || err != nil {
				continue
			}
			if n := s.nodes[path]; n != nil && n.fault == nil && len(n.files) > 0 {
				continue
			}
			p.Broken = true
			p.lost = append(p.lost, lostImport{s.position(spec.Path.Pos()), path})
		}
	}
}
