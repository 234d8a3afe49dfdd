package transcode

import (
	"fmt"
	gotypes "go/types"
	"maps"
	"regexp"
	"slices"
	"strings"
	"unicode"

	"k8s.io/gengo/v2/types"

	"github.com/typeplane/typeplane/generators/internal/emit"
	"github.com/typeplane/typeplane/generators/internal/generators"
	"github.com/typeplane/typeplane/generators/internal/json"
	"github.com/typeplane/typeplane/generators/internal/model"
	"github.com/typeplane/typeplane/generators/internal/protobuf"
)

// table is what is printed for one message.
type table struct {
	typ *types.Type
	// name is that of the variable; exported says that other files may use it.
	name     string
	exported bool
	// decoded says that messages of the type are decoded alone.
	decoded bool
	list    bool
	cycle   bool
	members []member
}

// member is a line of a table.
type member struct {
	literal string // of the name; "" for none
	number  int32
	wire    int
	form    string
	rule    []string
	of      *reference
}

// reference leads to the table of a value: one of the file, one of a package, or a type that is
// decoded alone.
type reference struct {
	table   *table
	ident   emit.Ident
	decoded *types.Type
}

// Kind is the table of a kind that a package serves, where there will be one when the run is over.
func Kind(pass *generators.Pass, numbers *protobuf.Numbers, pkg *model.Package, name string) (emit.Ident, bool) {
	if pass.InlineRuntime || !json.Wants(pass, pkg) {
		return emit.Ident{}, false
	}
	messages, aliases := numbers.Messages(pkg)
	own := slices.ContainsFunc(messages, func(m protobuf.Message) bool { return m.Own && m.Type.Name.Name == name })
	return emit.Ident{Path: pkg.Path, Name: tablePrefix + name}, own || aliases[name] != nil
}

const tablePrefix = "JSONTable_"

// planner plans the tables of a package.
type planner struct {
	pass   *generators.Pass
	tables map[*types.Type]*table
	taken  map[string]bool
}

// plan plans the tables of a package, the exported ones first.
func plan(pass *generators.Pass, numbers *protobuf.Numbers, pkg *model.Package) (tables []*table) {
	if !json.Wants(pass, pkg) {
		return nil
	}
	p := &planner{pass: pass, tables: map[*types.Type]*table{}, taken: map[string]bool{}}
	messages, aliases := numbers.Messages(pkg)
	messages = slices.DeleteFunc(messages, func(m protobuf.Message) bool { return !m.Own && known[m.Type.Name.String()] != "" })
	for _, m := range messages {
		t := &table{typ: m.Type, name: p.unexported(m.Type), list: m.List, cycle: m.Cycle}
		if m.Own {
			t.name, t.exported = tablePrefix+m.Type.Name.Name, true
		}
		p.tables[m.Type] = t
		tables = append(tables, t)
	}
	for _, name := range slices.Sorted(maps.Keys(aliases)) {
		t := p.tables[aliases[name]]
		t.name, t.exported = tablePrefix+name, true
	}
	for i, m := range messages {
		p.fill(tables[i], m)
	}
	slices.SortStableFunc(tables, func(a, b *table) int {
		if a.exported != b.exported {
			return map[bool]int{true: -1, false: 1}[a.exported]
		}
		return strings.Compare(a.name, b.name)
	})
	return tables
}

// unexported is the name of a table for a type of another module, and is given once. The package is
// in it, and the group if the package is called by a version.
func (p *planner) unexported(t *types.Type) string {
	parts := strings.Split(t.Name.Package, "/")
	pkg := parts[len(parts)-1]
	if len(parts) > 1 && isVersion.MatchString(pkg) {
		pkg = parts[len(parts)-2] + pkg
	}
	pkg = strings.Map(func(c rune) rune {
		if unicode.IsLetter(c) || unicode.IsDigit(c) {
			return c
		}
		return '_'
	}, pkg)
	name := fmt.Sprint("jsonTable_", pkg, "_", t.Name.Name)
	for base, i := name, 2; p.taken[name]; i++ {
		name = fmt.Sprint(base, i)
	}
	p.taken[name] = true
	return name
}

var isVersion = regexp.MustCompile(`^v\d`)

