package defaulter

import (
	"encoding/json"

	"k8s.io/gengo/v2/types"
)

// plan is what one generated file does.
type plan struct {
	register  []*types.Type // roots that are objects, for RegisterDefaults
	functions []function
}

// function fills an object of type Type.
type function struct {
	name  string
	typ   *types.Type
	steps []step
}

// step does one thing to a place of a known type: fill, call, field, deref, each or eachValue.
type step interface{ isStep() }

type (
	// fill sets the place if it is unset.
	fill struct {
		unset []test // all of them hold if the place is unset
		value value
	}
	// call passes the place's address to a function.
	call struct{ function types.Name }
	// field goes to a field of the place.
	field struct {
		name  string
		steps []step
	}
	// deref goes to what the place points to, if it is not nil.
	deref struct{ steps []step }
	// each goes to each element of a slice or array.
	each struct {
		array bool
		steps []step
	}
	// eachValue goes to each value of a map.
	eachValue struct{ steps []step }
)

func (fill) isStep()      {}
func (call) isStep()      {}
func (field) isStep()     {}
func (deref) isStep()     {}
func (each) isStep()      {}
func (eachValue) isStep() {}

// test compares what is at path below a place ("" or ".A.B") with its zero value.
type test struct {
	path string
	zero value
}

// value is an expression: literal, reference, conversion, pointer, composite or decoded.
type value interface{ isValue() }

type (
	// literal is Go text that names nothing: 5, "x", true, nil.
	literal string
	// reference is a constant, variable or function of a package.
	reference types.Name
	// conversion is T(v).
	conversion struct {
		typ *types.Type
		of  value
	}
	// invocation is f(args...).
	invocation struct {
		function types.Name
		args     []value
	}
	// product is a duration: a number of units.
	product struct {
		count int64
		unit  types.Name
	}
	// pointer is the address of a new variable.
	pointer struct {
		elem *types.Type
		to   value
	}
	// composite is T{k: v, …}; keys are nil in slices and arrays.
	composite struct {
		typ      *types.Type
		elements []element
	}
	element struct{ key, value value }
	// decoded is what a type that reads its own JSON makes of a text.
	decoded struct {
		typ *types.Type
		raw json.RawMessage
	}
)

func (literal) isValue()    {}
func (reference) isValue()  {}
func (conversion) isValue() {}
func (invocation) isValue() {}
func (product) isValue()    {}
func (pointer) isValue()    {}
func (composite) isValue()  {}
func (decoded) isValue()    {}
