package protobuf

import (
	"bytes"
	"fmt"
	"go/token"
	gotypes "go/types"
	"os"
	"path"
	"path/filepath"
	"strings"

	"k8s.io/gengo/v2/types"

	"github.com/typeplane/typeplane/generators/internal/model"
)

// kind is what one value is on the wire.
type kind struct {
	proto string // type in the .proto file; "" for messages, which have names
	goes  string // the Go type that the generated code reads and writes; "" for messages
	wire  int
}

const (
	wireVarint  = 0
	wireFixed64 = 1
	wireBytes   = 2
	wireFixed32 = 5
)

var (
	messageKind = &kind{wire: wireBytes}
	bytesKind   = &kind{proto: "bytes", goes: "[]byte", wire: wireBytes}
	stringKind  = &kind{proto: "string", goes: "string", wire: wireBytes}
	boolKind    = &kind{proto: "bool", goes: "bool", wire: wireVarint}
)

// kinds are those of Go's own types, by the names that gengo gives them.
var kinds = map[string]*kind{
	"string":  stringKind,
	"bool":    boolKind,
	"int32":   {proto: "int32", goes: "int32", wire: wireVarint},
	"int64":   {proto: "int64", goes: "int64", wire: wireVarint},
	"int":     {proto: "int64", goes: "int", wire: wireVarint},
	"uint32":  {proto: "uint32", goes: "uint32", wire: wireVarint},
	"uint64":  {proto: "uint64", goes: "uint64", wire: wireVarint},
	"uint":    {proto: "uint64", goes: "uint", wire: wireVarint},
	"uintptr": {proto: "uint64", goes: "uintptr", wire: wireVarint},
	"float32": {proto: "float", goes: "float32", wire: wireFixed32},
	"float64": {proto: "double", goes: "float64", wire: wireFixed64},
}

// cures say what to use instead of Go's other types.
var cures = map[string]string{"int8": "use int32", "int16": "use int32", "byte": "use uint32", "uint16": "use uint32"}

// value is one value: a field without repetition, an item of a list, a key or a value of a map.
type value struct {
	*kind
	typ     *types.Type // what the Go type is, below the pointer if there is one
	pointer bool
	ref     string // the name of the type in the .proto file
	from    string // the import path whose generated.proto declares it, if not this package's
	nilable bool   // the Go type of the message is a slice or map
	// stringer tells whether the message has a String method that this run prints or the user
	// wrote.
	stringer bool
	// access is how the file gets at a message; target is the message if the file has functions for
	// it.
	access access
	target *message
}

func (v *value) isMessage() bool { return v.kind == messageKind }

// named tells whether the Go type is a named one, so that values must be converted.
func (v *value) named() bool { return v.typ.Name.Package != "" || v.typ.Name.Name != v.goes }

// refused says why a Go type cannot be written, and what to do.
type refused struct{ message, cure string }

func (r *refused) Error() string { return r.message }

func refuse(cure, format string, args ...any) error {
	return &refused{message: fmt.Sprintf(format, args...), cure: cure}
}

// single plans one value of a Go type, as it stands in a package.
func (p *planner) single(pkg string, t *types.Type) (*value, error) {
	if t.Kind == types.Pointer {
		v, err := p.single(pkg, t.Elem)
		switch {
		case err == nil && v.pointer:
			return nil, refuse("use "+goName(t.Elem), "%s cannot be written", goName(t))
		case err == nil && v.kind == bytesKind:
			return nil, refuse("use []byte, which can be nil itself", "%s cannot be written", goName(t))
		}
		if err != nil {
			return nil, err
		}
		v.pointer = true
		return v, nil
	}
	if v, err := p.message(pkg, t); v != nil || err != nil {
		return v, err
	}
	switch under := model.Underlying(t); under.Kind {
	case types.Builtin:
		k := kinds[under.Name.Name]
		if k == nil {
			return nil, refuse(cures[under.Name.Name], "%s cannot be written", goName(t))
		}
		return &value{kind: k, typ: t, ref: k.proto}, nil
	case types.Slice:
		if isByte(under.Elem) {
			return &value{kind: bytesKind, typ: t, ref: bytesKind.proto}, nil
		}
		return nil, refuse("give the inner list a type with +protobuf.nullable=true, or a struct around it", "%s within a list, map or pointer cannot be written", goName(t))
	case types.Map:
		return nil, refuse("give the inner map a type with +protobuf.nullable=true, or a struct around it", "%s within a list, map or pointer cannot be written", goName(t))
	case types.Interface:
		return nil, refuse("use runtime.RawExtension of k8s.io/apimachinery, or a type of its own", "an interface cannot be written")
	case types.Array:
		return nil, refuse("use a slice", "an array cannot be written")
	case types.Struct:
		return nil, refuse("give the struct a name", "a struct without a name cannot be written")
	default:
		return nil, refuse(`leave it out with protobuf:"-"`, "%s cannot be written", goName(t))
	}
}

