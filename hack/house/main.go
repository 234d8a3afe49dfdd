// Command house prints figures about the source. It counts the packages, those that are public,
// and the lines that people wrote, and says how far the files of each package can be read from
// the top down.
//
//	go run ./hack/house                     the numbers
//	go run ./hack/house -public             and which packages are public
//	go run ./hack/house -arrows registry    what runs back up in a package
//
// An arrow goes from a file to another file of its package that it uses something of. Files are put
// in the order in which the fewest arrows run back up. The share of those that still do says how
// much of a package one has to know at once.
package main

import (
	"cmp"
	"flag"
	"fmt"
	"go/ast"
	"go/types"
	"log"
	"maps"
	"path/filepath"
	"slices"
	"strings"

	"golang.org/x/tools/go/packages"
)

const module = "github.com/typeplane/typeplane"

// crowded is how many files a package has before its arrows are shown.
const crowded = 15

var (
	showPublic = flag.Bool("public", false, "list the public packages with the names that each exports")
	showArrows = flag.String("arrows", "", "list the arrows that run back up in a `package`, and what they use")
)

func main() {
	log.SetFlags(0)
	flag.Parse()
	var all []*room
	for _, dir := range []string{".", "runtime", "cel", "policy", "tracing"} {
		rooms, err := load(dir)
		if err != nil {
			log.Fatal(err)
		}
		all = append(all, rooms...)
	}
	report(all)
}

// room is a package as it is counted.
type room struct {
	path     string
	files    []string // that people wrote, in the order of the sheet
	lines    int
	exported int
	arrows   map[arrow][]string // between files, with what they use
	back     []arrow            // those that run back up
}

// load counts the packages of the module in a folder.
func load(dir string) ([]*room, error) {
	config := &packages.Config{Dir: dir, Mode: packages.NeedName | packages.NeedCompiledGoFiles | packages.NeedSyntax | packages.NeedTypes | packages.NeedTypesInfo | packages.NeedImports | packages.NeedExportFile}
	loaded, err := packages.Load(config, "./...")
	if err != nil {
		return nil, err
	}
	var rooms []*room
	for _, p := range loaded {
		if len(p.Errors) > 0 {
			return nil, p.Errors[0]
		}
		if r := count(p); len(r.files) > 0 {
			rooms = append(rooms, r)
		}
	}
	return rooms, nil
}

// count reads one package.
func count(p *packages.Package) *room {
	r := &room{path: strings.TrimPrefix(strings.TrimPrefix(p.PkgPath, module), "/")}
	owner := map[string]bool{}
	for _, file := range p.Syntax {
		if name := p.Fset.Position(file.Package).Filename; !ast.IsGenerated(file) {
			owner[name] = true
			r.lines += p.Fset.File(file.Package).LineCount()
			r.files = append(r.files, filepath.Base(name))
		}
	}
	for _, name := range p.Types.Scope().Names() {
		object := p.Types.Scope().Lookup(name)
		if object.Exported() && owner[p.Fset.Position(object.Pos()).Filename] {
			r.exported++
		}
	}
	r.arrows = arrows(p, owner)
	r.back = backward(r.arrows)
	return r
}

// arrow says that a file uses what another one declares.
type arrow struct{ from, to string }

func arrows(p *packages.Package, owner map[string]bool) map[arrow][]string {
	found := map[arrow][]string{}
	for id, object := range p.TypesInfo.Uses {
		if object.Pkg() != p.Types || !declared(object) {
			continue
		}
		from, to := p.Fset.Position(id.Pos()).Filename, p.Fset.Position(object.Pos()).Filename
		if from != to && owner[from] && owner[to] {
			found[arrow{from, to}] = append(found[arrow{from, to}], object.Name())
		}
	}
	return found
}

// declared says whether an object stands on its own in a package: not what a function has inside.
func declared(object types.Object) bool {
	if f, ok := object.(*types.Func); ok && f.Signature().Recv() != nil {
		return true
	}
	return object.Parent() == object.Pkg().Scope()
}

// backward puts the files in an order and returns the arrows that run against it. It starts with
// those that use much and are used by few, and then moves single files as long as that helps.
func backward(arrows map[arrow][]string) []arrow {
	degree := map[string]int{}
	for a := range arrows {
		degree[a.from]++
		degree[a.to]--
	}
	order := slices.SortedFunc(maps.Keys(degree), func(a, b string) int {
		return cmp.Or(cmp.Compare(degree[b], degree[a]), strings.Compare(a, b))
	})
	least := len(against(order, arrows))
	for better := true; better; {
		better = false
		for _, file := range slices.Clone(order) {
			for at := range order {
				moved := move(order, file, at)
				if n := len(against(moved, arrows)); n < least {
					order, least, better = moved, n, true
				}
			}
		}
	}
	return against(order, arrows)
}

func move(order []string, file string, at int) []string {
	rest := slices.DeleteFunc(slices.Clone(order), func(f string) bool { return f == file })
	return slices.Insert(rest, at, file)
}

func against(order []string, arrows map[arrow][]string) (back []arrow) {
	place := map[string]int{}
	for i, file := range order {
		place[file] = i
	}
	for a := range arrows {
		if place[a.from] > place[a.to] {
			back = append(back, a)
		}
	}
	return back
}

// public says whether somebody else's code may import a package.
func (r *room) public() bool {
	return !strings.Contains("/"+r.path+"/", "/internal/") && !strings.HasPrefix(r.path, "examples/") && !strings.HasPrefix(r.path, "hack/") && !strings.HasPrefix(r.path, "cmd/")
}

func report(rooms []*room) {
	var public, exported, lines, files int
	for _, r := range rooms {
		lines, files = lines+r.lines, files+len(r.files)
		if r.public() {
			public++
			exported += r.exported
		}
	}
	fmt.Printf("packages %d, public %d with %d exported names; %d files, %d lines that people wrote\n", len(rooms), public, exported, files, lines)
	fmt.Printf("\nshare of arrows between files that run back up, where there are more than %d files:\n", crowded)
	slices.SortFunc(rooms, func(a, b *room) int { return cmp.Compare(b.share(), a.share()) })
	for _, r := range rooms {
		if len(r.files) > crowded {
			fmt.Printf("%5.1f %%  %3d of %3d  %s (%d files)\n", 100*r.share(), len(r.back), len(r.arrows), cmp.Or(r.path, "."), len(r.files))
		}
	}
	for _, r := range rooms {
		if *showPublic && r.public() {
			fmt.Println(r.path, r.exported)
		}
		if *showArrows != "" && r.path == *showArrows {
			r.printArrows()
		}
	}
}

func (r *room) printArrows() {
	slices.SortFunc(r.back, func(a, b arrow) int { return cmp.Or(strings.Compare(a.to, b.to), strings.Compare(a.from, b.from)) })
	for _, a := range r.back {
		names := slices.Compact(slices.Sorted(slices.Values(r.arrows[a])))
		fmt.Printf("%s -> %s: %s\n", filepath.Base(a.from), filepath.Base(a.to), strings.Join(names, " "))
	}
}

func (r *room) share() float64 { return float64(len(r.back)) / float64(max(1, len(r.arrows))) }