// fill plans the members of a table.
func (p *planner) fill(t *table, m protobuf.Message) {
	if json.WritesItself(m.Type.GoType) {
		t.decoded = true
		return
	}
	ok := false
	if m.List {
		t.members, ok = p.items(m)
	} else {
		t.members, ok = p.members(m)
	}
	far := slices.ContainsFunc(t.members, func(m member) bool { return m.number > maxNumber })
	if t.decoded = !ok || len(t.members) > maxMembers || far; t.decoded {
		t.members = nil
	}
}

// What a table can have: the place of a member is a byte, and there is one for each number.
const (
	maxMembers = 255
	maxNumber  = 1 << 12
)

// items plans the one member of a type that is a slice or a map.
func (p *planner) items(m protobuf.Message) ([]member, bool) {
	out, ok := p.field(json.Field{}, m.Type.GoType.Underlying(), m.Fields[0])
	out.literal = ""
	return []member{out}, ok
}

// members plans those of a struct, in the order of JSON; what JSON does not have comes last. It is
// not ok if there is one that tables have no word for.
func (p *planner) members(m protobuf.Message) (out []member, ok bool) {
	left := map[string]protobuf.Field{}
	for _, f := range m.Fields {
		left[f.Name] = f
	}
	fields := json.Fields(m.Type.GoType)
	for len(fields) > 0 {
		first := fields[0].Path[0]
		f, encoded := left[first.Name()]
		delete(left, first.Name())
		inside := fields[:run(fields)]
		fields = fields[len(inside):]
		switch {
		case !encoded && (isTypeMeta(first.Type()) || len(inside[0].Path) == 1 && omits(inside[0])):
			continue
		case !encoded:
			return nil, false
		case len(inside[0].Path) > 1:
			if !isAll(inside, first.Type()) || f.List || f.Map {
				return nil, false
			}
			line := member{number: f.Number, wire: f.Wire, form: "Inline", of: p.reference(f)}
			if f.Pointer {
				line.rule = []string{"Pointer"}
			}
			out = append(out, line)
			continue
		}
		line, ok := p.field(inside[0], first.Type(), f)
		if !ok {
			return nil, false
		}
		if first.Embedded() && first.Type().String() == metaV1+".ObjectMeta" {
			line.form = "Metadata"
		}
		line.literal = inside[0].Literal()
		out = append(out, line)
	}
	for _, f := range m.Fields {
		if _, hidden := left[f.Name]; hidden {
			line := member{number: f.Number, wire: f.Wire, form: "Hidden", rule: []string{"Optional"}}
			if f.List {
				line.rule = append(line.rule, "List")
			} else if f.Map {
				line.rule = append(line.rule, "Map")
			}
			out = append(out, line)
		}
	}
	return out, true
}

// run counts the fields that come from one field of the struct: an embedded one may have many.
func run(fields []json.Field) int {
	n := 1
	for n < len(fields) && fields[n].Path[0] == fields[0].Path[0] {
		n++
	}
	return n
}

// isAll says whether fields are all of those that an embedded struct has in JSON: none is hidden.
func isAll(fields []json.Field, embedded gotypes.Type) bool {
	if pointer, ok := embedded.Underlying().(*gotypes.Pointer); ok {
		embedded = pointer.Elem()
	}
	if json.WritesItself(embedded) {
		return false
	}
	return slices.EqualFunc(fields, json.Fields(embedded), func(a, b json.Field) bool { return a.Name == b.Name })
}

func isTypeMeta(t gotypes.Type) bool { return t.String() == metaV1+".TypeMeta" }

func omits(f json.Field) bool {
	if f.OmitZero {
		return true
	}
	_, isStruct := f.Var().Type().Underlying().(*gotypes.Struct)
	return f.OmitEmpty && !isStruct
}

// places say which member has a number, as a Go literal has it; nil if members are in the order of
// their numbers.
func (t *table) places() (out []string) {
	if slices.IsSortedFunc(t.members, byNumber) {
		return nil
	}
	places := map[int32]int{}
	for i, m := range t.members {
		places[m.number] = i + 1
	}
	for _, m := range slices.SortedFunc(slices.Values(t.members), byNumber) {
		out = append(out, fmt.Sprintf("%d: %d", m.number, places[m.number]))
	}
	return out
}

func byNumber(a, b member) int { return int(a.number - b.number) }