// message plans a value whose type is a message; it returns nil if the type is none and need not
// be.
func (p *planner) message(pkg string, t *types.Type) (*value, error) {
	if t.Name.Package == "" || t.Kind != types.Struct && t.Kind != types.Alias {
		return nil, nil
	}
	v := &value{kind: messageKind, typ: t, ref: t.Name.Name}
	if t.Kind == types.Alias {
		under := model.Underlying(t).Kind
		v.nilable = under == types.Slice || under == types.Map
	}
	if o, chosen := p.chosen[t]; chosen {
		v.stringer = o.hasString() || t.Methods["String"] != nil
		if t.Name.Package != pkg {
			v.ref, v.from = "."+protoPackage(t.Name.Package)+"."+t.Name.Name, t.Name.Package
		}
		return v, nil
	}
	declared := p.declares(t)
	if declared || hasCodec(t) {
		// To whoever knows no more about the message, it is bytes.
		v.ref = "bytes"
		if declared {
			v.ref, v.from = "."+protoPackage(t.Name.Package)+"."+t.Name.Name, t.Name.Package
		}
		return v, nil
	}
	if t.Kind == types.Alias {
		return nil, nil
	}
	return nil, notAMessage(pkg, t)
}

// notAMessage says why a struct type is no message.
func notAMessage(pkg string, t *types.Type) error {
	switch {
	case t.Name.Package == "time" && t.Name.Name == "Time":
		return refuse("use metav1.Time or metav1.MicroTime of k8s.io/apimachinery/pkg/apis/meta/v1", "time.Time cannot be written")
	case t.Name.Package != pkg:
		return refuse("tag its package with +k8s:protobuf-gen=package and name it in this run, or write its methods",
			"%s has no protobuf methods", goName(t))
	case !token.IsExported(t.Name.Name):
		return refuse("export the type", "%s is not exported, so it is no message", goName(t))
	case model.IsInstance(t):
		return refuse("write a struct of its own for these arguments", "%s is of a generic type, which cannot be a message", goName(t))
	}
	return refuse("tag the type with +protobuf=true, or write its protobuf methods", "%s is no message", goName(t))
}

// HasMethods tells whether a type of a package has protobuf methods although nobody asks for them.
// They are written by hand, or in a file of another tool, which is not loaded.
func HasMethods(pkg *model.Package, t *types.Type) bool {
	text, _ := os.ReadFile(filepath.Join(pkg.Dir, goFile)) // there may be none
	if bytes.Contains(text, []byte("// Code generated by "+generator+". ")) {
		text = nil // it goes
	}
	return hasCodec(t) || bytes.Contains(text, []byte(" *"+t.Name.Name+") MarshalToSizedBuffer("))
}

// hasCodec tells whether a type has the protobuf methods itself, not by embedding.
func hasCodec(t *types.Type) bool {
	if t.GoType == nil {
		return false
	}
	for _, name := range []string{"Size", "MarshalToSizedBuffer", "Unmarshal"} {
		method, index, _ := gotypes.LookupFieldOrMethod(t.GoType, true, nil, name)
		if _, ok := method.(*gotypes.Func); !ok || len(index) != 1 {
			return false
		}
	}
	return true
}

// protoPackage is the package of a .proto file as Kubernetes names it: slashes become dots, and
// what a .proto file does not allow becomes an underscore.
func protoPackage(importPath string) string {
	parts := strings.Split(strings.ReplaceAll(importPath, "/", "."), ".")
	for i, part := range parts {
		part = strings.Map(func(r rune) rune {
			if r != '_' && !isIdentifier("x"+string(r)) {
				return '_'
			}
			return r
		}, part)
		if !isIdentifier(part) {
			part = "_" + part
		}
		parts[i] = part
	}
	return strings.Join(parts, ".")
}

// isByte tells whether a slice of the type is bytes.
func isByte(t *types.Type) bool { return model.Underlying(t).Name.Name == "byte" }

// goName is a Go type as a reader of an error knows it.
func goName(t *types.Type) string {
	if t.GoType == nil {
		return t.Name.Name
	}
	return gotypes.TypeString(t.GoType, func(p *gotypes.Package) string { return path.Base(p.Path()) })
}
