// Package fieldset generates zz_generated.fieldset.go: functions that tell which fields two objects
// of a kind differ in, for managedFields, without reflection over whole objects and without a
// schema at run time.
//
//	compareFields_v1_Book(c *fieldset.Comparison, old, obj *v1.Book)
//
// The file goes into the package that has zz_generated.apiserver.go, which names the functions.
// Generated code beside the types themselves imports nothing of ours, unless that is asked for, and
// this does (package runtime/fieldset). There it is printed without a tag, by package apiserver,
// for versions that have OpenAPI schemas. Plugin prints it beside the types, with exported
// functions, where +typeplane:fieldset-gen=package asks for it. Then a server that is joined by
// hand can name them too, and generated ones name those.
//
// What is owned as a whole and what is granular is decided by the published schema, which is read
// here as structured-merge-diff reads it, by the same conversion (kube-openapi's schemaconv). The
// Go types say how to get at the values. So a difference between what an apply patch does, which is
// by the schema, and what these functions say is a difference between a Go type and its own schema.
//
// Start reading at Plugin and Generate. plan.go picks what is printed, and plan_value.go decides
// how values of a type are compared. plan_list.go decides how the items of a list are told apart.
// schema.go reads schemas. emit.go and emit_field.go print.
package fieldset
