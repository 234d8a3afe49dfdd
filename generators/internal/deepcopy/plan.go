package deepcopy

import (
	"fmt"
	"go/token"
	"go/version"
	"maps"
	"slices"
	"sort"
	"strings"
	"sync"

	"github.com/typeplane/typeplane/generators/internal/diag"
	"github.com/typeplane/typeplane/generators/internal/generators"
	"github.com/typeplane/typeplane/generators/internal/model"

	"k8s.io/gengo/v2/types"
)

// methods are what is printed for one type.
type methods struct {
	typ *types.Type
	// into and deep tell whether DeepCopyInto and DeepCopy are printed; the other one is
	// hand-written.
	into, deep bool
	// viaPointer tells that the hand-written DeepCopy, which a printed DeepCopyInto calls, returns
	// a pointer.
	viaPointer bool
	// body says how a printed DeepCopyInto copies; nil if it calls the hand-written DeepCopy.
	body *node
	// interfaces get a DeepCopy<Name> method each, on a value receiver if byValue.
	interfaces []*types.Type
	byValue    bool
}

// file is what is printed for one package.
type file struct {
	goVersion string // see load.Package
	methods   []methods
	aliases   []alias
	functions []foreign
	memory    *slabs
}

func (f file) empty() bool { return len(f.methods) == 0 && len(f.aliases) == 0 }

// how a value is copied.
type how int

const (
	assign    how = iota // an assignment copies it
	generated            // a struct with generated DeepCopyInto and DeepCopy
	function             // a struct of another module for which the file has a function
	manual               // hand-written DeepCopyInto or DeepCopy
	slice
	array
	mapping
	pointer
	inline  // a struct without methods: field by field
	named   // an interface with a DeepCopy<Name> method
	dynamic // an empty interface: a JSON value
)

// node says how values of a type are copied.
type node struct {
	how  how
	typ  *types.Type // as declared
	elem *node
	// fields are those of an inline struct; apart says that they are copied one by one, instead of
	// all at once first.
	fields []field
	apart  bool
	// byValue: the hand-written DeepCopy returns a value. into, deep: which of the methods exist.
	byValue, into, deep bool
}

type field struct {
	name string
	node *node
}

// planner decides for all packages of a run.
type planner struct {
	pass *generators.Pass
	// shared tells whether files may import the runtime.
	shared func() bool
	modes  map[string]mode
	// current is the package that is planned.
	current *model.Package
	// helpers are unexported types that others need methods of.
	helpers map[*types.Type]bool
	// reached are the types of other modules that the package's alias kinds are made of: true once
	// a function for one is planned.
	reached map[*types.Type]bool
	// busy are the types that planning is in the middle of, to notice those that contain
	// themselves.
	busy map[*types.Type]bool
}

func newPlanner(pass *generators.Pass) *planner {
	shared := sync.OnceValue(func() bool { return sharesRuntime(pass) })
	return &planner{pass: pass, shared: shared, modes: map[string]mode{}, helpers: map[*types.Type]bool{}, busy: map[*types.Type]bool{}}
}

// place is what a problem is about.
type place struct {
	path string
	pos  token.Position
}

func (pl *planner) problem(at place, cure, format string, args ...any) {
	pl.pass.Report.Add(diag.Problem{Pos: at.pos, Path: at.path, Message: fmt.Sprintf(format, args...), Cure: cure})
}

// plan decides what is printed for a package.
func (pl *planner) plan(pkg *model.Package) file {
	pl.current = pkg
	if _, err := pl.packageMode(pkg); err != nil {
		pl.problem(place{pos: pl.pass.Model.PackagePos(pkg)}, "", "%v", err)
		return file{}
	}
	f := file{goVersion: pkg.GoVersion}
	f.aliases = pl.aliases(pkg)
	f.methods = pl.methods(pkg)
	f.functions = pl.foreignFunctions()
	f.planSlabs(len(f.functions) > 0 && pl.shared())
	return f
}

// since tells whether the package is compiled with what a release of Go, like "go1.21", brought.
func (f *file) since(release string) bool {
	return f.goVersion == "" || version.Compare("go"+f.goVersion, release) >= 0
}

// methods decides which types of a package get methods, in the order in which they are printed.
func (pl *planner) methods(pkg *model.Package) []methods {
	var out []methods
	planned := map[*types.Type]bool{}
	for _, name := range slices.Sorted(maps.Keys(pkg.Types.Types)) {
		t := pkg.Types.Types[name]
		if pl.wanted(pkg, t) {
			planned[t] = true
			out = append(out, pl.typeMethods(pkg, t))
		}
	}
	for again := true; again; {
		again = false
		for _, name := range slices.Sorted(maps.Keys(pkg.Types.Types)) {
			if t := pkg.Types.Types[name]; pl.helpers[t] && !planned[t] {
				planned[t], again = true, true
				out = append(out, pl.typeMethods(pkg, t))
			}
		}
	}
	sort.SliceStable(out, func(i, j int) bool { return out[i].typ.Name.Name < out[j].typ.Name.Name })
	return out
}

