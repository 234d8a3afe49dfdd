package protobuf

import (
	"go/token"
	gotypes "go/types"

	"k8s.io/gengo/v2/types"

	"github.com/typeplane/typeplane/generators/internal/diag"
	"github.com/typeplane/typeplane/generators/internal/model"
)

// planner decides for all packages of a run; a type may need a message of another package of the
// run.
type planner struct {
	model  *model.Model
	report *diag.Report
	// chosen are the types that become messages in this run.
	chosen map[*types.Type]options
	// inRun are the import paths of all packages of the run.
	inRun map[string]bool
	// planned are the messages of this run.
	planned map[*types.Type]*message
	// protos caches generated.proto of other packages.
	protos map[string][]byte
	// inline says that printed code may not import the runtime.
	inline bool
	// legacy says that messages have a method ProtoMessage.
	legacy bool
}

// problem reports something about a type, or about one of its fields.
func (p *planner) problem(t *types.Type, member, message, cure string) {
	d := diag.Problem{Pos: p.model.TypePos(t), Path: t.Name.Name, Message: message, Cure: cure}
	if member != "" {
		d.Pos, d.Path = p.model.MemberPos(t, member), t.Name.Name+"."+member
	}
	p.report.Add(d)
}

// isMessage tells whether a type becomes a message: an exported struct with something in it that
// can be written, or a slice or map that is nullable.
func (p *planner) isMessage(t *types.Type, o options, all bool) bool {
	asked := o.include == "true"
	if !token.IsExported(t.Name.Name) || o.include == "false" || !all && !asked {
		return false
	}
	switch {
	case t.Kind == types.Alias && o.nullable:
		under := model.Underlying(t).Kind
		return under == types.Slice || under == types.Map
	case t.Kind != types.Struct:
		return false
	case len(t.TypeParams) > 0:
		if asked {
			p.problem(t, "", "a generic type cannot be a message", "write a type for each argument, or remove +protobuf=true")
		}
		return false
	}
	return asked || writable(t, map[*types.Type]bool{})
}

// wanted reads the package tag: all types, or only those that ask with +protobuf=true; ok is false
// for none.
func (p *planner) wanted(pkg *model.Package) (all, ok bool) {
	value, found := p.model.OfPackage(pkg).Last("k8s:protobuf-gen")
	switch {
	case !found:
		return false, true
	case value == "package":
		return true, true
	case value == "false":
		return false, false
	}
	p.report.Add(diag.Problem{
		Pos: p.model.PackagePos(pkg), Message: "+k8s:protobuf-gen=" + value + " says nothing",
		Cure: "write +k8s:protobuf-gen=package or +k8s:protobuf-gen=false",
	})
	return false, false
}

// Numbers that a .proto file may use; those from 19000 to 19999 belong to protobuf itself.
const (
	maxNumber     = 1<<29 - 1
	firstReserved = 19000
	lastReserved  = 19999
)

const (
	goFile    = "generated.pb.go"
	protoFile = "generated.proto"
)

// writable tells whether something in a type can be written. Like go-to-protobuf it is optimistic:
// one such field makes a struct a message, and then the others must be right too.
func writable(t *types.Type, seen map[*types.Type]bool) bool {
	if seen[t] {
		return true
	}
	seen[t] = true
	switch t.Kind {
	case types.Builtin:
		return true
	case types.Alias:
		return writable(t.Underlying, seen)
	case types.Slice, types.Pointer:
		return writable(t.Elem, seen)
	case types.Map:
		return writable(t.Key, seen) && writable(t.Elem, seen)
	case types.Struct:
		for _, m := range t.Members {
			if writable(m.Type, seen) {
				return true
			}
		}
		return len(t.Members) == 0
	}
	return false
}

// isInvalid tells whether the type checker could make nothing of a type.
func isInvalid(t *types.Type) bool {
	return t.GoType != nil && t.GoType.Underlying() == gotypes.Typ[gotypes.Invalid]
}
