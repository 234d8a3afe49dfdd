package validation

import (
	"k8s.io/gengo/v2/types"

	"github.com/typeplane/typeplane/generators/emit"
)

// The arguments of a call are, besides emit.Ident and Go values (string, bool, int, int64, uint64, float64):

// raw is Go as it is written.
type raw string

// wrapper is a function value with the signature of validation functions that makes one call.
type wrapper struct {
	call call
	// typ is the type of the value it takes, fragment what whoever calls it adds to the path.
	typ      *types.Type
	fragment string
}

// sequence is a function value with the signature of validation functions that makes several calls.
type sequence struct {
	calls    []call
	typ      *types.Type
	fragment string
}

// lambda is any other function value. The body consists of what File.P takes.
type lambda struct {
	params []param
	result *types.Type
	body   []any
}

type param struct {
	name string
	typ  *types.Type
}

// construct is a call without the arguments of validation functions, like sets.New("a").
type construct struct {
	fn       emit.Ident
	typeArgs []typeArg
	args     []any
}

// literal is a composite literal: of a struct if its fields have names, of a slice if elems is set.
type literal struct {
	slice    bool
	typ      emit.Ident
	typeArgs []*types.Type
	fields   []fieldValue
}

type fieldValue struct {
	name  string // "" in a slice
	value any
}