// wanted decides whether a type of a package gets methods because of tags, and reports tags that
// cannot be followed. One on an interface or the like changes nothing, and deepcopy-gen says
// nothing: that is a warning.
func (pl *planner) wanted(pkg *model.Package, t *types.Type) bool {
	if declaredHere := pkg.Go.Scope().Lookup(baseName(t)); declaredHere == nil {
		return false
	}
	w, err := pl.typeWish(pkg, t)
	at := place{t.Name.Name, pl.pass.Model.TypePos(t)}
	if err != nil {
		pl.problem(at, "", "%v", err)
		return false
	}
	m := pl.mode(pkg)
	if m == off || w.out || m == optIn && !w.in {
		pl.switchedOff(pkg, t)
		return false
	}
	switch {
	case strings.Contains(t.Name.Name, "["):
		if w.in {
			pl.problem(at, "take the tag off: fields of this type are copied where they stand", "a generic type cannot have generated deep copies")
		}
		return false
	case !copyable(t):
		if w.in {
			pl.pass.Report.Warn(diag.Problem{
				Pos: at.pos, Path: at.path, Cure: "take the tag off",
				Message: fmt.Sprintf("a type of kind %s cannot have generated deep copies", strings.ToLower(string(t.Kind))),
			})
		}
		return false
	}
	return w.in || token.IsExported(t.Name.Name)
}

// switchedOff reports the package tags that leave a server without the copies of its objects: one
// problem for all of them.
func (pl *planner) switchedOff(pkg *model.Package, t *types.Type) {
	if t.Methods["DeepCopyObject"] != nil || !pl.pass.Model.IsServedObject(pkg, t) {
		return
	}
	for _, name := range []string{enableTag, objectTag} {
		for _, mk := range pl.pass.Model.OfPackage(pkg).Exactly(name) {
			pl.problem(place{pos: mk.Pos}, "take the tag away, or write the methods DeepCopyObject",
				"a server needs the deep copies of kinds that +%s=false switches off", name)
		}
	}
}

// copyable tells whether methods make sense for a type: structs, declared maps and slices, and
// everything that has one of the methods by hand.
func copyable(t *types.Type) bool {
	if t.Kind == types.Alias {
		return t.Underlying.Kind != types.Builtin && t.Underlying.Kind != types.Unsupported || t.Methods["DeepCopy"] != nil || t.Methods["DeepCopyInto"] != nil
	}
	return t.Kind == types.Struct
}

// mode returns what a package's tags ask for; a package whose tags cannot be read generates
// nothing.
func (pl *planner) mode(pkg *model.Package) mode {
	m, ok := pl.modes[pkg.Path]
	if !ok {
		m, _ = pl.packageMode(pkg)
		pl.modes[pkg.Path] = m
	}
	return m
}

func (pl *planner) typeMethods(pkg *model.Package, t *types.Type) methods {
	w, _ := pl.typeWish(pkg, t)
	at := place{t.Name.Name, pl.pass.Model.TypePos(t)}
	deep, into := pl.handWritten(t)
	m := methods{typ: t, into: into == nil, deep: deep == nil, byValue: w.byValue}
	switch {
	case deep != nil:
		m.viaPointer = deep.Signature.Results[0].Type.Kind == types.Pointer
	case into == nil:
		pl.busy[t] = true
		m.body = pl.shape(t, at, true)
		delete(pl.busy, t)
	}
	if t.Kind != types.Struct {
		pl.notAStruct(t)
		return m
	}
	for _, name := range w.interfaces {
		if name == objectName && !model.HasMethod(t, "GetObjectKind") {
			pl.problem(at, "embed metav1.TypeMeta, or take the tag off", "a DeepCopyObject is asked for, and a runtime.Object also has GetObjectKind")
			continue
		}
		if i := pl.interfaceType(name, at); i != nil {
			m.interfaces = append(m.interfaces, i)
		}
	}
	return m
}

// notAStruct warns of tags for methods that only structs get; deepcopy-gen says nothing of them.
func (pl *planner) notAStruct(t *types.Type) {
	for _, name := range []string{interfacesTag, valueTag} {
		for _, mk := range pl.markersOf(t).Exactly(name) {
			pl.pass.Report.Warn(diag.Problem{
				Pos: mk.Pos, Path: t.Name.Name, Cure: "take the tag off",
				Message: fmt.Sprintf("+%s has no effect on a type that is no struct", name),
			})
		}
	}
}

func (pl *planner) interfaceType(name string, at place) *types.Type {
	full := types.ParseFullyQualifiedName(name)
	pkg := pl.pass.Model.Package(full.Package)
	if pkg == nil {
		pl.problem(at, "write the import path, like "+objectName, "+%s=%s: there is no package %q", interfacesTag, name, full.Package)
		return nil
	}
	t := pkg.Types.Types[full.Name]
	if t == nil || t.Kind != types.Interface {
		pl.problem(at, "", "+%s=%s: %s is not an interface of that package", interfacesTag, name, full.Name)
		return nil
	}
	return t
}

// reference tells whether a type is a map, slice or pointer, declared or not: its methods have
// value receivers.
func reference(t *types.Type) bool {
	switch model.Underlying(t).Kind {
	case types.Pointer, types.Map, types.Slice:
		return true
	}
	return false
}

func baseName(t *types.Type) string {
	name, _, _ := strings.Cut(t.Name.Name, "[")
	return name
}
