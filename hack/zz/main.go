package main

import (
	"fmt"
	"go/ast"
	"go/types"
	"os"
	"path/filepath"
	"sort"
	"strings"

	"golang.org/x/tools/go/packages"
)

func main() {
	cfg := &packages.Config{Mode: packages.NeedName | packages.NeedCompiledGoFiles | packages.NeedSyntax | packages.NeedTypes | packages.NeedTypesInfo | packages.NeedImports | packages.NeedExportFile}
	ps, err := packages.Load(cfg, os.Args[1])
	if err != nil {
		panic(err)
	}
	p := ps[0]
	set := map[string]bool{}
	for _, f := range os.Args[2:] {
		set[f] = true
	}
	type k struct{ from, to string }
	in, out := map[string]map[string]bool{}, map[string]map[string]bool{}
	add := func(m map[string]map[string]bool, name, f string) {
		if m[name] == nil {
			m[name] = map[string]bool{}
		}
		m[name][f] = true
	}
	for id, o := range p.TypesInfo.Uses {
		if o.Pkg() != p.Types {
			continue
		}
		from, to := filepath.Base(p.Fset.Position(id.Pos()).Filename), filepath.Base(p.Fset.Position(o.Pos()).Filename)
		if from == to || set[from] == set[to] {
			continue
		}
		name := o.Name()
		if f, ok := o.(*types.Func); ok && f.Signature().Recv() != nil {
			name = types.TypeString(f.Signature().Recv().Type(), func(*types.Package) string { return "" }) + "." + name
		} else if v, ok := o.(*types.Var); ok && v.IsField() {
			name = "field " + name
		} else if o.Parent() != p.Types.Scope() {
			continue
		}
		if set[from] {
			add(out, to+": "+name, from)
		} else {
			add(in, to+": "+name, from)
		}
	}
	show := func(t string, m map[string]map[string]bool) {
		fmt.Println("==", t)
		var names []string
		for n := range m {
			names = append(names, n)
		}
		sort.Strings(names)
		for _, n := range names {
			var fs []string
			for f := range m[n] {
				fs = append(fs, f)
			}
			sort.Strings(fs)
			fmt.Println("  ", n, "<-", strings.Join(fs, " "))
		}
	}
	show("used by the set from outside", out)
	show("used by others from the set", in)
	_ = ast.Walk
}
