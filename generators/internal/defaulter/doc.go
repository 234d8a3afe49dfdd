// Package defaulter prints zz_generated.defaults.go: for each kind a function SetObjectDefaults_T
// that fills what the user left out, and RegisterDefaults for users of apimachinery's Scheme.
//
// A package asks with +k8s:defaulter-gen=<field>. That makes a root of every type that has a field
// of this name (TypeMeta in practice). With =true only the types tagged so are roots. Three things
// fill a value, in this order. First is the literal of its +default (or +kubebuilder:default) tag.
// Then come hand-written functions found by name, SetDefaults_T and SetDefaults_T_x. Last is what
// fills its fields, elements and map values. A hand-written SetObjectDefaults_T takes the place of
// a generated one. A root with nothing to fill gets no function; Covers tells.
//
// Literals are checked against their Go type and printed as Go: the generated code parses nothing,
// except quantities.
//
// Start reading at newPlan (what to do, as data) and printer.plan. The package never guesses: a
// default that does not fit its type is a problem at the field.
package defaulter
