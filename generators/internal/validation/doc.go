// Package validation writes zz_generated.validations.go: functions Validate_T that say what is
// wrong with an object.
//
// What they check stands in comments: the tags of declarative validation (+k8s:minLength=1), the
// constraints of OpenAPI in the spellings of controller-gen (+kubebuilder:validation:MinLength=1)
// and kube-openapi (+k8s:validation:minLength=1), and +enum. A package gets functions if it asks
// for them with +k8s:validation-gen=, as in Kubernetes. It gets them also if a server in the run
// (+typeplane:apiserver) serves its kinds and one of its types has a rule. Only in the first case,
// and if there is a localSchemeBuilder, they are also registered with a scheme.
//
// The work is done by packages below, each of which uses those before it:
//
//	shape        what validation asks about Go types
//	plan         what a rule asks for: calls, variables and helpers, as data
//	cel          rules in CEL, compiled to Go or handed to module cel; cel/ast reads them
//	rule         what a rule is, which places have which, and under which law
//	declarative  the tags +k8s:…
//	marker       the constraints of OpenAPI, in both spellings, and rules in CEL
//	graph        types and fields with the plans of their tags
//	printer      the functions, from graph and plans
//
// This package joins them: roots.go says which packages and types get functions, choose.go which
// other functions those need.
//
// What is printed calls k8s.io/apimachinery/pkg/api/validate, so that messages, types and origins
// of errors are those of Kubernetes. What the library lacks (patterns, formats, floating-point
// numbers) is printed into the file that needs it.
//
// # What holds
//
// An update does not validate again what it leaves alone. Each field is compared with its old value
// first, and items of lists with that of the same key or value. Required, immutable and limits on
// sizes stop the other rules of their field; an optional field that is not set stops them without
// an error. Rules under +k8s:alpha have marked errors that a server is to drop; they stop no rule
// of OpenAPI that stands beside them.
//
// Constraints of OpenAPI are about values that are there. Rules of custom resources ask what was
// sent (runtime/rules/sent.go). A server knows that of kinds that it stores as documents. Then what
// is required has to be sent, a zero that was sent is judged, and an optional struct that was not
// sent is not looked into. Elsewhere a field that clients may leave out (a pointer, or one with
// omitempty or +optional) is valid when it is zero, because Go can't tell the two apart. Errors
// have the words of declarative validation ("must be greater than or equal to 1"), not those of
// CustomResourceDefinitions.
//
// A type keeps the rules of the type that it is named after (type Derived Base). Markers of the key
// type of a map do not hold for keys, as in CustomResourceDefinitions; the tags of declarative
// validation do.
//
// CEL is compiled to Go: the tag's description lists what the compiler knows (marker/cel.go). A
// rule with anything else is a call of module cel, which evaluates it. Where that module can't be
// imported, the rule is a problem, also in a type of another module. The module's test asks cel-go
// about the same rules and documents (cel/internal/rules). As in CEL a rule fails if it compares or
// computes with what is not there, divides by zero or overflows, and so does its opposite. Rules in
// CEL come last, and only where the rest of the schema holds (runtime/rules, Held).
//
// Tags without a prefix (+listType=set and map, +listMapKey, +required, +optional) count for types
// that a server of the run serves, as they do for CustomResourceDefinitions. In other packages they
// are documentation, as in Kubernetes' own.
//
// Kinds of Kubernetes are judged as a kube-apiserver judges them: the tags of declarative
// validation are rules, all others describe. These are aliases of types in k8s.io/api, and the
// kinds of packages with +typeplane:kubernetes. rule/law.go says which law holds for a type below
// another.
//
// # Types of other packages
//
// A type of a package that has functions is validated by them. For all others, also those of other
// modules, unexported functions are printed into the package that needs them, once, called
// validate_<import>_<Type>. TypeMeta, ObjectMeta and ListMeta are not looked into: the server has
// rules for them. Rules of other modules that can't be checked here are named in a warning, and in
// a comment of the printed code. One is a hand-written function that no package of the run has.
// Rules of other modules under +k8s:alpha are left out, and so are those that would only stop
// others. validation-gen of Kubernetes wants +k8s:opaqueType on every field of such a type. Here
// that only means to leave it alone.
//
// Lists of lists, maps of maps, arrays and pointers to lists can't be looked into. They need no
// tag; a rule on one, or on a type inside one, is a problem.
//
// There are other differences from validation-gen. A pointer to a struct may be nil without a tag
// that says so. The members of a union of items may stand in any order. A package without rules
// gets no file, and lint rules are not applied.
//
// Start reading at Plugin. The package never runs what it prints, and prints nothing that imports
// this module.
package validation
