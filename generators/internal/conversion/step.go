package conversion

import "k8s.io/gengo/v2/types"

// plan is what one generated file does, in the order it is printed.
type plan struct {
	registrations []registration
	functions     []function
	values        []valuesFunction
	keepers       []keeper
	equalities    []*structEquality
}

// function converts a struct.
type function struct {
	name    string // Convert_a_To_b
	in, out *types.Type
	manual  bool // a hand-written function has the name: only autoConvert_a_To_b is printed
	body    body
}

// body converts a struct field by field, or at once if whole is set.
type body struct {
	whole  *reinterpret
	fields []field
}

// keep says of a field without a counterpart that it is not lost.
func (b body) keep(name string) {
	for i := range b.fields {
		if b.fields[i].name == name {
			b.fields[i].comment = "in." + name + " does not exist in peer-type: it is kept in an annotation"
		}
	}
}

// field converts one field, or says in a comment why not.
type field struct {
	name    string
	step    step
	comment string
}

// step converts a value of one type to a value of another: assign, cast, narrow, reinterpret,
// invoke, drop, inline or elements.
type step interface{ isStep() }

type (
	// assign copies; the target may share memory with the source.
	assign struct{}
	// cast converts as Go does, to a type of the same kind.
	cast struct{ to *types.Type }
	// narrow casts an integer after comparing it with the bounds of the other type.
	narrow struct {
		to        *types.Type
		low, high bound
		what      string // names the value in the error
	}
	// reinterpret takes the memory of the source for that of the target.
	reinterpret struct{ to *types.Type }
	// invoke calls a conversion function.
	invoke struct{ function types.Name }
	// drop leaves the target as it is.
	drop struct{}
	// inline converts structs that have no name.
	inline struct{ body body }
	// elements converts what a pointer, slice, array or map of type to holds.
	elements struct {
		to        *types.Type
		key, elem step   // key is nil unless to is a map
		what      string // names the container in errors
	}
)

func (assign) isStep()      {}
func (cast) isStep()        {}
func (narrow) isStep()      {}
func (reinterpret) isStep() {}
func (invoke) isStep()      {}
func (drop) isStep()        {}
func (inline) isStep()      {}
func (elements) isStep()    {}

// bound is one end of the range of an integer type. The value, converted to the type named as, is
// compared with the constant; if that is "" no comparison is needed.
type bound struct{ as, constant string }
