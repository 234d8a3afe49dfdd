package plan

import (
	"k8s.io/gengo/v2/types"

	"github.com/typeplane/typeplane/generators/internal/emit"
)

// The arguments of a call are, besides emit.Ident and Go values (string, bool, int, int64, uint64,
// float64):

// Raw is Go as it is written.
type Raw string

// Wrapper is a function value with the signature of validation functions that makes one call.
type Wrapper struct {
	Call Call
	// Type is the type of the value it takes, Fragment what whoever calls it adds to the path.
	Type     *types.Type
	Fragment string
}

// Sequence is a function value with the signature of validation functions that makes several calls.
type Sequence struct {
	Calls    []Call
	Type     *types.Type
	Fragment string
}

// Lambda is any other function value. The body consists of what File.P takes.
type Lambda struct {
	Params []Param
	Result *types.Type
	Body   []any
}

type Param struct {
	Name string
	Type *types.Type
}

// Construct is a call without the arguments of validation functions, like sets.New("a").
type Construct struct {
	Func     emit.Ident
	TypeArgs []TypeArg
	Args     []any
}

// Literal is a composite literal: of a struct if its fields have names, of a slice if elems is set.
type Literal struct {
	Slice    bool
	Type     emit.Ident
	TypeArgs []*types.Type
	Fields   []FieldValue
}

type FieldValue struct {
	Name  string // "" in a slice
	Value any
}
