package protobuf

import (
	"maps"
	"path/filepath"
	"slices"

	"k8s.io/gengo/v2/types"

	"github.com/typeplane/typeplane/generators/internal/diag"
	"github.com/typeplane/typeplane/generators/internal/model"
)

// plan decides what each package gets. Packages without messages are left out.
func plan(m *model.Model, packages []*model.Package, report *diag.Report, inline bool) []*file {
	p := &planner{model: m, report: report, inline: inline, chosen: map[*types.Type]options{}, inRun: map[string]bool{},
		planned: map[*types.Type]*message{}, protos: map[string][]byte{}}
	for _, pkg := range packages {
		p.inRun[pkg.Path] = true
	}
	var files []*file
	for _, pkg := range packages {
		if f := p.choose(pkg); len(f.messages)+len(f.aliases) > 0 {
			files = append(files, f)
		}
		p.leftBehind(pkg)
	}
	p.legacy = len(files) > 0 && p.hasProtoMessage()
	for _, f := range files {
		p.fill(f)
	}
	for _, f := range files {
		p.reach(f)
		findCycles(f.codecs())
		f.planSlabs()
	}
	return files
}

// choose picks the types of a package that become messages.
func (p *planner) choose(pkg *model.Package) *file {
	f := &file{pkg: pkg, inline: p.inline}
	all, ok := p.wanted(pkg)
	if !ok {
		return f
	}
	for _, name := range slices.Sorted(maps.Keys(pkg.Types.Types)) {
		t := pkg.Types.Types[name]
		o := p.options(t)
		if all && isInvalid(t) {
			p.problem(t, "", "is no type to the compiler, as a struct is not that holds itself by value", "use a pointer or a list")
			continue
		}
		if o.problem || !p.isMessage(t, o, all) {
			continue
		}
		p.chosen[t] = o
		m := &message{name: name, typ: t, comments: p.model.Doc(t)}
		p.planned[t] = m
		f.messages = append(f.messages, m)
	}
	f.aliases = p.chooseAliases(pkg)
	if all && len(f.messages) == 0 && len(f.aliases) == 0 && !p.report.Stops() {
		p.report.Warn(diag.Problem{
			Pos: p.model.PackagePos(pkg), Message: "+k8s:protobuf-gen=package has no effect: no type of the package can be a message",
			Cure: "take it away, or declare an exported struct with a field that protobuf has a word for, which arrays, interfaces and functions are not",
		})
	}
	return f
}

// fill plans the fields of each message of a package and gives them their numbers.
func (p *planner) fill(f *file) {
	// The name is as problems show it: beside the user's files.
	name := filepath.Join(filepath.Dir(p.model.PackagePos(f.pkg).Filename), protoFile)
	old, err := readLedger(f.pkg.Dir, name)
	if err != nil {
		p.report.Add(diag.Problem{
			Pos: position(err, name), Message: "cannot be read, so the numbers of fields are unknown: " + reason(err),
			Cure: "restore " + protoFile + " from version control",
		})
	}
	if old != nil {
		p.bury(f.pkg, old)
	}
	for _, m := range f.messages {
		o := p.chosen[m.typ]
		m.codec, m.stringer, m.deprecated = o.marshal, o.hasString(), o.deprecated
		p.handWritten(m)
		switch {
		case o.embed != "":
			p.fillEmbedded(m, o.embed)
		case m.typ.Kind == types.Alias:
			p.fillItems(m)
		default:
			p.fillStruct(f.pkg, m, o)
		}
		if o.embed == "" && !m.items {
			p.number(m, old[m.name])
		}
		p.checkNames(f.pkg, m)
	}
}

// handWritten leaves out the methods that the user has written; the codec is written by hand wholly
// or not at all.
func (p *planner) handWritten(m *message) {
	has := func(name string) bool { return m.typ.Methods[name] != nil }
	m.stringer = m.stringer && !has("String")
	m.reset = !has("Reset")
	m.protoMessage = p.legacy && !has("ProtoMessage")
	if !m.codec {
		return
	}
	var found, missing string
	for _, name := range codecMethods {
		if has(name) {
			found = name
		} else {
			missing = name
		}
	}
	switch {
	case found != "" && missing != "":
		p.problem(m.typ, "", "has a hand-written "+found+", but no "+missing,
			"write Marshal, MarshalTo, MarshalToSizedBuffer, Size and Unmarshal, or none of them")
	case found != "":
		m.codec = false
	}
}

// checkNames refuses types of the package that the variables of the printed methods would hide.
func (p *planner) checkNames(pkg *model.Package, m *message) {
	for _, f := range m.fields {
		used := []*types.Type{f.typ, f.value.typ}
		if f.key != nil {
			used = append(used, f.key.typ)
		}
		for _, t := range used {
			if t != nil && t.Name.Package == pkg.Path && slices.Contains(locals, t.Name.Name) {
				p.problem(t, "", "the methods of "+m.name+" have variables of this name", "give the type another name")
			}
		}
	}
}
